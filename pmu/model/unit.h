// SPDX-License-Identifier: MIT
// The unit: what the plugin keeps, for the machine and for each virtual CPU. A CPU's own part is
// touched by its own thread only.
#ifndef MODEL_UNIT_H
#define MODEL_UNIT_H

#include <pthread.h>

#include "guest.h"
#include "models/branch.h"
#include "models/cache.h"
#include "models/machine.h"
#include "models/tlb.h"
#include "qemu_plugin.h"

// Privilege filters of counters that can overflow.
enum filter { FILTER_KERNEL, FILTER_USER, FILTER_BOTH, FILTERS };

// When a word of due has come this far, a counter has overflowed.
#define DUE (1UL << 63)

// What translated code changes without a callback. One element of a scoreboard a CPU.
struct board {
    u64 total[MODEL_EVENTS][2]; // kernel, user; of cycles: as of the last counters_cost
    u64 due[MODEL_EVENTS]
           [FILTERS]; // events so far + DUE - the number at which the next counter overflows
    u64 pending[2];   // how the last instruction of the last block went is open (outcome.h); 0: no
    u64 line;         // where the last instruction came from, its bit 0 set; 0: unknown
    u64 address;      // of the last data access, while records need it
    u64 padding[8];   // no two CPUs on one line of the host's cache
};

struct counter {
    struct model_program program;
    bool programmed, enabled;
    u64 value;
    u64 seen;      // events of its kind when value was brought up to date
    u64 remaining; // events until its next overflow
    u64 overflows; // since it was programmed
};

struct ring {
    u64 address, records, head, lost;
};

// A CPU that is idle takes none over, and others may free whole stacks, page by page, meanwhile.
#define INVALIDATIONS 4096

struct invalidation {
    enum { INVALIDATE_PAGE, INVALIDATE_SPACE, INVALIDATE_ALL } what;
    u64 space, page;
};

struct vcpu {
    unsigned number;
    u64 life; // the attachment that its state belongs to
    struct board *board;
    const u64 *tag_word; // of the slot, or a 0
    u64 tag;             // what it said last, as it lies in guest memory
    u64 space;           // of this
    bool invalidated;    // invalidations (below) wait
    struct branch_model *branch;
    struct tlb_model *tlb;
    struct cache_model *l1i, *l1d, *l2;

    struct model_cpu *slot;      // in the page
    u64 costed[MODEL_EVENTS][2]; // totals that are in the total of cycles
    struct counter counters[MODEL_COUNTERS];
    bool excluded; // says its tag
    u64 overflows, interrupts;
    bool interrupted; // one is on its way or being handled
    int console;      // socket of its console, negative: not connected
    u64 random;       // state of the generator
    struct ring ring;

    // Invalidations by other CPUs, taken over before the TLB is used next.
    pthread_mutex_t lock;
    unsigned invalidation_count; // more than there are places: all
    struct invalidation invalidations[INVALIDATIONS];
} __attribute__((aligned(128)));

struct unit {
    qemu_plugin_id_t id;
    unsigned cpus;
    struct machine machine;
    unsigned line_shift,
        page_shift; // of the machine's lines and pages, because of the cost of divisions
    struct qemu_plugin_scoreboard *boards;
    struct model_page *page; // NULL: not attached
    u64 life;                // number of attachments so far
    struct vcpu vcpu[MODEL_CPUS];
};

extern struct unit unit;

// Begins the state of a CPU anew. On its own thread.
void vcpu_begin(struct vcpu *cpu, u64 life);

// Takes a new tag into account, as it lies in guest memory. On the CPU's own thread.
void vcpu_tagged(struct vcpu *cpu, u64 tag);

// Whether nothing has happened that vcpu_enter has to do something about.
static inline bool vcpu_settled(const struct vcpu *cpu)
{
    return cpu->life == __atomic_load_n(&unit.life, __ATOMIC_ACQUIRE) &&
           cpu->tag == __atomic_load_n(cpu->tag_word, __ATOMIC_RELAXED);
}

// The state of a CPU, which begins anew with each attachment, and follows its tag. First call of
// each callback, on the CPU's own thread, unless vcpu_settled.
static inline struct vcpu *vcpu_enter(unsigned number)
{
    struct vcpu *cpu = &unit.vcpu[number];
    u64 life = __atomic_load_n(&unit.life, __ATOMIC_ACQUIRE);
    if (cpu->life != life)
        vcpu_begin(cpu, life);
    u64 tag = __atomic_load_n(cpu->tag_word, __ATOMIC_RELAXED);
    if (tag != cpu->tag)
        vcpu_tagged(cpu, tag);
    return cpu;
}

// Prepares the state of all CPUs. False: no memory.
bool unit_init(void);

// A CPU comes up.
void vcpu_init(unsigned number);

#endif
