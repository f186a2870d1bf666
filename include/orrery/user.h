// SPDX-License-Identifier: MIT
// Memory that the kernel and a user process share: the process's address space, the dispatcher
// page, events, and the state of an interrupted user thread. Shared by C and assembly.
//
// A process has at most one dispatcher a CPU. In user code r13 points at its dispatcher's window
// (orrery/r13.h, the same layout as the kernel's): head page, LTT and counts. The head page and the
// message buffer behind it are always resident.
#ifndef ORRERY_USER_H
#define ORRERY_USER_H

#include <orrery/r13.h>

// ---- address space -----------------------------------------------------------------------------
#define USER_START 0x10000          // nothing is ever mapped below
#define USER_IMAGE 0x10000000       // programs are linked here
#define USER_HEAP 0x200000000       // malloc's region, growing up
#define USER_MAP 0x10000000000      // regions that ask for no address: from here up to USER_INSPECT
#define USER_INSPECT 0x0ff000000000 // the inspection buffer, INSPECT_BYTES, shared with the kernel
#define USER_WINDOW 0x100000000000  // window of the dispatcher of CPU n: + n * R13_WINDOW_SIZE
#define USER_END 0x200000000000     // nothing is ever mapped at or above

#define INSPECT_BYTES 0x10000
#define WINDOW_MESSAGE 0x1000 // message buffer, from r13
#define MESSAGE_BYTES 0x4000
#define WINDOW_LIBRARY 0x5000 // up to R13_LTT: the library's, which maps what it needs there

// ---- the dispatcher page, at r13 + R13_HOST -----------------------------------------------------
#define DISPATCHER_DISABLED (R13_HOST + 0x00)
#define DISPATCHER_PENDING (R13_HOST + 0x04)
#define DISPATCHER_STACK (R13_HOST + 0x08)
#define DISPATCHER_PID (R13_HOST + 0x10)
#define DISPATCHER_FP_USED (R13_HOST + 0x18)
#define DISPATCHER_SWITCH_WORK (R13_HOST + 0x28)
#define DISPATCHER_MONITORED (R13_HOST + 0x2c)
#define DISPATCHER_RECORDS_USED (R13_HOST + 0x30)
#define DISPATCHER_HEAP_COUNTED (R13_HOST + 0x38)
#define DISPATCHER_SAVE (R13_HOST + 0x40)
#define DISPATCHER_RECORDS (R13_HOST + 0x200)
#define DISPATCHER_RECORD 32 // bytes, as struct sys_monitor_record
#define DISPATCHER_RECORDS_BYTES (16 * DISPATCHER_RECORD)
#define DISPATCHER_LIBRARY 0x800 // from here to WINDOW_MESSAGE: the library's own words

// ---- events ------------------------------------------------------------------------------------
// A dispatcher gets one event at a time: its type in r3, the rest in r4…r12. An event arrives in
// one of two ways. It is the result of SYS_WAIT, SYS_POLL, SYS_CALL or SYS_REPLY_WAIT, all called
// while disabled. Or it is an upcall, when the dispatcher runs enabled user code: the kernel stores
// that code's state in `save`, sets disabled to 1, and goes to the upcall entry with r1 = the
// page's upcall stack, r2 = the library's TOC, r13 = the window. FPRs are as the interrupted code
// left them.
//
// clang-format off
//      type                r4         r5       r6    r7…r12
#define EVENT_NONE 0     // nothing (SYS_POLL), or nothing yet (SYS_CALL)
#define EVENT_START 1    // cpu                           a new dispatcher begins
#define EVENT_CALL 2     // call id    badge    info  words      a call; pid: above the type
#define EVENT_REPLY 3    // token      status   info  words      the answer to a call of ours
#define EVENT_MESSAGE 4  // pid        badge    0     words      asynchronous; pid 0: the kernel's
#define EVENT_TIMER 5    //                               the time given to SYS_TIMER has come
#define EVENT_KICK 6     // bits                          from sys_dispatcher_kick, merged by or
#define EVENT_FAULT_BLOCKED 7 // token  address  PROT_* (upcall only) the thread in `save` waits
#define EVENT_FAULT_DONE 8    // token  status            that page is there, or will not come
#define EVENT_EXCEPTION 9 // vector address dsisr status (upcall only) the thread in `save` is stuck
#define EVENT_INSPECT 10 // request id operation a b c …  the monitor asks (orrery/inspect.h)
#define EVENT_CHILD 11   // pid        status             a process that we created has ended
#define EVENT_OVERFLOW 12 // number    lost               a counter's: the page's `overflow`
#define EVENT_PLACE 13   //                               our place has changed: sys_place_get(0)
// clang-format on
// status of EVENT_EXCEPTION: 0, or E_NOMEM if the page at the address was not to be had.
#define EVENT_COUNT 14

// info of calls and replies. Low 16 bits: bytes in the message buffer (0 … MESSAGE_BYTES). High 32
// bits: a capability that goes along, 0 for none (in the receiver's numbering on arrival).
#define MESSAGE_INFO(bytes, cap) ((unsigned long)(cap) << 32 | (bytes))

#ifndef __ASSEMBLER__
#include <orrery/types.h>

#define MESSAGE_WORDS 6

struct event {
    u64 type;  // EVENT_*; of EVENT_CALL the lower half, and the caller's pid above it
    u64 id;    // r4
    u64 badge; // r5: badge, status, …
    u64 info;  // r6
    u64 words[MESSAGE_WORDS];
};
#define EVENT_CALL_OF(pid) ((u64)(pid) << 32 | EVENT_CALL)
static inline bool event_is_call(const struct event *event)
{
    return (u32)event->type == EVENT_CALL;
}
static inline u32 event_caller(const struct event *event)
{
    return (u32)(event->type >> 32);
}

// An interrupted user thread, as SYS_RESUME takes it. Same layout as the kernel's struct frame.
struct user_state {
    u64 gpr[32];
    u64 pc, msr, lr, ctr, xer, cr; // of msr only FP counts: the FPU may be used without a trap
    u64 vector, dar, dsisr;        // of an EVENT_EXCEPTION
    u64 reserved[2];
};

// What was true when a counter overflowed (sys_overflow_notify).
struct overflow_record {
    u64 number;  // of the overflows that have hit this dispatcher, from 1: gaps are lost ones
    u64 time;    // time base
    u64 pc;      // the instruction that was interrupted
    u64 caller;  // the function's return address; 0: not known
    coid_t coid; // the object whose method ran, as in struct sys_sample; 0: none found
    s64 session;
    u32 event;  // enum sys_sampling_event
    u32 thread; // kernel thread of the dispatcher
    u32 cpu;
    u32 flags; // SYS_SAMPLE_KERNEL, _SOFT_MASKED; SYS_OVERFLOW_HIDDEN
};

struct dispatcher_page {
    volatile u32 disabled; // the library: not 0: no upcalls, it is inside its scheduler
    volatile u32 pending;  // the kernel: events wait; look (SYS_POLL) after enabling
    u64 upcall_stack;      // the library: initial r1 of upcalls
    u64 pid;               // the kernel
    u64 fp_used;           // the kernel: not 0 once the dispatcher has used the FPU
    u64 thread;            // the kernel: the dispatcher's number, as monitors and traces have it
    // All four are 0 while a switch of threads has no extra work.
    volatile u8 switch_work[4]; // the library: each byte is not 0 for its own reason
    // the kernel: kinds that monitors want to be told (orrery/monitors.h)
    volatile u32 monitored;
    volatile u64 records_used; // the library: bytes of `records` in use; the kernel empties it
    volatile u32 heap_counted; // the kernel: not 0: malloc must ask (sys_memory_heap)
    u32 reserved;
    struct user_state save;
    struct overflow_record overflow; // the kernel: of the last EVENT_OVERFLOW
    // The kernel: EVENT_OVERFLOWs so far, and overflows that came while one was still to be told or
    // was being handled.
    volatile u64 overflows_reported, overflows_lost;
    u64 unused[3];
    // The library's records for monitors (user/sensor.h), until the kernel takes them.
    volatile struct library_record {
        u64 time; // time base
        u64 what; // kind << 24 | reason << 16
        u64 word[2];
    } records[DISPATCHER_RECORDS_BYTES / DISPATCHER_RECORD];
};

_Static_assert(sizeof(struct overflow_record) == 64, "the layout is an interface");
_Static_assert(offsetof(struct dispatcher_page, fp_used) == DISPATCHER_FP_USED - R13_HOST,
               "user.h");
_Static_assert(offsetof(struct dispatcher_page, monitored) == DISPATCHER_MONITORED - R13_HOST,
               "user.h");
_Static_assert(offsetof(struct dispatcher_page, switch_work) == DISPATCHER_SWITCH_WORK - R13_HOST,
               "user.h");
_Static_assert(offsetof(struct dispatcher_page, records_used) == DISPATCHER_RECORDS_USED - R13_HOST,
               "user.h");
_Static_assert(offsetof(struct dispatcher_page, records) == DISPATCHER_RECORDS - R13_HOST &&
                   sizeof(struct library_record) == DISPATCHER_RECORD &&
                   sizeof(struct dispatcher_page) == DISPATCHER_LIBRARY - R13_HOST,
               "user.h");
_Static_assert(offsetof(struct dispatcher_page, heap_counted) == DISPATCHER_HEAP_COUNTED - R13_HOST,
               "user.h");
_Static_assert(offsetof(struct dispatcher_page, save) == DISPATCHER_SAVE - R13_HOST, "user.h");
#endif
#endif
