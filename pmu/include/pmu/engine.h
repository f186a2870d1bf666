// SPDX-License-Identifier: MIT
// The engine of one CPU drives its counters by the plan of all sessions that claim them
// (pmu/share.h). It gives groups their turns, and adds the counts of each turn to the tallies of
// the sessions. A counter that continues from one turn or plan to the next is not stopped. So a
// session whose counters all continue misses nothing, whoever comes, goes, or takes turns beside
// it.
// All functions act on the calling CPU's counters, soft-masked, in thread or interrupt context, not
// PMI. The owner of the plan serialises changes and all readers.
#ifndef PMU_ENGINE_H
#define PMU_ENGINE_H

#include <pmu/multiplex.h>
#include <pmu/rotate.h>
#include <pmu/share.h>
#include <pmu/tasks.h>

// Labels of records: the item's source, and the last 8 bits of the number of its turn.
#define PMU_LABEL(source, turn) ((source) | (u32)(turn) << 8)
#define PMU_LABEL_SOURCE(label) ((label)&0xff)
#define PMU_LABEL_TURN(label) ((label) >> 8)

// One event that is sampled on one CPU. The owner sets it up.
struct pmu_sampled {
    u64 period, random;           // as in struct model_program
    u64 flags;                    // MODEL_INTERRUPT or MODEL_PRECISE; MODEL_PHASE: it takes turns
    struct sample_buffer *buffer; // where samples of interrupts go; NULL: nowhere
    // The engine's. turn: the low bits of the number of its turns so far, if it takes turns.
    // Overflows are overflows_before plus, while it is sampled, *overflows.
    u8 turn;
    const u64 *overflows;
    u64 overflows_before;
};

// The counts of one session on one CPU.
struct pmu_tally {
    struct pmu_sampled *sampled; // indexed by the items' sources, its owner's; NULL: none
    struct pmu_multiplex *sums;  // of the items of its claim, begun, its owner's; NULL: none
    struct task_table *tasks;    // NULL: not asked for; its owner's
    s64 error;                   // why it stopped by itself, or 0
    // The engine's: whether it has begun, and the counters' values at the start of its slice.
    bool begun;
    u64 begin[PMU_COUNTERS];
    // A counter's value less this is its item's count in all, if it counts all the time.
    u64 base[PMU_COUNTERS];
};

struct pmu_engine {
    const struct pmu_plan *plan; // NULL: nothing counts
    struct pmu_tally *tally[PMU_CLAIMS];
    struct pmu_sampled *sampled;               // of the one tally that has any
    struct pmu_sampled *owner[MODEL_COUNTERS]; // what each counter samples, NULL: nothing
    struct pmu_rotation rotation;
    u32 group; // whose turn it is
    u64 turns; // that have begun so far
    s64 error; // why nothing counts any more, or 0
    struct model_program program[MODEL_COUNTERS];
    u64 enabled; // counters that count these programs
    u64 fresh;   // of them: those that did not count in the turn before
    u64 turn;    // value of the slice counter when the turn began
};

// Switches to another plan and these tallies, after it has ended a slice of all earlier ones. plan
// and tallies live until the next change; NULL: nothing counts any more. prepare: each group counts
// for a moment, so that the machine's unit is ready for all events and later turns are short. seed:
// of the turns' order. who: the running task, for tallies that count tasks. An event that is
// sampled otherwise than before, or with another period, begins anew. Returns 0, or an error of
// model_program, model_enable or model_read. On an error nothing counts: the error goes to the
// tallies that had not begun, or, if there are none, to all.
s64 pmu_engine_change(struct pmu_engine *engine, const struct pmu_plan *plan,
                      struct pmu_tally *const tallies[PMU_CLAIMS], bool prepare, u64 seed,
                      const struct pmu_task *who);
// Lets another task continue. Stores the counters' values in values. Returns false if nothing
// counts.
bool pmu_engine_switch(struct pmu_engine *engine, const struct pmu_task *who,
                       u64 values[PMU_COUNTERS]);
// Ends the slice if it is long enough, and gives the next group its turn. To be called now and
// then; a plan with one group, which counts all the time, does not need it.
void pmu_engine_tick(struct pmu_engine *engine);
// Ends the slice however short, so that tallies are up to date, and continues.
void pmu_engine_flush(struct pmu_engine *engine);

#endif
