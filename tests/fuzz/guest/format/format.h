// SPDX-License-Identifier: MIT
// What supervisor, target and host (host/guest.py) share: programs, which are sequences of calls,
// and the pages that they lie in. Every page begins with a head, by which the host finds it in the
// file that is the machine's memory, even after a panic. All numbers are big endian, nothing is
// padded.
#ifndef FUZZ_FORMAT_H
#define FUZZ_FORMAT_H

#include <orrery/types.h>

#define FUZZ_PAGE 4096

enum fuzz_page {
    FUZZ_PAGE_STATE = 1, // of a slot: struct fuzz_state, then counts
    FUZZ_PAGE_PROGRAM,   // of a slot's program
    FUZZ_PAGE_CORPUS,    // of a program that has reached new code
    // counts of all processes that have ended; the supervisor's struct summary in the first
    FUZZ_PAGE_TOTALS,
};

#define FUZZ_MAGIC 0x4f5246555a5a3031UL // "ORFUZZ01"
struct fuzz_head {
    u64 magic;
    u32 kind;   // enum fuzz_page
    u32 owner;  // slot, or index in the corpus
    u32 index;  // program of the slot
    u32 part;   // which page of the thing
    u64 number; // of programs: counts those that were ever made; of a slot's state: of processes
};
_Static_assert(sizeof(struct fuzz_head) == 32, "shared with the host");

// ---- values ------------------------------------------------------------------------------------

// How a value comes about when its call is made. Text forms: host/text.py.
enum fuzz_mode {
    FUZZ_LITERAL, // literal
    FUZZ_RESULT,  // what step `literal` returned, and delta
    // the literal-th youngest of what calls have given of a kind (which: enum fuzz_pool), and delta
    FUZZ_POOL,
    FUZZ_PLACE, // an address (which: enum fuzz_place), and delta
    FUZZ_PID,   // which: enum fuzz_pid, literal: the how-maniest
    FUZZ_CPU,   // which: enum fuzz_cpu
    FUZZ_TIME,  // the time base now, and delta microseconds
    FUZZ_EVENT, // of the last event (which: 0 type, 1 id, 2 badge, 3 info, 4 … words), and delta
    FUZZ_TEXT,  // a text by its index (literal)
    // memory with contents; which: enum fuzz_placement; literal: what is in it; delta: bytes, 0: as
    // the call says
    FUZZ_DATA,
    FUZZ_MODES,
};

enum fuzz_placement {
    FUZZ_NORMAL,
    FUZZ_UNALIGNED,
    FUZZ_EDGE,     // ends where nothing is mapped
    FUZZ_CROSSING, // half of it is not mapped
    FUZZ_CROSSING_READ_ONLY,
    FUZZ_READ_ONLY,
    FUZZ_EXECUTABLE, // the program's text
    FUZZ_MESSAGE,    // the dispatcher's message buffer
    FUZZ_HOLE,       // nothing is mapped
    FUZZ_PLACEMENTS,
};

struct fuzz_value {
    u8 mode, which;
    u16 reserved;
    s32 delta;
    u64 literal;
};
_Static_assert(sizeof(struct fuzz_value) == 16, "shared with the host");

// ---- programs ----------------------------------------------------------------------------------

#define FUZZ_ARGUMENTS 10
#define FUZZ_FIELDS 16 // of a struct behind a pointer
#define FUZZ_THREADS 8 // by CPU; thread 0 is that of the first dispatcher, wherever it is

#define FUZZ_ENABLED 1u // flags of a step: the dispatcher takes upcalls meanwhile
#define FUZZ_ETERNAL 2u // no time limit for what may block
#define FUZZ_HASTY 4u   // a method: does not wait for the answer

struct fuzz_step {
    u16 call; // index into fuzz_calls
    u8 thread;
    u8 flags;
    u32 reserved;
    struct fuzz_value arguments[FUZZ_ARGUMENTS];
    struct fuzz_value fields[FUZZ_FIELDS];
};
_Static_assert(sizeof(struct fuzz_step) == 424, "shared with the host");

#define FUZZ_STEPS_A_PAGE 9
#define FUZZ_PROGRAM_PAGES 4
#define FUZZ_STEPS (FUZZ_STEPS_A_PAGE * FUZZ_PROGRAM_PAGES)

#define FUZZ_ANSWERS 1u   // flags of a program: calls that arrive are answered
#define FUZZ_SUPPLIES 2u  // pages that a file is asked for are supplied
#define FUZZ_MONITORED 4u // the inspection's questions are answered, somehow

struct fuzz_program_page {
    struct fuzz_head head;
    // Of the first page:
    u32 steps; // of the program, 1 … FUZZ_STEPS
    u32 flags; // FUZZ_ANSWERS …
    // of the process that runs it: in a replay those that it gets, otherwise those that it was
    // found with
    u32 rights;
    u32 cpu;
    u32 group,
        // in a replay: the processes of a group run at the same time, one group after the other
        process;
    u64 gained; // instructions of the kernel that nobody had executed before
    u64 reserved[21];
    struct fuzz_step step[FUZZ_STEPS_A_PAGE];
};
_Static_assert(sizeof(struct fuzz_program_page) <= FUZZ_PAGE, "one page");

struct fuzz_program {
    union {
        struct fuzz_program_page page;
        u8 bytes[FUZZ_PAGE];
    } pages[FUZZ_PROGRAM_PAGES];
};
_Static_assert(sizeof(struct fuzz_program) == FUZZ_PROGRAM_PAGES * FUZZ_PAGE, "whole pages");

static inline struct fuzz_step *fuzz_step_of(struct fuzz_program *program, u32 index)
{
    return &program->pages[index / FUZZ_STEPS_A_PAGE].page.step[index % FUZZ_STEPS_A_PAGE];
}

static inline struct fuzz_program_page *fuzz_first(struct fuzz_program *program)
{
    return &program->pages[0].page;
}

// ---- counts ------------------------------------------------------------------------------------

#define FUZZ_CALLS_MAX 224
#define FUZZ_RESULTS 20 // success, each error of orrery/errors.h by its number, anything else
#define FUZZ_COUNTS_A_PAGE 25
#define FUZZ_COUNT_PAGES ((FUZZ_CALLS_MAX + FUZZ_COUNTS_A_PAGE - 1) / FUZZ_COUNTS_A_PAGE)

struct fuzz_count_page {
    struct fuzz_head head;
    u64 reserved[4];
    u64 counts[FUZZ_COUNTS_A_PAGE][FUZZ_RESULTS];
};
_Static_assert(sizeof(struct fuzz_count_page) <= FUZZ_PAGE, "one page");

union fuzz_counts {
    struct fuzz_count_page page;
    u8 bytes[FUZZ_PAGE];
};

static inline u64 *fuzz_count_of(union fuzz_counts *pages, u32 call, u32 result)
{
    return &pages[call / FUZZ_COUNTS_A_PAGE].page.counts[call % FUZZ_COUNTS_A_PAGE][result];
}

static inline u32 fuzz_result_class(s64 result)
{
    return result >= 0 ? 0 : result > -(FUZZ_RESULTS - 1) ? (u32)-result : FUZZ_RESULTS - 1;
}

// ---- a slot: what a process and the supervisor share -------------------------------------------

#define FUZZ_BATCH 32 // programs that a process runs, one after the other
#define FUZZ_PROTECTED 24

struct fuzz_state {
    struct fuzz_head head;
    // The supervisor, before the start:
    u32 programs, first;
    u32 supervisor, reserved;
    u64 image_offset;           // of the target's ELF file in its memory object
    u32 spared[FUZZ_PROTECTED]; // processes that must not be killed by right, 0: none
    u32 peers[8];               // other slots' processes
    // The process:
    u32 pid;
    u32 program;            // that runs now, by its index in the batch
    u32 step[FUZZ_THREADS]; // of each thread
    u32 gained[FUZZ_BATCH];
    u64 rights;
    // The supervisor again, for the host: with which program each process of this batch began.
    u32 processes, begun[FUZZ_BATCH];
    u32 cpu;
    u64 leak; // of the process: FUZZ_LEAK + the call that gave it memory which the kernel had freed
};
#define FUZZ_LEAK 0x4c45414b45440000UL
#define FUZZ_JUNK 0xddddddddddddddddUL // what the kernel fills freed memory with
_Static_assert(sizeof(struct fuzz_state) <= FUZZ_PAGE, "one page");

// By what the process judges whether a call would end the run (excluded() in target/main.c). Its
// programs write at random into all that it may write, so it may only read this.
struct fuzz_guard {
    u32 rights;
    u32 spared[FUZZ_PROTECTED + 1]; // the supervisor, too
};

struct fuzz_slot {
    union {
        struct fuzz_state state;
        u8 bytes[FUZZ_PAGE];
    } head;
    union fuzz_counts counts[FUZZ_COUNT_PAGES];
    union {
        struct fuzz_guard guard;
        u8 bytes[FUZZ_PAGE];
    } judge;
    struct fuzz_program programs[FUZZ_BATCH];
};

#define FUZZ_SLOT_WRITABLE offsetof(struct fuzz_slot, judge) // bytes that the process may write

// The page of the coverage plugin (tests/fuzz/plugin/map.h).
struct fuzz_coverage {
    u64 magic;
    u64 executed;
};

// ---- what a process is granted -----------------------------------------------------------------

enum fuzz_grant {
    FUZZ_GRANT_NAMES = 1, // CAP_NAMES
    FUZZ_GRANT_HUB,       // CAP_PARENT: takes a capability, gives another process's
    FUZZ_GRANT_FS,
    FUZZ_GRANT_NET,
    FUZZ_GRANT_PROC,
    FUZZ_GRANT_IMAGE,    // memory with the target's program
    FUZZ_GRANT_SLOT,     // struct fuzz_slot
    FUZZ_GRANT_COVERAGE, // struct fuzz_coverage
    FUZZ_GRANT_COMMON,   // memory that all share
    FUZZ_GRANT_PEER,     // another slot's process
    FUZZ_GRANT_SILENT,   // an endpoint of the supervisor that never answers
};

#endif
