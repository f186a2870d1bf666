// SPDX-License-Identifier: MIT
// System calls about the system, its objects, sampling, trace, the network device and workloads.
// Every call takes plain values and flat structs. Every struct is big-endian in memory, without
// implicit padding. In the kernel: thread context, no lock held. Results: 0 or a count, or a
// negative error (orrery/errors.h).
#ifndef ORRERY_SYS_H
#define ORRERY_SYS_H

#include <orrery/pmu.h>
#include <orrery/types.h>

// ---- system ------------------------------------------------------------------------------------

#define SYS_BUILD_ID_SIZE 20

struct sys_info {
    u32 cpu_count;
    u32 lockups; // CPUs that were reported because they hung
    u64 timebase_hz;
    u64 boot_timebase; // time base at kernel entry
    u64 memory_bytes, free_bytes;
    u64 date;                       // at time base 0: nanoseconds since 1970 (UTC); 0: no clock
    u8 build_id[SYS_BUILD_ID_SIZE]; // of the kernel ELF
    char version[44];
};
s64 sys_info(struct sys_info *info);

u64 sys_time(void); // time base ticks
// Powers the machine off; the emulator exits with a failure unless status is 0.
void sys_power_off(int status) __attribute__((noreturn));
// Copies the value of a word NAME=VALUE of the boot line into buffer, NUL-terminated; "" for a word
// without a value. Words for programs follow the word `--`. E_NOENT: not given. E_INVAL: bytes is
// too small. E_PERM: a token ("observer", "controller") without RIGHT_MONITOR.
s64 sys_option(const char *name, char *buffer, u64 bytes);
// Writes to the console, at most 512 bytes at a time.
s64 sys_console_write(const char *bytes, u64 count);
// Takes at most bytes (<= 512) typed bytes from the console. Returns how many, 0 if there are none.
s64 sys_console_read(char *buffer, u64 bytes);
// Sends EVENT_KICK to the calling dispatcher whenever something is typed (typed_bits) or Ctrl-C is
// (both bits; the input before it has been dropped). 0, 0 ends it. Only the dispatcher that asked
// last gets it. Before it waits, a caller must read once more: input may have come earlier.
s64 sys_console_kick(u64 typed_bits, u64 interrupt_bits);
// Copies the console's output from *position on, counted from the boot. Moves *position to the
// first byte that is still kept (the last 64 KB), or to the end. Returns bytes written, 0 when
// there is nothing more now.
s64 sys_console_output(u64 *position, void *buffer, u64 bytes);
// Requests one EVENT_KICK with these bits (0: none) for the calling dispatcher, within a moment
// after the next output. Replaces the process's earlier request. Returns 1 if there is output
// beyond position already, which a kick may not tell, or 0. E_LIMIT: too many processes ask.
s64 sys_console_await(u64 position, u64 bits);
// Puts bytes into the console as if typed. Returns how many (<= 512) there was room for.
s64 sys_console_type(const char *bytes, u64 count);

// ---- objects -----------------------------------------------------------------------------------

// Starts or continues a scan of all live objects. *cursor is 0 to start and is advanced. Writes
// whole records only. Returns bytes written, 0 at the end. E_INVAL: bytes cannot hold one record.
struct sys_object {
    u32 record_bytes; // of this record with its children, a multiple of 8
    u32 class_id;
    coid_t coid;
    u32 misses;      // of all CPUs
    u32 rep_count;   // representatives that exist now
    u32 child_count; // children that follow
    u32 swaps;       // how often its implementation was swapped
    coid_t children[];
};
s64 sys_object_scan(u64 *cursor, void *buffer, u64 bytes);

#define SYS_CLASS_SWAPS 4
struct sys_class {
    u32 class_id;
    u32 size;                   // of root and one rep, bytes
    u32 distributed;            // 1: a rep a CPU, 0: one shared
    u32 live;                   // instances now
    u16 swaps[SYS_CLASS_SWAPS]; // classes that its objects can become; 0: no more
    char name[40];
    char implementation[40];
};
// Gets the class with index 0…; E_NOENT past the last.
s64 sys_class_get(u32 index, struct sys_class *class_info);

struct sys_swap {
    coid_t coid;             // of an object of the kernel
    u64 microseconds;        // after which it is called off, at most 1 s; 0: 100 ms
    char implementation[40]; // that it is to have
};
// Makes a live object one of another implementation of its class, while it is used
// (docs/hot-swap.md). Returns 0; or an error, the reason in message, and nothing has changed.
// E_INVAL, E_STALE, E_NOTSUP, E_NOENT, E_EXIST, E_BUSY, E_NOMEM; E_TIMEOUT: called off.
s64 sys_object_swap(const struct sys_swap *swap, char *message, u64 bytes);

// Switches DREF counting on or off; uses nest. Counts continue and are never reset, so several
// readers can each take differences.
s64 sys_dref_enable(bool on);
// Sets if processes count DREFs from their start. INSPECT_DREF_ENABLE tells running ones.
s64 sys_dref_set_processes(bool on);
s64 sys_dref_processes(void); // 1 or 0; any process may ask
struct sys_dref_count {
    coid_t coid;
    u32 cpu;
    u32 reserved;
    u64 invocations;
    u64 misses;
};
// Reads all non-zero counts of live objects, like sys_object_scan. Returns bytes written, 0 at the
// end.
s64 sys_dref_read(u64 *cursor, void *buffer, u64 bytes);

// ---- sampling ----------------------------------------------------------------------------------

enum sys_sampling_event {
    SYS_PMU_CYCLES = 1, // of the CPU itself: the POWER PMU
    // Where there is the model unit, also SYS_PMU_MODEL + any of its events (orrery/pmu_model.h).
    SYS_PMU_MODEL = 16,
};

#define SYS_SAMPLING_EVENTS 16
// flags: the unit writes records itself instead of raising interrupts. A sample then names exactly
// the instruction that made the counter overflow, and costs the guest nothing. Only for events of
// the model unit (else E_NOTSUP).
#define SYS_SAMPLING_PRECISE 1u
// The session's events take turns with other sessions' even where they fit the counters at once. So
// the session keeps no counter that somebody else needs.
#define SYS_SAMPLING_TURNS 2u

#define SYS_PERIOD_MIN 1000
#define SYS_PRECISE_PERIOD_MIN 16
#define SYS_PERIOD_MAX 0x7fffffff
#define SYS_RANDOMISE_MAX 16
#define SYS_CALLERS_MAX 16

struct sys_sampled_event {
    u32 event; // enum sys_sampling_event
    // SYS_PMU_KERNEL, SYS_PMU_USER (orrery/pmu.h) or both; SYS_PMU_CYCLES: both (else E_NOTSUP)
    u32 filter;
    // events a sample, SYS_PERIOD_MIN (precise: SYS_PRECISE_PERIOD_MIN) … SYS_PERIOD_MAX
    u64 period;
    u32 randomise; // low bits of the period to randomise, 0…SYS_RANDOMISE_MAX, 2^randomise < period
    u32 reserved; // 0
};

struct sys_sampling {
    // frames of call chain to record, 0…SYS_CALLERS_MAX; precise records hold at most 7 of them
    u32 callers;
    u32 cpu_mask;    // CPUs to sample, 0 = all
    u32 event_count; // 1…SYS_SAMPLING_EVENTS; no event twice with the same filter
    u32 flags;       // SYS_SAMPLING_…
    struct sys_sampled_event events[SYS_SAMPLING_EVENTS];
};

// Starts sampling of all of these events, one session at a time: at once if they fit the counters,
// else in turns of a million instructions. Returns a session number > 0. On an error nothing has
// changed, and message (NUL-terminated, cut to bytes; 0: none; empty where the error says all) says
// why:
// E_INVAL   a number is out of its range
// E_NOTSUP  no unit of this machine samples an event, or not so, or its interrupts do not arrive
// E_LIMIT   an event cannot take turns: it needs the counter that instructions are counted by
// E_BUSY    somebody else samples or reads samples, or others' counting is in the way: the message
//           names the events
// E_NOMEM, E_TIMEOUT (the unit does not follow)
s64 sys_sampling_start(const struct sys_sampling *sampling, char *message, u64 bytes);
// Changes the period of events[index] of the running session, on all of its CPUs at once. Samples
// and counts stay; the current period is given up. E_STALE: not the running session. E_INVAL: no
// such event, or a number out of its range. E_BUSY, E_TIMEOUT.
s64 sys_sampling_change(s64 session, u32 index, u64 period, u32 randomise);
s64 sys_sampling_stop(s64 session); // buffers stay readable until the next start

// A sample's coid names a kernel object when SYS_SAMPLE_KERNEL is set, else an object of process
// pid. SYS_SAMPLE_ATTRIBUTED of a kernel object: it was live and owned the rep when the sample was
// read. Of a process's object: the rep named it when the sample was taken (a scan tells if it is
// live).
#define SYS_SAMPLE_KERNEL 1u      // interrupted kernel code
#define SYS_SAMPLE_SOFT_MASKED 2u // interrupted a soft-masked section
#define SYS_SAMPLE_IDLE 4u        // interrupted the idle loop
#define SYS_SAMPLE_ATTRIBUTED 8u  // coid is known
#define SYS_SAMPLE_STALE 16u      // a rep was found, but its object is gone
// Where events take turns: the low bits of the number of the event's turn on its CPU.
#define SYS_SAMPLE_TURN_OF(flags) ((flags) >> 8 & 0xffu)

// The kernel's buffers hold the same record. In them cpu and event are set, and coid is looked up
// when the sample is read (pmu/sample_buffer.h).
struct sys_sample {
    u64 time;    // time base; a precise sample's: when it was taken out of the unit's ring
    coid_t coid; // 0: none found
    u64 pc;
    u32 pid; // process at work, also in kernel code on its behalf; 0: none
    // id; 0 in precise samples of kernel threads, and of processes that have since ended
    u32 thread;
    u16 flags;
    u16 caller_count;
    u16 cpu;
    u16 event;     // enum sys_sampling_event
    u64 callers[]; // return addresses, innermost first
};

// Returns the distance from a sample to the next.
static inline u64 sys_sample_bytes(const struct sys_sample *sample)
{
    return sizeof(*sample) + sample->caller_count * sizeof(u64);
}

// Takes samples of events[index] out of the event's own buffer on cpu. Returns bytes written, 0
// when it is empty. E_INVAL: no such session, CPU or event, or not even one sample fits. E_BUSY:
// somebody else reads that CPU's samples.
s64 sys_sampling_read(s64 session, u32 cpu, u32 index, void *buffer, u64 bytes);

struct sys_sampling_stat {
    u64 taken,
        // exact; taken = stored, readable or read. Precise: exact once the session has been stopped
        lost;
    // periods without a sample of their own because the interrupt came too late (emulators)
    u64 missed;
    u64 attributed, unattributed, stale, idle; // of those read
    u64 buffer_bytes, buffer_grown;            // now, and how many 4 KB steps it has grown
    u64 ticks_in_handler;                      // time base
    // as the unit has counted them: taken + lost + missed, once the session has been stopped; 0:
    u64 overflows;
    // the unit does not count them (SYS_PMU_CYCLES)
    // Where events take turns: instructions while this one was sampled, in how many turns, and
    // instructions in all. Only turns that have ended count. total 0: it is sampled all of the
    // time.
    u64 measured, total, turns;
};
// Gets the statistics of events[index] on one CPU. E_INVAL.
s64 sys_sampling_stat(s64 session, u32 cpu, u32 index, struct sys_sampling_stat *stat);

#define SYS_OVERFLOW_PROCESSES 32
// A flag of struct overflow_record: the counter overflowed in the kernel, whose addresses the
// process may not see. pc is where the process entered the kernel: its own `sc`, or what was
// interrupted. coid and caller are 0.
#define SYS_OVERFLOW_HIDDEN 32u
// Tells process pid (0: the caller) from now on of the overflows of the running session that hit
// it, also while the kernel works on its behalf, or no more. EVENT_OVERFLOW (orrery/user.h) comes
// before the process's next instruction, unless its dispatcher is disabled. A dispatcher is told of
// one overflow at a time. Others that come before it is enabled again are lost. The page has exact
// counts: all that hit the dispatcher = told + lost, and 1 while one is still to be told. Samples
// are taken as ever. Ends with the session and with the process.
// E_PERM: neither RIGHT_MONITOR nor the caller's own session and process. E_STALE: the session does
// not run. E_NOENT: no such process, or it is ending. E_NOTSUP: a precise session. E_LIMIT:
// SYS_OVERFLOW_PROCESSES are told. E_BUSY: somebody changes the session.
s64 sys_overflow_notify(s64 session, u32 pid, bool on);

// ---- trace -------------------------------------------------------------------------------------
// In a kernel that was built without a trace all these calls say E_NOTSUP, also in place of a mask.

enum sys_trace_mode { SYS_TRACE_OVERWRITE = 1, SYS_TRACE_DISCARD = 2 };

u64 sys_trace_mask(void); // the kernel's
// Enables exactly the majors of the mask (bit n: major n). E_INVAL: a bit is no major's.
s64 sys_trace_set_mask(u64 mask);
// Switches the mode, empties the buffers and zeroes the counts.
s64 sys_trace_set_mode(enum sys_trace_mode mode);

struct sys_trace_stat {
    u64 events;      // logged since set_mode, this CPU: kept + read + overwritten
    u64 discarded;   // discard mode: not logged, buffer full
    u64 overwritten; // overwrite mode: logged, then lost unread
    u64 packets;     // sub-buffers begun
    u64 subbuffers, subbuffer_bytes;
    u32 mode;
    u32 unread; // events kept in the buffer
};
s64 sys_trace_stat(u32 cpu, struct sys_trace_stat *stat);
// Logs the present processes, threads, dispatchers and objects (trace/events/state.def) if that
// major is enabled. Events that do not fit into the buffers are lost and counted like any others.
s64 sys_trace_state(void);
// Logs the calls without an answer and who waits for whom (the same file). sys_trace_state does so,
// too. E_NOMEM.
s64 sys_trace_waits(void);
// Copies cpu's oldest unread complete packet (a CTF packet of at most subbuffer_bytes, which ends
// with its content) and consumes it. With flush, if there is no complete one, closes the current
// one if it holds any event. Returns its bytes, 0 when there is none. E_INVAL: bytes <
// subbuffer_bytes. E_NOMEM: no memory for a fresh sub-buffer in its place; nothing is consumed
// then.
s64 sys_trace_read(u32 cpu, bool flush, void *buffer, u64 bytes);
// Reserves packets and mode for the caller until it passes false or ends: other processes get
// E_BUSY. Repeating it has no effect. E_BUSY: another process has them. If the caller ends without
// passing false, the kernel's mask, its mode, and the mask that processes start with get what they
// were when it reserved them.
s64 sys_trace_take(bool on);
// Leaves out of the kernel's trace what CPUs log while they run for a process, or no more. Kept all
// the same: SCHED, IPC, STATE, PROGRAM and TRACE. STATE tells it. Ends when the caller, who must
// have reserved the packets, gives them back or ends. E_PERM: it has not. E_NOENT. E_LIMIT: 16
// processes are left out. E_INVAL: pid 0.
s64 sys_trace_leave_out(u32 pid, bool left_out);
// Packets of processes. Those of live processes come out of their own buffers, through their
// libraries (1 s limit, E_TIMEOUT). Those of ended processes are kept by the kernel, up to 8 MB;
// the oldest go first. Every packet returned has been checked: it is well-formed whatever the
// process did. Streams of processes have class 1, with pid and cpu_id in the packet context, and
// one file for each pid and CPU.
struct sys_trace_process {
    u32 pid;
    u32 cpu_mask;     // CPUs with a buffer (live) or with packets kept (ended)
    u32 live;         // 1: runs, 0: has ended
    u32 packets;      // kept by the kernel, unread
    u64 lost_packets; // of the kept ones, dropped for newer ones
    u32 full_mask;    // of cpu_mask: CPUs of which a read without flush has something, but for what
                      // the process took out of a buffer for a reader who gave up
    u32 reserved;     // 0
    char name[32];
};
// Sets the majors that processes enable when they start; INSPECT_TRACE_MASK tells running ones. It
// is 0 at boot, because a process that logs costs memory of its own. E_INVAL.
s64 sys_trace_set_process_mask(u64 mask);
s64 sys_trace_process_mask(void); // any process may ask
// Lists processes that have, or may have, packets, as whole records. *cursor is 0 to start. Returns
// bytes written, 0 at the end.
s64 sys_trace_process_list(u64 *cursor, void *buffer, u64 bytes);
// Reads a packet of a process's stream, like sys_trace_read. E_NOENT: no such process, live or
// kept.
s64 sys_trace_read_process(u32 pid, u32 cpu, bool flush, void *buffer, u64 bytes);
// Copies CTF metadata text from offset. Returns bytes copied, 0 at the end.
s64 sys_trace_metadata(u64 offset, char *buffer, u64 bytes);

struct sys_trace_event {
    u16 major, minor;
    u32 field_count;
    char name[40];
    char group[16];   // the major's name
    char format[136]; // printf-like, one conversion a field
};
s64 sys_trace_event_get(u32 index, struct sys_trace_event *event); // E_NOENT past the last

// Describes a program's own event, of major PROGRAM, like a line of its .def (docs/trace.md). Names
// consist of a-z, 0-9 and _ and begin with a letter. NULs fill every text up to its end.
#define SYS_TRACE_FIELDS 8
#define SYS_TRACE_FIELD_NAME 24
#define SYS_TRACE_DESCRIBE_MAX 64 // a call, and new ones in a process's life
struct sys_trace_description {
    char provider[16]; // its group; no major's name
    char name[32];
    // One of %lu %ld %lx %#lx a field, %s for a text. Printable ASCII, no quotes or backslashes.
    char format[136];
    u32 field_count;
    u8 types[SYS_TRACE_FIELDS]; // enum trace_field_type
    char fields[SYS_TRACE_FIELDS][SYS_TRACE_FIELD_NAME];
};
// Describes events of one provider. Returns the first of their consecutive minors. The same list
// has the same minors, whoever gives it. E_INVAL: bad bytes or a bad description. E_LIMIT: the
// process, or all of them together, have described too many.
s64 sys_trace_describe(const struct sys_trace_description *list, u64 bytes);

// ---- network device ----------------------------------------------------------------------------

#define SYS_NET_BATCH 16        // frames a call takes at most
#define SYS_NET_ROOM_BYTES 1536 // room for one

// Opens the one Ethernet interface. The process owns it until it ends: others get E_BUSY here and
// E_PERM in the other calls. E_NOENT: the machine has none. The owner may make one call at a time
// (E_BUSY).
s64 sys_net_open(u8 mac[6]);
// Sends the frame at an address of the caller's. Returns bytes, or E_IO, E_INVAL or E_FAULT.
s64 sys_net_send(u64 frame, u64 bytes);

struct sys_net_frames {
    u64 addresses[SYS_NET_BATCH]; // in: rooms of SYS_NET_ROOM_BYTES each, of the caller's
    u32 bytes[SYS_NET_BATCH];     // out: sizes of the frames
};
// Takes at most count (1 … SYS_NET_BATCH) of the oldest received frames. Returns how many, 0 if
// there are none. E_INVAL. E_FAULT: the first address is not writable, and the frame for it is
// lost. A bad later address ends the batch.
s64 sys_net_receive(struct sys_net_frames *frames, u64 count);
// Sends EVENT_KICK with these bits to the calling dispatcher when frames arrive; 0 ends it. Before
// it sleeps, a caller must look once more: frames may have come earlier.
s64 sys_net_kick(u64 bits);
struct sys_net_stat {
    u64 received_frames, received_bytes, sent_frames, sent_bytes;
    u64 receive_dropped, send_errors, interrupts;
};
s64 sys_net_stat(struct sys_net_stat *stat);

// ---- block device ------------------------------------------------------------------------------

// The one disk. RIGHT_BLOCK. Offsets and sizes are multiples of BLOCK_SECTOR, inside the device,
// and a transfer has at most BLOCK_TRANSFER_MAX, else E_INVAL. E_NOENT: the machine has none. E_IO,
// E_TIMEOUT. One transfer runs at a time: others wait.
#define BLOCK_SECTOR 512
#define BLOCK_TRANSFER_MAX 65536
struct sys_block_info {
    u64 bytes;
    u32 read_only; // 1: a write returns E_PERM
    u32 reserved;
};
s64 sys_block_info(struct sys_block_info *info);
s64 sys_block_read(u64 offset, void *buffer, u64 bytes);        // bytes
s64 sys_block_write(u64 offset, const void *buffer, u64 bytes); // bytes
s64 sys_block_flush(void); // 0: all that was written outlives the machine

// ---- workloads ---------------------------------------------------------------------------------

// Named in-guest programs for demonstration and validation (tests/guest).
struct sys_workload {
    char name[24];
    char help[168]; // parameters with defaults and ranges
};
s64 sys_workload_get(u32 index, struct sys_workload *workload); // E_NOENT past the last
// Starts "NAME[:key=value[,key=value…]]". Returns an id > 0. E_NOENT: no such name. E_INVAL: a bad
// parameter; message (NUL-terminated) says which. E_BUSY: it runs already.
s64 sys_workload_start(const char *command, char *message, u64 bytes);
s64 sys_workload_stop(s64 id); // asks it to end; poll the status until it has
struct sys_workload_status {
    u32 running;
    s32 result;        // 0 or error, valid when ended
    char report[2048]; // lines "key value\n", complete when ended
};
s64 sys_workload_status(s64 id, struct sys_workload_status *status);
// The last run of a workload, whoever started it.
struct sys_workload_run {
    s64 id;           // 0: there was none, or one is starting at this moment
    u64 began, ended; // time base; ended is 0 while it runs
    u32 running;
    s32 result;        // 0 or error, valid when ended
    char command[256]; // NAME[:key=value…], cut to fit
};
// By the index of sys_workload_get. E_NOENT past the last.
s64 sys_workload_run_get(u32 index, struct sys_workload_run *run);

// ---- memory that fails, for tests --------------------------------------------------------------

#define SYS_MEMORY_ALL UINT32_MAX
// Counts allocations from now on, and lets the nth fail, as if memory was out; 0: none. The
// kernel's (page frames, tables, objects of its heap) count while it runs for this process, and
// those of the process's malloc and user_alloc. pid 0: of the kernel's own threads and interrupts;
// SYS_MEMORY_ALL: all. on false: no more; the counts stay. It ends with the caller, too. E_BUSY:
// another process has switched it on, or the boot line. E_NOENT: it is off.
s64 sys_memory_fail(bool on, u64 nth, u32 pid);

struct sys_memory_use {
    u64 pages;                 // allocated, but for those of the heap
    u64 objects, object_bytes; // of the kernel's heap; exact while nobody else allocates
    u64 count, failed;         // since allocations were counted: how many, and how many failed
    u64 sites;                 // of them
    s64 heap_objects;          // of malloc and user_alloc: taken, less those freed
};
s64 sys_memory_use(struct sys_memory_use *use);

#define SYS_MEMORY_CALLERS 6
struct sys_memory_callers {
    u64 callers[SYS_MEMORY_CALLERS]; // return addresses, innermost first; 0: no more
};
// The process's own heap tells what it takes (then: returns whether it must fail, 1) or frees,
// while the dispatcher's page has heap_counted. callers is believed: tests trust both.
s64 sys_memory_heap(bool taken, const struct sys_memory_callers *callers);

struct sys_memory_site {
    u64 callers[SYS_MEMORY_CALLERS]; // return addresses behind the allocation's, innermost first
    u64 count, first;                // allocations here, and the number of the first
    u64 failed;
};
s64 sys_memory_site_get(u32 index, struct sys_memory_site *site); // E_NOENT past the last

#endif
