// SPDX-License-Identifier: MIT
// Monitors (S003): records of what threads do, for whoever has a capability for the monitor. Each
// has a ring of records a CPU, and any number of monitors see one thread, each what it asked for.
// (orrery/monitor.h is another thing: questions to the library of a process.)
#ifndef ORRERY_MONITORS_H
#define ORRERY_MONITORS_H

#include <orrery/ipc.h>
#include <orrery/types.h>

#define SYS_MONITOR_BYTES_MIN 0x1000UL // a CPU
#define SYS_MONITOR_BYTES_MAX 0x100000UL

#define SYS_MONITORS 64          // that exist at once,
#define SYS_MONITORS_RESERVED 16 // … of which for processes that have a right
#define SYS_MONITORS_PROCESS 8   // that one process has created
#define SYS_MONITORS_THREAD 8    // that track one thread

// What happens to a thread; sys_monitor_track has a bit of each, 1 << kind.
enum sys_monitor_kind {
    SYS_MONITOR_SWITCH, // its CPU goes to it, or from it; word 0: enum sys_monitor_switch
    // What the process itself tells (sys_monitor_tell): true as far as the process is.
    SYS_MONITOR_THREAD = 6, // its library goes to, or from, a thread of its own; word 0: its number
                            // above enum sys_monitor_switch, word 1: how its name begins
    SYS_MONITOR_SENSOR = 7, // user/sensor.h; reason: the sensor's number, words: its own
    SYS_MONITOR_KINDS,
};
#define SYS_MONITOR_TOLD (1u << SYS_MONITOR_THREAD | 1u << SYS_MONITOR_SENSOR)
// Those that there are.
#define SYS_MONITOR_KINDS_MASK (1u << SYS_MONITOR_SWITCH | SYS_MONITOR_TOLD)
#define SYS_MONITOR_THREAD_WORD(number, what) ((u64)(number) << 32 | (what))

enum sys_monitor_switch {
    SYS_MONITOR_LEAVES, // another thread runs now; the reason is why
    SYS_MONITOR_COMES,  // it runs from now on
    SYS_MONITOR_STAYS,  // it could have left for that reason, but the scheduler chose it again
};

struct sys_monitor_record {
    u64 time;    // time base; never less than that of the record before
    u32 id;      // as whoever tracks the thread calls it
    u8 kind;     // enum sys_monitor_kind
    u8 reason;   // of trace/reasons.h, but of a sensor its number
    u16 lost;    // records of this CPU that were lost just before; 65,535: or more
    u64 word[2]; // by the kind
};
_Static_assert(sizeof(struct sys_monitor_record) == 32, "ABI");

// What a ring has at this moment: fired = read + unread + lost.
struct sys_monitor_stat {
    u32 running; // it was resumed
    u32 cpu;
    u64 bytes; // of its ring
    u64 fired;
    u64 lost; // the ring was full
    u64 unread;
    u64 cost; // ticks that 64 records take, measured when it was created
};
_Static_assert(sizeof(struct sys_monitor_stat) == 48, "ABI");

// What sys_monitor_map shows: a page with one of these for each CPU, then the rings of the CPUs,
// one behind the other. Records `taken` … `written` - 1 are there, record n at n % (bytes / 32).
// Read `written`, a barrier, then the records.
struct sys_monitor_position {
    u64 written;
    u64 lost;
    u64 reserved[6];
    u64 taken; // by sys_monitor_read and sys_monitor_take
    u64 reserved2[7];
};
_Static_assert(sizeof(struct sys_monitor_position) == 128, "ABI");

s64 sys_monitor_create(u64 *bytes);
s64 sys_monitor_resume(cap_t monitor);
s64 sys_monitor_suspend(cap_t monitor);
s64 sys_monitor_read(cap_t monitor, u32 cpu, u64 address, u64 bytes);
s64 sys_monitor_stat(cap_t monitor, u32 cpu, struct sys_monitor_stat *stat);
s64 sys_monitor_map(cap_t monitor);
s64 sys_monitor_take(cap_t monitor, u32 cpu, u64 records);
s64 sys_monitor_track(cap_t monitor, cap_t process, u32 thread, u32 id, u64 kinds);
s64 sys_monitor_track_pid(cap_t monitor, u32 pid, u32 thread, u32 id, u64 kinds);
s64 sys_monitor_untrack(cap_t monitor, u32 pid, u32 thread);
s64 sys_monitor_terminate(cap_t monitor);
s64 sys_monitor_tell(u32 kind, u32 reason, u64 word0, u64 word1);

#endif
