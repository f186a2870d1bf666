// SPDX-License-Identifier: MIT
// Logs for schedulers in user mode (S004). The kernel writes the events that a scheduler has chosen
// into the scheduler's memory. One process in the machine owns the logs at a time (docs/logs.md).
// All calls need RIGHT_MONITOR. E_BUSY: another process owns the logs. E_NOENT: nobody does.
#ifndef ORRERY_LOG_H
#define ORRERY_LOG_H

#include <orrery/process.h>

#define LOG_AREA_BYTES 65536UL
#define LOG_AREAS 4 // of a CPU
#define LOG_DOMAINS 128
#define LOG_EVENTS 12

// Events for which a domain's descriptor has a selector and a threshold.
enum log_event {
    // The CPU leaves a domain for another. counter: the time it was there, in ticks of the time
    // base. A service of more than 2^31 ticks is logged at the next 10 ms tick.
    LOG_SERVICE_TIME,
    // The CPU leaves a domain. counter: the events of the two chosen items (sys_log_hardware).
    LOG_HARDWARE_0,
    LOG_HARDWARE_1,
    // current: the domain on whose CPU the event is logged; correspondent: the other side's;
    // counter: 1. The kernel is domain 0 when it sends a message itself, or answers for a server
    // that has ended.
    LOG_CALL_SENT,
    LOG_CALL_TAKEN,
    LOG_ANSWER_SENT,
    LOG_ANSWER_TAKEN,
    LOG_MESSAGE_SENT,
    LOG_MESSAGE_TAKEN,
    // A page frame was charged or given back. counter (s32): frames charged to the domain on this
    // CPU less those given back on it, since the characteristic was switched on.
    LOG_MEMORY,
    // The run queue of a CPU, in no domain. counter: threads that run or wait.
    LOG_RUN_QUEUE = LOG_EVENTS,
};

// Groups of events that can be switched on and off separately.
enum log_characteristic {
    LOG_OF_SERVICE,
    LOG_OF_HARDWARE,
    LOG_OF_CALLS,
    LOG_OF_MEMORY,
    LOG_OF_RUN_QUEUE,
    LOG_CHARACTERISTICS,
};

// ---- the first area of a CPU (S004 figure 4.8) --------------------------------------------------

// The counter rises by 1 with each event. When it reaches 0 or more the event is logged, and the
// counter becomes -initial. With 0, 0 every event is logged.
struct log_threshold {
    s32 counter;
    s32 initial;
};

// Selectors name the registers of a domain's events.
struct log_descriptor {
    u16 selectors[LOG_EVENTS];
    struct log_threshold thresholds[LOG_EVENTS];
    u64 reserved;
};
_Static_assert(sizeof(struct log_descriptor) == 128, "a descriptor has 128 bytes");

// The first area begins with this. Registers and files lie behind it or in other areas.
struct log_head {
    struct log_descriptor domains[LOG_DOMAINS]; // domain 0's is not used: it stays 0
    u16 run_queue;                              // selector
    u16 reserved[3];
};

// The area (0 to 3) of the CPU, and the register's place there in bytes. 0: nothing is logged.
#define LOG_SELECTOR(area, place) ((u16)((area) << 14 | (place) / 8))
#define LOG_SELECTOR_AREA(selector) ((u32)(selector) >> 14)
#define LOG_SELECTOR_PLACE(selector) (((u32)(selector)&0x1fff) * 8)

// ---- registers and files (S004 figure 4.6) ------------------------------------------------------

// offset: where the next row begins in the area, in bytes. After the set-up only the kernel stores
// offset, and only the scheduler stores control.
struct log_register {
    u32 offset;
    u32 control;
};
_Static_assert(sizeof(struct log_register) == 8, "the kernel loads a register at once");

// A file has 2^n entries of 32 bits and begins at a multiple of its size. The kernel clamps n.
#define LOG_SIZE_MIN 2
#define LOG_SIZE_MAX 13
#define LOG_SIZE(n) ((u32)(n)) // bits 0 … 3
// The entries of a row, in this order. The scheduler pads rows to 1, 2, 4 or 8 entries.
#define LOG_WITH_EVENT 0x10u
#define LOG_WITH_CURRENT 0x20u
#define LOG_WITH_CORRESPONDENT 0x40u
#define LOG_WITH_COUNTER 0x80u
#define LOG_COUNTER_ADD 0x100u    // adds the counter to the entry; also without WITH_COUNTER
#define LOG_STAMP_VIRTUAL 0x200u  // the CPU's count of rows with this stamp
#define LOG_STAMP_TICK 0x400u     // the time base in units of 10 ms
#define LOG_STAMP_HARDWARE 0x600u // the time base / 64: 125 ns; wraps after 9 minutes
#define LOG_STAMP 0x600u
#define LOG_PADDING(n) ((u32)(n) << 11) // 0 … 3 entries that nobody writes
#define LOG_PADDING_OF(control) ((control) >> 11 & 3)
// A register without any of these writes no row and does not move.
#define LOG_ENTRIES                                                                                \
    (LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_WITH_COUNTER |               \
     LOG_COUNTER_ADD | LOG_STAMP)

// ---- calls --------------------------------------------------------------------------------------

// Adds an area to a CPU's logs: LOG_AREA_BYTES from sys_memory_new. Returns its number, 0 to 3. The
// caller becomes the owner. E_INVAL: a file, the initial file system, another size, or no such CPU.
// E_LIMIT: the CPU has four areas. E_EXIST: the memory is an area already. E_BUSY, E_NOMEM.
s64 sys_log_area(cap_t memory, u32 cpu);
// Puts a dispatcher's kernel thread into a domain. With thread 0: a process with all its
// dispatchers, present and future, its memory, and the processes it will create. With pid 0: a
// thread of the kernel, or with thread 0 all of them. A service in progress stays with the domain
// in which it began. E_INVAL: domain >= LOG_DOMAINS. E_NOENT: no such process or thread.
s64 sys_log_domain(u32 pid, u32 thread, u32 domain);
// Waits until the CPU stores no row that it began before this call. The scheduler can then safely
// read the file of a register whose flags are clear. E_INVAL: no such CPU.
s64 sys_log_quiesce(u32 cpu);
// Chooses the items of a counting session (orrery/pmu.h) for LOG_HARDWARE_0 and LOG_HARDWARE_1, in
// place of earlier ones. The caller must have started the session. The session keeps its counters.
// Nothing is logged on CPUs where it does not count, or after it has stopped. E_STALE: no such
// session of the caller's runs. E_INVAL: it has no such item. E_LIMIT: its items take turns.
// E_NOTSUP: no unit counts.
s64 sys_log_hardware(s64 session, u32 first, u32 second);
// Switches a characteristic on or off. E_INVAL: no such characteristic. For LOG_OF_HARDWARE on:
// E_NOTSUP: no unit counts; E_STALE: no items of a running session of the caller's have been
// chosen. LOG_OF_CALLS on looks at the selectors of LOG_CALL_SENT … LOG_ANSWER_TAKEN on all CPUs.
// An event without any selector costs nothing and is not logged until this is called again. A
// second call looks again and loses no call.
s64 sys_log_enable(u32 characteristic, bool on);
// Gives up the logs: nothing is logged, the memory is let go, and all is in domain 0. The end of
// the owner does the same.
s64 sys_log_close(void);

#endif
