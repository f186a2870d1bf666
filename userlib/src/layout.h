// SPDX-License-Identifier: MIT
// Offsets that assembly shares with C: the scheduler in the dispatcher page, and a thread's saved
// state.
#ifndef USERLIB_LAYOUT_H
#define USERLIB_LAYOUT_H

#include <orrery/user.h>

// struct scheduler, from r13.
#define SCHEDULER DISPATCHER_LIBRARY
#define SCHEDULER_CURRENT (SCHEDULER + 0x00)

// struct thread.
#define THREAD_SP 0x00 // of a thread that gave its CPU up; 0: it was preempted, and `state` counts
#define THREAD_FP_SAVED 0x08 // not 0: floating-point registers are saved with the others
#define THREAD_STATE 0x10    // struct user_state
#define THREAD_FPR (THREAD_STATE + USER_STATE_BYTES)
#define USER_STATE_BYTES 344

// What a switch saves, above the parameter save area: r14 … r31, f14 … f31.
#define SWITCH_GPR 112
#define SWITCH_FPR (SWITCH_GPR + 18 * 8)
#define SWITCH_FRAME (SWITCH_FPR + 18 * 8)

#endif
