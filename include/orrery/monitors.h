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
#define SYS_MONITORS_PROCESS 8   // that a process without RIGHT_MONITOR has created
#define SYS_MONITORS_THREAD 8    // that track one thread

// What happens to a thread; sys_monitor_track has a bit of each, 1 << kind. What is not said of a
// word is 0, and so is the reason of kinds that do not say what it is.
enum sys_monitor_kind {
    // Its CPU goes to it, or from it. Word 0: enum sys_monitor_switch; word 1: enum
    // sys_monitor_writer.
    SYS_MONITOR_SWITCH = 0,
    // It becomes ready, for that reason. Word 0: so many ticks ago, as one of the kernel's threads
    // that another CPU has woken is told of when it runs, and a dispatcher that begins.
    SYS_MONITOR_WAKE = 1,
    // A page fault, of its code or of the kernel's for it, begins. Word 0: address; word 1: the
    // access, one of PROT_R, PROT_W, PROT_X (orrery/memory.h).
    SYS_MONITOR_FAULT = 2,
    // A system call is over. Word 0: number; word 1: result. None are those between processes, and
    // those that do not return: the end of a process, and SYS_WAIT that has slept.
    SYS_MONITOR_SYSCALL = 3,
    // A request to the disk. Word 0: SYS_MONITOR_BLOCK_...; word 1: bytes; where it ends and has
    // failed, the error.
    SYS_MONITOR_BLOCK = 4,
    // A call to another process or from one. Word 0: enum sys_monitor_call; word 1: the call's id,
    // which is the same in the records of both sides, and in the trace.
    SYS_MONITOR_CALL = 5,
    // What the process itself tells (sys_monitor_tell), true as far as the process is. Its library
    // goes to, or from, a thread of its own. Word 0: SYS_MONITOR_THREAD_WORD; word 1: how its name
    // begins.
    SYS_MONITOR_THREAD = 6,
    // user/sensor.h. Reason: the sensor's number; words: its own.
    SYS_MONITOR_SENSOR = 7,
};
#define SYS_MONITOR_KINDS_MAX 8 // numbers of kinds are less; those that there are:
#define SYS_MONITOR_KINDS_MASK 0xffUL
#define SYS_MONITOR_KIND_NAMES                                                                     \
    {                                                                                              \
        "switch", "wake", "fault", "syscall", "block", "call", "thread", "sensor"                  \
    }
#define SYS_MONITOR_TOLD (1u << SYS_MONITOR_THREAD | 1u << SYS_MONITOR_SENSOR)
// A library's thread, by its number above enum sys_monitor_switch.
#define SYS_MONITOR_THREAD_WORD(number, what) ((u64)(number) << 32 | (what))

enum sys_monitor_call {
    SYS_MONITOR_CALL_MADE,     // the client's record
    SYS_MONITOR_CALL_SERVED,   // the server has taken it
    SYS_MONITOR_CALL_ANSWERED, // the server's, too
};

enum sys_monitor_switch {
    SYS_MONITOR_LEAVES, // another thread runs now; the reason is why
    SYS_MONITOR_COMES,  // it runs from now on
    SYS_MONITOR_STAYS,  // it could have left for that reason, but the scheduler chose it again
};

// What wrote the record of a switch, as that tells what it cost (struct sys_monitor_stat).
enum sys_monitor_writer {
    SYS_MONITOR_SCHEDULER,
    SYS_MONITOR_FAST_PATH, // of calls
};

#define SYS_MONITOR_BLOCK_ENDS 1  // else it begins
#define SYS_MONITOR_BLOCK_WRITE 2 // else it reads, or
#define SYS_MONITOR_BLOCK_FLUSH 4 // lets the disk write what it has taken

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
    u64 cost;      // ticks that 64 records take, measured when it was created
    u64 cost_fast; // … that the fast path of calls writes
};
_Static_assert(sizeof(struct sys_monitor_stat) == 56, "ABI");

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
// thread 0: all dispatchers of the process. The number of one of one's own is in its page
// (orrery/user.h; user_page(cpu)->thread).
s64 sys_monitor_track(cap_t monitor, cap_t process, u32 thread, u32 id, u64 kinds);
s64 sys_monitor_track_pid(cap_t monitor, u32 pid, u32 thread, u32 id, u64 kinds);
s64 sys_monitor_untrack(cap_t monitor, u32 pid, u32 thread);
s64 sys_monitor_terminate(cap_t monitor);
s64 sys_monitor_tell(u32 kind, u32 reason, u64 word0, u64 word1);

#endif
