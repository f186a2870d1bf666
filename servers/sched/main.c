// SPDX-License-Identifier: MIT
// The scheduler in user mode (docs/scheduler.md): reads the logs, asks its policy, and places
// processes. With the policy `none` it owns nothing and sleeps. It keeps nothing that the kernel
// does not know: when it ends all go on where they are, and the next one begins with new readings.
#include "calls.h"
#include "decisions.h"
#include "domains.h"
#include "limits.h"
#include "logs.h"
#include "placing.h"
#include "watch.h"

#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/lock.h>
#include <user/questions.h>
#include <user/thread.h>
#include <user/time.h>

static struct mutex lock; // guards all below, and what the other files keep
static const struct policy *policy;
static struct sched_state state;
static struct thread *placer;
static u32 cpu_count;
static bool resting; // from calls, until the placer goes on

// Changes the policy. On an error the one before goes on. Lock held.
static s64 choose(const char *name)
{
    const struct policy *wanted = policy_find(name);
    s64 error = 0;

    if (wanted == NULL)
        return E_NOENT;
    bool owns = policy->decide != NULL, owned = wanted->decide != NULL;
    bool logged = policy->wants_calls && !resting;
    if (owned && !owns)
        error = logs_open(cpu_count);
    if (error == 0 && owned && wanted->wants_calls != logged)
        error = logs_calls(wanted->wants_calls);
    if (error != 0) {
        if (owned && !owns)
            logs_close();
        return error;
    }
    if (owns && !owned)
        logs_close();
    policy = wanted;
    watch_begin(cpu_count, policy->wants_calls);
    resting = false;
    state.readings = 0;
    return 0;
}

// ---- placing ------------------------------------------------------------------------------------

static void act(const struct view *view, const struct proposal *proposal)
{
    if (!placing_allowed(proposal)) {
        state.held_back++;
        return;
    }
    s64 result = placing_do(proposal);
    decisions_add(policy, view, proposal, (s32)result);
    watch_anew(); // what was read before says nothing about the new place
}

static void end_rest(void)
{
    resting = false;
    if (logs_calls(true) < 0)
        state.failures++;
    watch_rested();
}

static void take_turn(void)
{
    static struct view view;
    struct proposal proposal;

    if (resting)
        end_rest();
    if (watch_read() < 0)
        state.failures++;
    state.readings++;
    if (!watch_view(&view, limits_rests))
        return;
    bool proposes = policy->decide(&view, &proposal);
    if (proposes)
        act(&view, &proposal);
    // A call that is logged on both sides costs half as much again. So where a block of readings
    // has led to nothing, calls are logged no more for a while. On an error they go on.
    if (!proposes && policy->wants_calls)
        resting = logs_calls(false) == 0;
}

static __attribute__((noreturn)) void place_for_ever(void)
{
    for (;;) {
        mutex_lock(&lock);
        bool acts = policy->decide != NULL;
        if (acts)
            take_turn();
        u64 pause = resting ? SCHED_REST_MS : SCHED_READING_MS;
        mutex_unlock(&lock);
        thread_park(acts ? time_after_us(pause * 1000) : THREAD_FOREVER);
    }
}

// ---- questions ----------------------------------------------------------------------------------

static s64 tell(void *buffer, u64 bytes)
{
    struct sched_state *answer = buffer;

    if (bytes < sizeof(*answer))
        return E_INVAL;
    *answer = state;
    strncpy(answer->policy, policy->name, SCHED_POLICY_BYTES - 1);
    answer->decisions = decisions_made();
    answer->cut = calls_cut();
    answer->others = domains_others();
    answer->pair_count = pairs_top(answer->pairs, SCHED_TOP_PAIRS);
    pairs_age(&answer->pairs_ms, &answer->pairs_age_ms, policy->wants_calls);
    answer->count = decisions_copy((struct sched_decision *)(answer + 1),
                                   (bytes - sizeof(*answer)) / sizeof(struct sched_decision));
    return (s64)(sizeof(*answer) + answer->count * sizeof(struct sched_decision));
}

// Answers in the library's thread.
static s64 asked(u64 operation, const u64 arguments[2], void *buffer, u64 bytes)
{
    char name[SCHED_POLICY_BYTES + 1] = "";
    s64 result = E_NOTSUP;

    memcpy(name, arguments, SCHED_POLICY_BYTES);
    mutex_lock(&lock);
    if (operation == INSPECT_SCHED)
        result = tell(buffer, arguments[0] < bytes ? arguments[0] : bytes);
    else if (operation == INSPECT_SCHED_POLICY)
        result = choose(name);
    mutex_unlock(&lock);
    if (operation == INSPECT_SCHED_POLICY && result == 0)
        thread_unpark(placer);
    return result;
}

int main(void)
{
    char name[SCHED_POLICY_BYTES];
    struct sys_info info;

    if (sys_info(&info) != 0)
        return 1;
    cpu_count = info.cpu_count < SCHED_CPUS ? info.cpu_count : SCHED_CPUS;
    policy = policy_find("none");
    placer = thread_current();
    user_on_question(asked);
    if (sys_option("sched", name, sizeof(name)) >= 0) {
        mutex_lock(&lock);
        s64 error = choose(name);
        mutex_unlock(&lock);
        if (error != 0)
            fprintf(stderr, "sched: policy %s: %s\n", name, orrery_strerror(error));
    }
    place_for_ever();
}
