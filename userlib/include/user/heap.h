// SPDX-License-Identifier: MIT
// Where malloc's memory comes from.
#ifndef USER_HEAP_H
#define USER_HEAP_H

#include <orrery/types.h>

// A program that defines it as true gets memory from malloc only if it is there; malloc returns
// NULL when memory is out. Otherwise pages come at their first use, and the process ends if there
// is none. Not const: compilers would take its value from the library's own definition.
extern bool heap_is_committed;

#endif
