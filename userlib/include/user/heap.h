// SPDX-License-Identifier: MIT
// Where malloc's memory comes from, and whether it is checked.
#ifndef USER_HEAP_H
#define USER_HEAP_H

#include <orrery/types.h>

// A program that defines it as true gets memory from malloc only if it is there; malloc returns
// NULL when memory is out. Otherwise pages come at their first use, and the process ends if there
// is none. Not const: compilers would take its value from the library's own definition.
extern bool heap_is_committed;

// A program that defines it as true, or is started with MALLOC_CHECK_ in its environment (and that
// not 0), ends with a report when it has written before or behind a block of the heap, or after it
// was freed, or frees one twice. Such errors are found when the block is freed, or at the end.
extern bool heap_is_checked;

#endif
