// SPDX-License-Identifier: MIT
// How a dispatcher sleeps, for the fast path of calls, too: the bytes waiting and asleep.
#ifndef KERNEL_PROC_DISPATCHER_LAYOUT_H
#define KERNEL_PROC_DISPATCHER_LAYOUT_H

#define DISPATCHER_WAITS 1 // waiting: for any event
#define DISPATCHER_CALLS 3 // waiting: in a call that has handed its CPU over
#define DISPATCHER_ASLEEP 0x0101
#define DISPATCHER_IN_CALL 0x0301

#endif
