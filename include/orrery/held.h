// SPDX-License-Identifier: MIT
// References that end with their scope.
#ifndef ORRERY_HELD_H
#define ORRERY_HELD_H

// Declares a variable that holds a reference, which is given back at the end of its scope:
//     HELD(process) struct process *process = process_get(pid);
// calls process_put_held(&process) there. That one decides what nothing is; most do nothing for
// NULL. The scope may be left by return, break, continue or goto; what ends a thread gives nothing
// back.
#define HELD(type) __attribute__((cleanup(type##_put_held)))

#endif
