// SPDX-License-Identifier: MIT
// Where assembly finds what it needs of dispatchers, threads and run queues;
// asserted in dispatcher.c, scheduler.c.
#ifndef KERNEL_PROC_DISPATCHER_LAYOUT_H
#define KERNEL_PROC_DISPATCHER_LAYOUT_H

#define DISPATCHER_STATE 0
#define DISPATCHER_OWN_STATE 6 // the two bytes waiting and asleep
#define DISPATCHER_WAITS 1     // waiting: for any event
#define DISPATCHER_CALLS 3     // waiting: in a call that has handed its CPU over
#define DISPATCHER_ASLEEP 0x0101
#define DISPATCHER_IN_CALL 0x0301
#define DISPATCHER_KERNEL_STACK 16 // and the next in one piece
#define DISPATCHER_COID 24
#define DISPATCHER_TAG 32 // and the next two in one piece
#define DISPATCHER_URGENCY 40
#define DISPATCHER_PROCESS_PID 44
#define DISPATCHER_THREAD 48
#define DISPATCHER_CAPABILITIES 56
#define DISPATCHER_OWN_CALL 64 // struct ipc_dispatcher
#define DISPATCHER_HANDED_CALL 72
#define DISPATCHER_ALONE 80
#define DISPATCHER_NO_CALL 88
#define DISPATCHER_MESSAGE 128
#define DISPATCHER_PAGE 136

#define THREAD_ID 140
#define THREAD_STATE 148
#define THREAD_PRIORITY 149
#define THREAD_STATE_RUNNING 0
#define THREAD_STATE_PARKED 1 // the low byte of DISPATCHER_ASLEEP and _IN_CALL

#define RUN_QUEUE_OCCUPIED 56
#define RUN_QUEUE_PRIORITY 60

#endif
