// SPDX-License-Identifier: MIT
// Counting on one CPU: the counters of the group whose turn it is, the slices that they have
// counted, the turns.
// All functions act on the calling CPU's counters, soft-masked, in thread or interrupt context, not
// PMI. Who owns the session serialises begin, end and everything that reads.
#ifndef PMU_COUNTING_CPU_H
#define PMU_COUNTING_CPU_H

#include <pmu/counting_request.h>
#include <pmu/multiplex.h>
#include <pmu/rotate.h>
#include <pmu/tasks.h>

#define COUNTING_NO_GROUP PMU_GROUPS_MAX

struct counting_cpu {
    const struct counting_plan *plan;
    struct pmu_multiplex *multiplex; // its owner is who calls begin
    struct pmu_rotation rotation;
    u32 group;                // that the counters are programmed for, or COUNTING_NO_GROUP
    s64 error;                // why it has ended by itself, or 0
    u64 begin[PMU_COUNTERS];  // values when the slice began
    struct task_table *tasks; // NULL: not asked for; its owner is who calls follow
};

// Has each group counted for a moment, so that the machine's unit is ready for all their events and
// later changes are short. plan lives until counting_cpu_end. What fails here fails in
// counting_cpu_begin too.
void counting_cpu_prepare(struct counting_cpu *cpu, const struct counting_plan *plan);
// Begins to count, whether prepared or not, with everything zero.
// multiplex: room for all of the plan's items.
// seed: of the turns' order. 0, or an error of model_program, model_enable or model_read.
s64 counting_cpu_begin(struct counting_cpu *cpu, const struct counting_plan *plan,
                       struct pmu_multiplex *multiplex, u64 seed);
// After begin, before anything else on this CPU: from now on counts are each task's, too. who runs.
void counting_cpu_follow(struct counting_cpu *cpu, struct task_table *tasks,
                         const struct pmu_task *who);
// Another task goes on from now on; counters' values go to values.
// False: it does not count any more.
bool counting_cpu_switch(struct counting_cpu *cpu, const struct pmu_task *who,
                         u64 values[PMU_COUNTERS]);
// Ends the slice if it is long enough, and gives the next group its turn. Called now and then;
// useless for a plan with one group, which counts all the time.
void counting_cpu_tick(struct counting_cpu *cpu);
// Ends the slice however short, so that multiplex says what was counted until now, and goes on.
void counting_cpu_settle(struct counting_cpu *cpu);
// The same, and nothing counts any more.
void counting_cpu_end(struct counting_cpu *cpu);

#endif
