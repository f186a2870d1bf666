// SPDX-License-Identifier: MIT
// The model unit: the interface between a guest and the QEMU plugin (pmu/model) that gives the
// machine a performance monitor. Both include this file, and nothing else defines the interface.
// Why there is such a plugin: docs/design/pmu-plugin.md.
//
// A guest that wants the unit reserves one page (64 KB, aligned), writes MODEL_VERSION into version
// and 0 into magic, and executes the command MODEL_ATTACH with the page's physical address. The
// plugin then writes the rest of the head. Without a plugin magic stays 0. From then on each CPU
// gives commands through its own slot of the page. Every number in the page is big-endian. A guest
// can harm only itself by what it writes there: the plugin keeps its own state, reads parameters
// once, at commands, and checks them.
//
// A command is the instruction `twi 0,rA,MODEL_COMMAND | number`, a trap that never traps, in any
// mode. rA is the page's physical address for MODEL_ATTACH, and is ignored by other commands. The
// command takes effect before the next instruction, except MODEL_ENABLE: a change of the
// instrumentation is in force when head.generation says so.
#ifndef ORRERY_PMU_MODEL_H
#define ORRERY_PMU_MODEL_H

#include <orrery/types.h>

#define MODEL_MAGIC 0x4f525259504d5531UL // "ORRYPMU1"
#define MODEL_VERSION 3
#define MODEL_PAGE_BYTES 0x10000
#define MODEL_COUNTERS 8
#define MODEL_CPUS ORRERY_MAX_CPUS

#define MODEL_COMMAND 0x4f00 // high half of the immediate

enum model_command {
    MODEL_ATTACH = 1,  // all commands but READ are for the kernel only
    MODEL_PROGRAM = 2, // arguments: struct model_program; stops the counter, its value is 0
    MODEL_ENABLE = 3,  // arguments[0]: mask of this CPU's counters that count from now on
    MODEL_READ = 4,    // updates value[] and overflows; any mode
    // arguments[0]: counter, [1]: its new value; its next overflow stays as far away as it was
    MODEL_WRITE = 5,
    // updates overflows and zeroes the plugin's own copy, when the guest handles an interrupt
    MODEL_TAKE = 6,
    MODEL_TOTALS = 7, // updates totals[]
    MODEL_DETACH =
        8, // stops all CPUs' counters, removes instrumentation, leaves the page alone from now on
};

// Events, in the order of their bits in a machine's masks.
enum model_event {
    MODEL_INSTRUCTIONS, // completed
    MODEL_CYCLES,       // of the in-order cost model
    MODEL_LARX,
    MODEL_STCX,
    MODEL_STCX_FAILED,
    MODEL_BRANCHES, // conditional ones
    MODEL_TAKEN,    // conditional ones that are taken
    MODEL_MISPREDICTED,
    MODEL_ITLB_MISS,
    MODEL_DTLB_MISS,
    MODEL_L1I_MISS,
    MODEL_L1D_MISS,
    MODEL_L2_MISS,
    MODEL_LOADS, // instructions that load, of any size
    MODEL_STORES,
    MODEL_EVENTS
};

// results of a command
#define MODEL_OK 0
#define MODEL_BAD_COMMAND 1 // no such command, or not attached, or not allowed in this mode
#define MODEL_BAD_EVENT 2   // no such event, or not on this machine
#define MODEL_BAD_COUNTER 3 // no such counter, or one that cannot count this event
// 0 < period < MODEL_PERIOD_MIN or > MODEL_PERIOD_MAX, or too many random bits.
#define MODEL_BAD_PERIOD 4
#define MODEL_BAD_FLAGS 5   // unknown ones, or neither kernel nor user
#define MODEL_BAD_RING 6    // not in memory, not aligned, or of a bad size
#define MODEL_BAD_VERSION 7 // the page's; head.version has the plugin's

#define MODEL_PERIOD_MIN 16
#define MODEL_PERIOD_MAX (1UL << 47)
#define MODEL_RANDOM_MAX 24 // bits

// Filters and deliveries of a counter.
#define MODEL_KERNEL 1UL    // counts in supervisor state
#define MODEL_USER 2UL      // counts in problem state
#define MODEL_TAGGED 4UL    // also while the CPU's tag has MODEL_TAG_EXCLUDED
#define MODEL_INTERRUPT 8UL // an overflow raises the unit's interrupt; MODEL_TAKE reports it
#define MODEL_PRECISE 16UL  // an overflow writes a record into the CPU's ring
// The first overflow comes after a random part of a period. So on average overflows times the
// period equal the count, however often a counter is started anew.
#define MODEL_PHASE 32UL
#define MODEL_LABEL(label) ((u64)(label) << 8) // 0 … 65535: goes into records
#define MODEL_LABEL_OF(flags) ((u32)(flags) >> 8 & 0xffff)
#define MODEL_FLAGS (63UL | MODEL_LABEL(0xffff))

struct model_program {
    u64 counter;
    u64 event;  // enum model_event
    u64 flags;  // MODEL_KERNEL …
    u64 period; // events an overflow; 0: none
    u64 random; // randomised low bits of each period, 0 … MODEL_RANDOM_MAX, 2^random < period
};

// A precise record. It is complete when sequence, which is written last, is that of its place.
#define MODEL_FRAMES 8
// The instruction at pc, which is no branch, has already changed the registers. Without this flag
// they are as before the instruction.
#define MODEL_RECORD_AFTER 1u
struct model_record {
    u64 sequence; // number of the record in its ring, from 1
    u16 event, counter;
    u32 flags; // MODEL_RECORD_… and the counter's MODEL_LABEL
    u64 pc;    // of the instruction that made the counter overflow
    u64 msr, lr;
    // instructions that this CPU has completed since MODEL_ATTACH, 0 where they are not counted
    u64 time;
    u64 address; // of the data, for loads, stores and their misses, else 0
    u64 tag;
    u64 gpr[32];
    // The stack. Frame 0 is that of gpr[1]; each next one is where the back chain leads. lr and
    // self are the words at sp + 16 and sp + 48, where the function called by this frame's function
    // saves its return address and its object. A frame that could not be read is 0, and so are all
    // after it.
    struct {
        u64 sp, lr, self;
    } frames[MODEL_FRAMES];
};

// Where a CPU's precise records go. The guest sets it before MODEL_ENABLE.
struct model_ring {
    u64 address; // physical, aligned to 512; 0: no ring, precise overflows are lost
    u64 records; // power of two, 8 … 65536
    u64 head;    // the plugin's: records written
    u64 tail;    // the guest's: records read
    u64 lost;    // the plugin's: overflows for which there was no room
};

#define MODEL_TAG_EXCLUDED (1UL << 63)
#define MODEL_TAG_SPACE 0xffffffffUL // address space: different spaces have different TLB entries
// The other bits are the guest's, and go into records. Orrery's: the process on whose behalf the
// CPU runs, 0: none.
#define MODEL_TAG_PID(tag) ((u32)((tag) >> 32) & 0x7fffffffu)
#define MODEL_TAG_OF_PID(pid) ((u64)((pid)&0x7fffffffu) << 32)

struct model_cpu {
    u64 command, result; // the last one
    u64 arguments[6];
    // the guest's, may change at any time, e.g. when it switches processes
    u64 tag;
    u64 enabled; // mask of counters that count
    // counters that have overflowed since MODEL_TAKE, as of the last command
    u64 overflows;
    u64 interrupts;            // interrupts raised
    u64 value[MODEL_COUNTERS]; // at the last MODEL_READ
    struct model_ring ring;
    u64 overflow_count
        [MODEL_COUNTERS]; // of each counter since its MODEL_PROGRAM, always up to date
    u64 reserved[1];
    u64 totals
        [MODEL_EVENTS]
        [2]; // kernel, user: all events since MODEL_ATTACH that were instrumented, tags or not
};

// Geometry of the modelled machine, from its configuration file, for those who show or check it.
struct model_geometry {
    u64 tlb_entries, tlb_ways, page_bytes;
    u64 l1i_bytes, l1i_ways, l1d_bytes, l1d_ways, l2_bytes, l2_ways, line_bytes;
    u64 local_entries, global_entries, history_bits;
    u64 cost[MODEL_EVENTS]; // cycles that each event costs, instructions included
};

struct model_page {
    u64 magic, version;
    u64 cpus;       // of this machine, at most MODEL_CPUS
    u64 generation; // rises when the instrumentation for a MODEL_ENABLE is in force
    u64 wanted;     // the generation that the last MODEL_ENABLE of any CPU waits for
    u64 events;     // bit n: has enum model_event n
    u64 exact;      // bit n: counted exactly; else modelled
    char machine[32];
    u64 counters[MODEL_EVENTS]; // mask of the counters that can count each
    struct model_geometry geometry;
    u64 reserved[32];
    struct model_cpu cpu[MODEL_CPUS] __attribute__((aligned(512)));
};

_Static_assert(sizeof(struct model_record) == 512, "the layout is an interface");
_Static_assert(sizeof(struct model_program) <= sizeof(((struct model_cpu *)0)->arguments),
               "arguments");
_Static_assert(sizeof(struct model_cpu) == 512, "the layout is an interface");
_Static_assert(offsetof(struct model_page, cpu) == 1024, "the layout is an interface");
_Static_assert(sizeof(struct model_page) <= MODEL_PAGE_BYTES, "one page");

#endif
