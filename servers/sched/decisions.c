// SPDX-License-Identifier: MIT
// A ring of decisions.
#include "decisions.h"

#include "watch.h"

#include <string.h>
#include <user/time.h>

static struct sched_decision ring[SCHED_DECISIONS];
static u64 made;

// Returns whether one stands before another: who has run more, of equals the lower number.
static bool is_before(const struct view_process *one, const struct sched_candidate *other)
{
    return one->permille > other->permille ||
           (one->permille == other->permille && one->pid < other->pid);
}

static void add_candidate(struct sched_decision *decision, const struct view_process *process)
{
    u32 at = decision->candidate_count;

    while (at > 0 && is_before(process, &decision->candidates[at - 1]))
        at--;
    if (at == SCHED_CANDIDATES)
        return;
    if (decision->candidate_count < SCHED_CANDIDATES)
        decision->candidate_count++;
    for (u32 i = decision->candidate_count - 1; i > at; i--)
        decision->candidates[i] = decision->candidates[i - 1];
    decision->candidates[at] = (struct sched_candidate){process->pid, process->permille};
}

static void add_pairs(struct sched_decision *decision, const struct view *view, u32 about)
{
    if (about >= view->pair_count)
        return;
    decision->pairs[decision->pair_count++] = view->pairs[about];
    for (u32 i = 0; i < view->pair_count && decision->pair_count < SCHED_PAIRS; i++)
        if (i != about)
            decision->pairs[decision->pair_count++] = view->pairs[i];
}

static void add_affinity(struct sched_decision *decision, const struct view *view)
{
    for (u32 i = 0; i < view->affinity_count; i++) {
        if (view->affinities[i].pid != decision->pid)
            continue;
        decision->there[0] = view->affinities[i].to[decision->from];
        decision->there[1] = view->affinities[i].to[decision->to];
    }
}

void decisions_add(const struct policy *policy, const struct view *view,
                   const struct proposal *proposal, s32 result)
{
    struct sched_decision *decision = &ring[made % SCHED_DECISIONS];

    *decision = (struct sched_decision){.time = time_now(),
                                        .number = ++made,
                                        .pid = proposal->pid,
                                        .from = proposal->from,
                                        .to = proposal->to,
                                        .result = result,
                                        .cpus = (u8)view->cpus,
                                        .action = (u8)proposal->action,
                                        .pairs_ms = view->pairs_ms,
                                        .pairs_age_ms = view->pairs_age_ms};
    memcpy(decision->lengths, view->lengths, sizeof(decision->lengths));
    strncpy(decision->policy, policy->name, SCHED_POLICY_BYTES - 1);
    watch_name(proposal->pid, decision->name);
    for (u32 i = 0; i < view->count; i++)
        if (view->processes[i].cpu == proposal->from)
            add_candidate(decision, &view->processes[i]);
    add_pairs(decision, view, proposal->pair);
    add_affinity(decision, view);
}

u32 decisions_copy(struct sched_decision *to, u64 room)
{
    u64 kept = made < SCHED_DECISIONS ? made : SCHED_DECISIONS;
    u64 count = kept < room ? kept : room;

    for (u64 i = 0; i < count; i++)
        to[i] = ring[(made - count + i) % SCHED_DECISIONS];
    return (u32)count;
}

u64 decisions_made(void)
{
    return made;
}
