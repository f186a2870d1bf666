// SPDX-License-Identifier: MIT
// Ends of a test's children. A check fails if one does not come as it should.
#ifndef TESTS_CHILDREN_H
#define TESTS_CHILDREN_H

#include <orrery/types.h>

// Waits for a child's end. Returns its status, -1 if it does not end.
s32 child_end(u32 pid);
// Ends a child that has not ended by itself, and waits for that.
void child_kill(u32 pid);

#endif
