// SPDX-License-Identifier: MIT
// The engine of one CPU: its counters, by the plan of all sessions that claim them (pmu/share.h).
// It gives groups their turns, and adds what each turn has counted to the tallies of the sessions.
// A counter that goes on from one turn, or plan, to the next is never stopped for it: sessions
// whose counters all go on miss nothing, whoever comes, goes, or takes turns beside them.
// All functions act on the calling CPU's counters, soft-masked, in thread or interrupt context, not
// PMI. Who owns the plan serialises changes and everything that reads.
#ifndef PMU_ENGINE_H
#define PMU_ENGINE_H

#include <pmu/multiplex.h>
#include <pmu/rotate.h>
#include <pmu/share.h>
#include <pmu/tasks.h>

// Labels of records: the item's source, and in which of its turns, the last 8 bits.
#define PMU_LABEL(source, turn) ((source) | (u32)(turn) << 8)
#define PMU_LABEL_SOURCE(label) ((label)&0xff)
#define PMU_LABEL_TURN(label) ((label) >> 8)

// One event that is sampled on one CPU, its owner's.
struct pmu_sampled {
    u64 period, random;           // as in struct model_program
    u64 flags;                    // MODEL_INTERRUPT or MODEL_PRECISE; MODEL_PHASE: it takes turns
    struct sample_buffer *buffer; // where samples of interrupts go; NULL: nowhere
    // The engine's: its turns so far, the last bits, if it takes turns; overflows are
    // overflows_before and, while it is sampled, *overflows.
    u8 turn;
    const u64 *overflows;
    u64 overflows_before;
};

// What one session has counted on one CPU.
struct pmu_tally {
    struct pmu_sampled *sampled; // by the items' sources, its owner's; NULL: none
    struct pmu_multiplex *sums;  // of the items of its claim, begun, its owner's; NULL: none
    struct task_table *tasks;    // NULL: not asked for; its owner's
    s64 error;                   // why it has ended by itself, or 0
    // The engine's: whether it has begun, and values of the counters when its slice began.
    bool begun;
    u64 begin[PMU_COUNTERS];
    // A counter's value less this is what its item has counted in all, if it counts all the time.
    u64 base[PMU_COUNTERS];
};

struct pmu_engine {
    const struct pmu_plan *plan; // NULL: nothing counts
    struct pmu_tally *tally[PMU_CLAIMS];
    struct pmu_sampled *sampled;               // of the one tally that has any
    struct pmu_sampled *owner[MODEL_COUNTERS]; // what each counter samples, NULL: nothing
    struct pmu_rotation rotation;
    u32 group; // whose turn it is
    s64 error; // why nothing counts any more, or 0
    struct model_program program[MODEL_COUNTERS];
    u64 enabled; // counters that count, by these programs
    u64 fresh;   // of them: have not counted in the turn before
    u64 turn;    // value of the counter of slices when the turn began
};

// From here on by another plan, and for these tallies; a slice of all that were there before ends
// first. plan and tallies live until the next change; NULL: nothing counts any more. prepare: each
// group counts for a moment, so that the machine's unit is ready for all their events and later
// turns are short. seed: of the turns' order. who runs here; looked at where tasks are counted.
// What is sampled otherwise than before, with another period, begins anew. When it fails nothing
// counts; tallies that had not begun have the error, or, if there are none, all.
// 0, or an error of model_program, model_enable or model_read: nothing counts.
s64 pmu_engine_change(struct pmu_engine *engine, const struct pmu_plan *plan,
                      struct pmu_tally *const tallies[PMU_CLAIMS], bool prepare, u64 seed,
                      const struct pmu_task *who);
// Another task goes on from now on; counters' values go to values.
// False: nothing counts.
bool pmu_engine_switch(struct pmu_engine *engine, const struct pmu_task *who,
                       u64 values[PMU_COUNTERS]);
// Ends the slice if it is long enough, and gives the next group its turn. Called now and then;
// useless for a plan with one group, which counts all the time.
void pmu_engine_tick(struct pmu_engine *engine);
// Ends the slice however short, so that tallies say what was counted until now, and goes on.
void pmu_engine_settle(struct pmu_engine *engine);

#endif
