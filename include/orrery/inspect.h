// SPDX-License-Identifier: MIT
// Questions of the monitor to a process's library (EVENT_INSPECT): the object scan of S000 §3.2.1
// for user objects, the switches of DREF counting and tracing, and the logs of sleep locks
// ("Software Instrumentation"). The answer goes through the inspection buffer at USER_INSPECT, a
// region shared by process and kernel.
#ifndef ORRERY_INSPECT_H
#define ORRERY_INSPECT_H

#include <orrery/types.h>

// A list is read in pieces: from a cursor (0 to start), as many whole records as fit into the given
// bytes. The first result is the next cursor. The second is 1 when nothing follows; an answer
// without records also ends the list. Records of objects and counts come in rising order.
// Each line has the arguments -> the results, and the content of the buffer.
// clang-format off
#define INSPECT_SCAN          1 // cursor, bytes -> new cursor, end; struct sys_object records
#define INSPECT_CLASS         2 // cursor, bytes -> new cursor, end; struct sys_class records
#define INSPECT_DREF_ENABLE   3 // on
#define INSPECT_DREF_READ     4 // cursor, bytes -> new cursor, end; struct sys_dref_count records
#define INSPECT_TRACE_MASK    5 // mask, mode (0: as it is)
#define INSPECT_TRACE_READ    6 // cpu, flush    -> cpu, end; one packet; checked, if the kernel has
                                // a trace. end: 1 if no other had been begun (flush), or was full
#define INSPECT_TRACE_STAT    7 // cpu           -> struct sys_trace_stat
#define INSPECT_MOVE          8 // cpu: all its threads go to that CPU
#define INSPECT_BLOCKED_LIST  9 // cursor, bytes -> new cursor, end; sys_blocked_object records
#define INSPECT_BLOCKED_LOG  10 // COID or 0: all, those to come, too; logging -> how many objects
#define INSPECT_BLOCKED_READ 11 // cursor, bytes -> new cursor, end; struct sys_blocked_log, each
                                // with its records
// clang-format on
// With begin the library asks the owner of the logs for an area (ipc/log.idl), and does not wait.
// Without it, it returns the outcome: 0 when this CPU has a log, E_AGAIN, or an error
// (user/attach_log.h).
#define INSPECT_LOG 12        // cpu, begin
#define INSPECT_LOG_DOMAIN 13 // thread's number, its domain in these logs; 0: the process's
// These two are for the server sched (orrery/sched.h). The kernel lets only who has RIGHT_PLACE ask
// the second one. Its answers: E_NOENT: no such policy; E_BUSY: another process owns the logs.
#define INSPECT_SCHED 14        // bytes -> struct sched_state and the decisions that fit
#define INSPECT_SCHED_POLICY 15 // the policy's name, of 16 bytes, as two words

// ---- sleep locks -------------------------------------------------------------------------------
// A BlockedThreadQueues object has a queue for each lock word that threads wait for. While it is
// logged, each change of a queue adds a record to the object's own buffer.

enum sys_blocked_logging {
    SYS_BLOCKED_OFF,   // frees the buffer with its records
    SYS_BLOCKED_ON,    // logs; an object that is logged already continues
    SYS_BLOCKED_FRESH, // logs from an empty buffer
};

enum sys_blocked_operation {
    SYS_BLOCKED_ENQUEUE = 1, // a thread begins to wait
    SYS_BLOCKED_DEQUEUE = 2, // its timeout has passed
    SYS_BLOCKED_WAKEUP = 3,  // it was woken
    SYS_BLOCKED_PRESENT = 4, // it waited when logging began; these come first in the log
};

struct sys_blocked_record {
    u64 time;   // time base; never less than that of the record before
    u64 queue;  // address of the lock word
    u32 thread; // number of the thread that is enqueued, dequeued or woken
    u32 length; // threads in that queue afterwards
    u32 operation;
    u32 lost; // records of this object that were lost just before this one
};
_Static_assert(sizeof(struct sys_blocked_record) == 32, "ABI");

struct sys_blocked_queue {
    u64 queue;
    u64 length;
};

struct sys_blocked_object {
    u32 record_bytes; // to the next
    u32 queue_count;
    coid_t coid;
    u64 buffer_bytes;                  // 0: it is not logged
    struct sys_blocked_queue queues[]; // those that have a thread, as many as found room
};
_Static_assert(sizeof(struct sys_blocked_object) == 24, "ABI");

// The log of one object; counts since the logging began.
struct sys_blocked_log {
    coid_t coid;
    u64 logged; // records, without lost ones
    u64 lost;   // exact
    u32 buffer_bytes;
    u32 count; // records that follow
};
_Static_assert(sizeof(struct sys_blocked_log) == 32, "ABI");

#endif
