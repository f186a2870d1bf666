// SPDX-License-Identifier: MIT
// Where malloc's memory comes from.
#ifndef USER_HEAP_H
#define USER_HEAP_H

#include <orrery/types.h>

// A program that defines it as true has no memory from malloc that is not there: malloc returns
// NULL when memory is out. Else pages come at their first use, and without one the process ends.
// Not const: compilers take what a const variable is from the library's own definition.
extern bool heap_is_committed;

#endif
