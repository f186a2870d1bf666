// SPDX-License-Identifier: MIT
// Monitors (S003) record what threads do, for whoever has a capability for the monitor. A monitor
// has a ring of records for each CPU. Any number of monitors can track one thread, and each gets
// the kinds it asked for. (orrery/inspect.h is something else: questions to a process's library.)
#ifndef ORRERY_MONITORS_H
#define ORRERY_MONITORS_H

#include <orrery/ipc.h>
#include <orrery/types.h>

#define SYS_MONITOR_BYTES_MIN 0x1000UL // a CPU
#define SYS_MONITOR_BYTES_MAX 0x100000UL

#define SYS_MONITORS 64                // that exist at once,
#define SYS_MONITORS_RESERVED 16       // … of which for processes that have a right
#define SYS_MONITORS_PROCESS 8         // that a process without RIGHT_MONITOR has created
#define SYS_MONITORS_THREAD 8          // that track one thread,
#define SYS_MONITORS_THREAD_RESERVED 2 // … of which for callers that have RIGHT_MONITOR

// Events of a thread. sys_monitor_track takes a bit for each, 1 << kind. Words and reasons that are
// not described are 0.
enum sys_monitor_kind {
    // The thread gets or loses its CPU. Word 0: enum sys_monitor_switch. Word 1: enum
    // sys_monitor_writer.
    SYS_MONITOR_SWITCH = 0,
    // The thread becomes ready, for that reason. Word 0: how many ticks ago. It is not 0 for a
    // kernel thread woken by another CPU, whose record is written when it runs, and for a new
    // dispatcher.
    SYS_MONITOR_WAKE = 1,
    // A page fault begins, of the thread's code or of the kernel on its behalf. Word 0: address.
    // Word 1: the access, one of PROT_R, PROT_W, PROT_X (orrery/memory.h).
    SYS_MONITOR_FAULT = 2,
    // A system call ends. Word 0: number. Word 1: result. There is no record for calls between
    // processes, and for calls that do not return: the end of a process, and a SYS_WAIT that slept.
    SYS_MONITOR_SYSCALL = 3,
    // A request to the disk begins or ends. Word 0: SYS_MONITOR_BLOCK_... Word 1: bytes, or the
    // error of a request that failed.
    SYS_MONITOR_BLOCK = 4,
    // A call to or from another process. Word 0: enum sys_monitor_call. Word 1: the call's id,
    // which is the same in the records of both sides and in the trace.
    SYS_MONITOR_CALL = 5,
    // The process tells this itself (sys_monitor_tell), so it is as true as the process. Its
    // library switches to or from one of its threads. Word 0: SYS_MONITOR_THREAD_WORD. Word 1: the
    // start of the thread's name.
    SYS_MONITOR_THREAD = 6,
    // A sensor of the process (user/sensor.h). Reason: the sensor's number. Words: the sensor's
    // own.
    SYS_MONITOR_SENSOR = 7,
};
#define SYS_MONITOR_KINDS_MAX 8 // all kinds are less; these exist:
#define SYS_MONITOR_KINDS_MASK 0xffUL
#define SYS_MONITOR_KIND_NAMES                                                                     \
    {                                                                                              \
        "switch", "wake", "fault", "syscall", "block", "call", "thread", "sensor"                  \
    }
#define SYS_MONITOR_LIBRARY (1u << SYS_MONITOR_THREAD | 1u << SYS_MONITOR_SENSOR)
// Word 0 for a library's thread: its number above enum sys_monitor_switch.
#define SYS_MONITOR_THREAD_WORD(number, what) ((u64)(number) << 32 | (what))

enum sys_monitor_call {
    SYS_MONITOR_CALL_MADE,     // the client's record
    SYS_MONITOR_CALL_SERVED,   // the server's: it has taken the call
    SYS_MONITOR_CALL_ANSWERED, // the server's: it has answered
};

enum sys_monitor_switch {
    SYS_MONITOR_LEAVES, // another thread runs now, for this reason
    SYS_MONITOR_COMES,  // it runs from now on
    SYS_MONITOR_STAYS,  // it could have left for this reason, but the scheduler chose it again
};

// The code that wrote the record of a switch. Its cost depends on it (struct sys_monitor_stat).
enum sys_monitor_writer {
    SYS_MONITOR_SCHEDULER,
    SYS_MONITOR_FAST_PATH, // of calls
};

#define SYS_MONITOR_BLOCK_ENDS 1  // else it begins
#define SYS_MONITOR_BLOCK_WRITE 2 // else it reads, or flushes:
#define SYS_MONITOR_BLOCK_FLUSH 4 // the disk writes what it has taken

struct sys_monitor_record {
    u64 time;    // time base; never less than that of the record before
    u32 id;      // as given to sys_monitor_track
    u8 kind;     // enum sys_monitor_kind
    u8 reason;   // of trace/reasons.h; of a sensor its number
    u16 lost;    // records of this CPU that were lost just before; 65,535: that many or more
    u64 word[2]; // by the kind
};
_Static_assert(sizeof(struct sys_monitor_record) == 32, "ABI");

// The state of a ring now: fired = read + unread + lost.
struct sys_monitor_stat {
    u32 running; // it was resumed
    u32 cpu;
    u64 bytes; // of its ring
    u64 fired;
    u64 lost; // the ring was full
    u64 unread;
    u64 cost;      // ticks that 64 records take, measured when it was created
    u64 cost_fast; // the same, written by the fast path of calls
};
_Static_assert(sizeof(struct sys_monitor_stat) == 56, "ABI");

// The layout that sys_monitor_map shows: a page with one of these for each CPU, then the rings of
// the CPUs, one behind the other. Records `taken` … `written` - 1 are valid; record n is at n %
// (bytes / 32). Readers load `written`, execute a barrier, then load the records.
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
// thread 0: all dispatchers of the process. A process finds the number of its own dispatcher in the
// dispatcher's page (orrery/user.h; user_page(cpu)->thread).
s64 sys_monitor_track(cap_t monitor, cap_t process, u32 thread, u32 id, u64 kinds);
s64 sys_monitor_track_pid(cap_t monitor, u32 pid, u32 thread, u32 id, u64 kinds);
s64 sys_monitor_untrack(cap_t monitor, u32 pid, u32 thread);
s64 sys_monitor_terminate(cap_t monitor);
s64 sys_monitor_tell(u32 kind, u32 reason, u64 word0, u64 word1);

#endif
