// SPDX-License-Identifier: MIT
// The unit: what the plugin keeps, for the machine and for each virtual CPU. A CPU's own part is touched by its own
// thread only.
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
    u64 total[MODEL_EVENTS][2]; // kernel, user
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
    struct model_cpu *slot; // in the page
    struct counter counters[MODEL_COUNTERS];
    bool excluded; // what its tag said last
    u64 overflows, interrupts;
    bool interrupted; // one is on its way or being handled
    int console;      // socket of its console, negative: not connected
    u64 random;       // state of the generator
    struct ring ring;

    struct branch_model *branch;
    struct tlb_model *tlb;
    struct cache_model *l1i, *l1d, *l2;

    // Invalidations by other CPUs, taken over before the TLB is used next.
    pthread_mutex_t lock;
    bool invalidated;
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

// Takes a change of the tag's excluded bit into account. On the CPU's own thread.
void vcpu_excluded(struct vcpu *cpu, bool excluded);

// The state of a CPU, which begins anew with each attachment. First call of each callback, on the CPU's own thread.
static inline struct vcpu *vcpu_enter(unsigned number)
{
    struct vcpu *cpu = &unit.vcpu[number];
    u64 life = __atomic_load_n(&unit.life, __ATOMIC_ACQUIRE);
    if (__builtin_expect(cpu->life != life, 0))
        vcpu_begin(cpu, life);
    bool excluded = cpu->slot && guest_read(&cpu->slot->tag) & MODEL_TAG_EXCLUDED;
    if (__builtin_expect(excluded != cpu->excluded, 0))
        vcpu_excluded(cpu, excluded);
    return cpu;
}

// Prepares the state of all CPUs. False: no memory.
bool unit_init(void);

// A CPU comes up.
void vcpu_init(unsigned number);

#endif
