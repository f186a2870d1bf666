// SPDX-License-Identifier: MIT
// The unit: the plugin's state, for the machine and for each virtual CPU. Only a CPU's own thread
// touches its part.
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

// A word of due that has come this far means that a counter has overflowed.
#define DUE (1UL << 63)

// The state that translated code changes without a callback. One element of a scoreboard a CPU.
struct board {
    u64 total[MODEL_EVENTS][2]; // kernel, user; of cycles: as of the last counters_cost
    u64 due[MODEL_EVENTS]
           [FILTERS]; // events so far + DUE - the number at which the next counter overflows
    u64 pending[2];   // how the last block's last instruction is open (outcome.h); 0: it is not
    u64 line;         // line of the last instruction, with bit 0 set; 0: unknown
    u64 address;      // of the last data access, while records need it
    u64 padding[8];   // no two CPUs on one line of the host's cache
};

struct counter {
    struct model_program program;
    bool programmed, enabled;
    u64 value;
    u64 seen;      // events of its kind at the last update of value
    u64 remaining; // events until its next overflow
    u64 overflows; // since its MODEL_PROGRAM
};

struct ring {
    u64 address, records, head, lost;
};

// An idle CPU takes none over, while others may free whole stacks, page by page.
#define INVALIDATIONS 4096

struct invalidation {
    enum { INVALIDATE_PAGE, INVALIDATE_SPACE, INVALIDATE_ALL } what;
    u64 space, page;
};

struct vcpu {
    unsigned number;
    u64 life; // the attachment of this state
    struct board *board;
    const u64 *tag_word; // the slot's, or one that is 0
    u64 tag;             // its last value, as it lies in guest memory
    u64 space;           // the tag's
    bool invalidated;    // invalidations (below) wait
    struct branch_model *branch;
    struct tlb_model *tlb;
    struct cache_model *l1i, *l1d, *l2;

    struct model_cpu *slot;      // in the page
    u64 costed[MODEL_EVENTS][2]; // the part of totals that is in the total of cycles
    struct counter counters[MODEL_COUNTERS];
    bool excluded; // by its tag
    u64 overflows, interrupts;
    bool interrupted; // one is on its way or being handled
    int console;      // socket of its console, negative: not connected
    u64 random;       // state of the generator
    struct ring ring;

    // Other CPUs' invalidations, applied before the next use of the TLB.
    pthread_mutex_t lock;
    unsigned invalidation_count; // more than INVALIDATIONS: all
    struct invalidation invalidations[INVALIDATIONS];
} __attribute__((aligned(128)));

struct unit {
    qemu_plugin_id_t id;
    unsigned cpus;
    struct machine machine;
    unsigned line_shift,
        page_shift; // of the machine's lines and pages, to avoid divisions
    struct qemu_plugin_scoreboard *boards;
    struct model_page *page; // NULL: not attached
    u64 life;                // number of attachments so far
    struct vcpu vcpu[MODEL_CPUS];
};

extern struct unit unit;

// Resets the state of a CPU. On its own thread.
void vcpu_begin(struct vcpu *cpu, u64 life);

// Applies a new tag, as it lies in guest memory. On the CPU's own thread.
void vcpu_tagged(struct vcpu *cpu, u64 tag);

// Returns whether vcpu_enter has nothing to do.
static inline bool vcpu_is_current(const struct vcpu *cpu)
{
    return cpu->life == __atomic_load_n(&unit.life, __ATOMIC_ACQUIRE) &&
           cpu->tag == __atomic_load_n(cpu->tag_word, __ATOMIC_RELAXED);
}

// Returns the state of a CPU; resets it with each new attachment, and applies its tag. First call
// of each callback, on the CPU's own thread, unless vcpu_is_current.
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

// Prepares the state of all CPUs. Returns false if out of memory.
bool unit_init(void);

// Sets up a CPU that comes up.
void vcpu_init(unsigned number);

#endif
