// SPDX-License-Identifier: MIT
// The made-up machine: what the sys_ calls tell the server.
#ifndef TESTS_DCI_MACHINE_H
#define TESTS_DCI_MACHINE_H

#include <orrery/place.h>
#include <orrery/pmu.h>
#include <orrery/process.h>
#include <orrery/sys.h>

#define MACHINE_CPUS 2
#define PACKET_BYTES 65536
#define MACHINE_PROCESSES 8
#define MACHINE_PROGRAMS 64
#define MACHINE_MONITORS 100

struct machine_process {
    u32 pid; // 0: there is none
    u32 objects, classes;
    bool stuck; // answers nothing
    bool mute;  // has no library
    s32 dref;   // switched on so many times
    u64 mask;
    u32 mode;
    u32 packets[MACHINE_CPUS]; // complete ones
    bool begun[MACHINE_CPUS];
    bool logs_answers; // an answer logs events, in a packet that it begins
    u32 packets_read[MACHINE_CPUS];
    u32 cpu; // where it was moved to
    bool excluded, left_out;
    s32 status;  // when killed
    u32 logging; // enum sys_blocked_logging
    u64 logged_object;
    u32 records;   // of sleep locks, to be read
    bool nonsense; // it answers that instead
    // What it answers instead of what it should: status, with results and what is in the buffer of
    // INSPECT_BYTES. NULL: as it should.
    s64 (*lie)(struct machine_process *process, struct sys_inspect_request *request, void *buffer);
    u32 questions; // it was asked
    struct {
        u64 number; // 0: none
        u64 deadline;
        u32 left; // looks before its answer is there
        bool answered;
        struct sys_inspect_answer answer;
    } open;
};

struct machine_monitor {
    bool used, running;
    u64 bytes;
    u32 tracked; // calls that succeeded, less those that ended it
    u64 fired[MACHINE_CPUS], lost[MACHINE_CPUS], read[MACHINE_CPUS];
};

// A program that a client runs: what the test makes it do.
struct program {
    bool used, running, input_ended;
    u32 uploaded;
    u32 arguments;
    u64 stack_bytes;
    char path[64], last_argument[256];
    char output[65536]; // to be read
    u32 output_bytes;
    char input[64]; // taken, as long as there is room
    u32 input_bytes;
    bool ended;
    s32 status;
};

extern struct machine {
    u64 time; // one tick a microsecond
    u32 objects, classes, events;
    int dref_users;
    struct sys_swap swapped; // the last one asked for
    struct sys_placement placed;
    bool memory_short;
    u32 packets_short; // times that there will be no memory for a packet
    bool powered_off;

    s64 session; // last session given
    bool sampling;
    struct sys_sampling asked;
    bool sample_pids;   // pids of samples go round 0 to 3, else 0
    u32 sample_sites;   // objects in which samples are, of all kinds and in turns; 0: none
    u32 sample_stacks;  // addresses of each site, and callers; 0: one
    u64 sampled_period; // of the last change
    const char *sampling_refused; // why; NULL: it is not
    bool sampling_fails;          // to begin, which was not to be foreseen
    // of its first event; of each other one as many as a CPU's number, once
    u64 samples[MACHINE_CPUS], samples_read[MACHINE_CPUS], samples_lost[MACHINE_CPUS];
    bool others_read[MACHINE_CPUS][SYS_SAMPLING_EVENTS];

    struct {
        u64 running; // bit n: session n
        s64 session; // last one given
        struct sys_pmu_counting asked;
        u64 traced; // majors
        u32 events; // that there are
        bool busy;  // others are in the way
        bool alone; // sessions need all counters
        u32 tasks;  // on each CPU
    } counting;

    u64 mask, process_mask;
    bool dref_processes;
    u32 modes_set;
    bool taken, taken_by_program; // the packets, for itself
    u32 self;                     // the server's pid
    u32 packets[MACHINE_CPUS];    // complete ones
    bool begun[MACHINE_CPUS];     // and one more if flushed
    u32 packets_read[MACHINE_CPUS];

    struct machine_process processes[MACHINE_PROCESSES]; // by rising pid
    u32 patience;                                        // looks before an answer is there
    struct program programs[MACHINE_PROGRAMS];
    u32 programs_open;
    bool no_programs;

    struct machine_monitor monitors[MACHINE_MONITORS]; // their capabilities are 100, 101, …
    u32 capabilities;                                  // for them, not dropped
    u32 monitors_max;                                  // that there may be; 0: all

    char console[512];
    char printed[4096]; // the system's console, from its byte number printed_from
    u64 printed_from;
    bool output_awaited, output_unheard; // the server is to be told of more; it cannot be
    u64 awaited_from;
    u32 output_reads; // looks of the server
    char typed[64];
} machine;

struct machine_process *machine_process(u32 pid); // NULL when there is none
bool machine_is_asked(void);                      // a question is open

// Supplied by the harness: ends the server's last round.
void machine_stopped(void) __attribute__((noreturn));

// What the machine counts: of its item, on a CPU.
struct sys_pmu_count machine_count(u32 cpu, u32 item);
// Its task numbered n, of one item.
struct sys_pmu_count machine_task_count(u32 cpu, u32 n, u32 item);
#define MACHINE_CONFLICT 31 // an event that fits no counter

// First word of the packet numbered n of a cpu; the rest of it are bytes of value n.
u64 machine_packet_word(u32 cpu, u32 n);

// Blocks of queues, spare ones included, and questions that are allocated.
u32 machine_blocks(void);
u32 machine_questions(void);

#endif
