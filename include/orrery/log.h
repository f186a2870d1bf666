// SPDX-License-Identifier: MIT
// Logs for schedulers in user mode (S004): the kernel writes what a scheduler asked for into the
// scheduler's memory. One process in the machine owns the logs at a time; docs/logs.md explains.
// RIGHT_MONITOR. E_BUSY: another process owns the logs; E_NOENT: nobody does.
#ifndef ORRERY_LOG_H
#define ORRERY_LOG_H

#include <orrery/process.h>

#define LOG_AREA_BYTES 65536UL
#define LOG_AREAS 4 // of a CPU
#define LOG_DOMAINS 128
#define LOG_EVENTS 12

// Events that a domain's descriptor speaks of.
enum log_event {
    // The CPU leaves a domain for another. counter: how long it was there, in ticks of the time
    // base. One that lasts is told of at the tick of 10 ms that comes after 2^31 of them.
    LOG_SERVICE_TIME,
    // The same: how many events of the two chosen items of a counting session (sys_log_hardware).
    LOG_HARDWARE_0,
    LOG_HARDWARE_1,
    // current: whose CPU it is told on; correspondent: the other side's; counter: 1. The kernel is
    // domain 0: of a message of its own, or an answer in the name of a server that has ended.
    LOG_CALL_SENT,
    LOG_CALL_TAKEN,
    LOG_ANSWER_SENT,
    LOG_ANSWER_TAKEN,
    LOG_MESSAGE_SENT,
    LOG_MESSAGE_TAKEN,
    // A page frame was charged, or given back. counter: the frames charged to the domain on this
    // CPU, less those given back on it (as s32), since the characteristic has been on.
    LOG_MEMORY,
    // The run queue's, which belongs to a CPU and to no domain. counter: threads that run or wait.
    LOG_RUN_QUEUE = LOG_EVENTS,
};

// What can be switched by itself.
enum log_characteristic {
    LOG_OF_SERVICE,
    LOG_OF_HARDWARE,
    LOG_OF_CALLS,
    LOG_OF_MEMORY,
    LOG_OF_RUN_QUEUE,
    LOG_CHARACTERISTICS,
};

// ---- the first area of a CPU (S004 figure 4.8) --------------------------------------------------

// The counter rises by 1 with each event. When it is 0 or more the event is logged,
// and it is set to -initial. 0, 0: every event is logged.
struct log_threshold {
    s32 counter;
    s32 initial;
};

// Selectors name the registers that events of a domain go to.
struct log_descriptor {
    u16 selectors[LOG_EVENTS];
    struct log_threshold thresholds[LOG_EVENTS];
    u64 reserved;
};
_Static_assert(sizeof(struct log_descriptor) == 128, "a descriptor has 128 bytes");

// What the first area begins with. Registers and files lie behind it, or in other areas.
struct log_head {
    struct log_descriptor domains[LOG_DOMAINS]; // that of domain 0 is not used: it stays 0
    u16 run_queue;                              // selector
    u16 reserved[3];
};

// Area 0 to 3 of the CPU, and the register's place there, in bytes. 0: nothing is logged.
#define LOG_SELECTOR(area, place) ((u16)((area) << 14 | (place) / 8))
#define LOG_SELECTOR_AREA(selector) ((u32)(selector) >> 14)
#define LOG_SELECTOR_PLACE(selector) (((u32)(selector)&0x1fff) * 8)

// ---- registers and files (S004 figure 4.6) ------------------------------------------------------

// offset: of the next row in the area, in bytes. Once it is set up the kernel alone stores it, and
// the scheduler alone stores control.
struct log_register {
    u32 offset;
    u32 control;
};
_Static_assert(sizeof(struct log_register) == 8, "the kernel loads a register at once");

// A file has 2^n entries of 32 bits and begins at a multiple of its size. n is made to fit.
#define LOG_SIZE_MIN 2
#define LOG_SIZE_MAX 13
#define LOG_SIZE(n) ((u32)(n)) // bits 0 … 3
// The entries of a row, in this order. The scheduler pads rows to 1, 2, 4 or 8 entries.
#define LOG_WITH_EVENT 0x10u
#define LOG_WITH_CURRENT 0x20u
#define LOG_WITH_CORRESPONDENT 0x40u
#define LOG_WITH_COUNTER 0x80u
#define LOG_COUNTER_ADD 0x100u   // the counter is added to what is there; also without WITH_COUNTER
#define LOG_STAMP_VIRTUAL 0x200u // a number that each row of the CPU with such a stamp has counted
#define LOG_STAMP_TICK 0x400u    // the time base in units of 10 ms
#define LOG_STAMP_HARDWARE 0x600u // the time base / 64: 125 ns; wraps after 9 minutes
#define LOG_STAMP 0x600u
#define LOG_PADDING(n) ((u32)(n) << 11) // 0 … 3 entries that nobody writes
#define LOG_PADDING_OF(control) ((control) >> 11 & 3)
// A register without any of these writes no row and does not move.
#define LOG_ENTRIES                                                                                \
    (LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_WITH_COUNTER |               \
     LOG_COUNTER_ADD | LOG_STAMP)

// ---- calls --------------------------------------------------------------------------------------

// One more area for a CPU's logs, LOG_AREA_BYTES from sys_memory_new: the number of the area, 0 to
// 3. The caller becomes the owner. E_INVAL: a file, the initial file system, another size, no such
// CPU; E_LIMIT: a fifth; E_EXIST: it is an area already; E_BUSY, E_NOMEM.
s64 sys_log_area(cap_t memory, u32 cpu);
// Maps a dispatcher's kernel thread to a domain, or with thread 0 a process: all its dispatchers,
// those to come, its memory, and processes that it will create. pid 0: a kernel thread, or with
// thread 0 all that there are. A service that goes on stays with the domain in which it began.
// E_INVAL: domain >= LOG_DOMAINS; E_NOENT: no such process, or no such thread of it.
s64 sys_log_domain(u32 pid, u32 thread, u32 domain);
// A CPU has left the handler: it stores no row that it began before this call. So while a
// register's flags are clear its file can be read in peace. E_INVAL: no such CPU.
s64 sys_log_settle(u32 cpu);
// Which items of a counting session that the caller has started (orrery/pmu.h) are LOG_HARDWARE_0
// and LOG_HARDWARE_1: those that had been chosen before are not any more. The session keeps their
// counters; where it does not count, or when it has stopped, nothing is told. E_STALE: the
// caller's session of this number does not run; E_INVAL: it has no such item; E_LIMIT: its items
// take turns; E_NOTSUP: no unit counts.
s64 sys_log_hardware(s64 session, u32 first, u32 second);
// Switches a characteristic. E_INVAL: there is none of this number. LOG_OF_HARDWARE on: E_NOTSUP:
// no unit counts; E_STALE: no items of a session of the caller's that runs have been chosen.
// Sides of calls and answers (LOG_CALL_SENT … LOG_ANSWER_TAKEN) for which no domain has a selector
// on any CPU when LOG_OF_CALLS is switched on cost nothing, and are not logged until the same is
// called once more: it looks at all selectors again, and no call is lost meanwhile.
s64 sys_log_enable(u32 characteristic, bool on);
// The caller owns the logs no more: nothing is logged, its memory is let go, and all is in domain
// 0. The owner's end does the same.
s64 sys_log_close(void);

#endif
