// SPDX-License-Identifier: MIT
// Where malloc's memory comes from.
#ifndef USER_HEAP_H
#define USER_HEAP_H

#include <orrery/types.h>

// Not const, for then it would be folded before it is linked. A program that defines it as true has no memory from malloc that is not there: malloc returns
// NULL when memory is out. Else pages come at their first use, and without one the process ends.
extern bool heap_is_committed;

#endif
