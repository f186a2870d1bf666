// SPDX-License-Identifier: MIT
// Brings a client and its server to one CPU (S004 §2.1, §4.5.3): of all pairs whose calls go to
// another CPU it takes the one with most such calls. The client moves, if it may and a CPU of the
// server has room; else the server gets a dispatcher where the client is. What was spread and
// is called no more is taken back.
#include "policy.h"

// What rarely goes across costs little. Rarely is by the client's own time: one that waits for its
// turn for long makes few calls a second, and each of them may go across.
#define ACROSS_LEAST 100 // a second of the client's time
#define ACROSS_SHARE 20  // of a pair's calls: 1/20
#define IDLE_MS 3000     // that a spread is kept while no call is seen; they are not always logged

static u32 sum_of(const struct view *view, u32 cpu)
{
    u32 sum = 0;

    for (u32 reading = 0; reading < SCHED_READINGS; reading++)
        sum += view->lengths[reading][cpu];
    return sum;
}

static bool goes_across(const struct sched_pair *pair)
{
    return pair->client != 0 && pair->across > pair->calls / ACROSS_SHARE &&
           (u64)pair->across * 1000 >= (u64)pair->client_permille * ACROSS_LEAST;
}

// Returns the CPU of the server with the shortest queue.
static u32 shortest_of(const struct view *view, u32 cpus)
{
    u32 best = (u32)__builtin_ctz(cpus);

    for (u32 cpu = best + 1; cpu < view->cpus; cpu++)
        if ((cpus >> cpu & 1) && sum_of(view, cpu) < sum_of(view, best))
            best = cpu;
    return best;
}

// Has a CPU room for one process of another one? The server waits while its client runs, so the
// one thread that it adds to the queue there does not count.
static bool has_room(const struct view *view, u32 from, u32 to)
{
    return sum_of(view, to) <= sum_of(view, from) + SCHED_READINGS;
}

// Returns whether there is something to be done for a pair, and what.
static bool bring_together(const struct view *view, u32 place, struct proposal *proposal)
{
    const struct sched_pair *pair = &view->pairs[place];
    u32 client_cpu = pair->client_cpu;

    if (client_cpu >= view->cpus || pair->server_cpu >= view->cpus ||
        (pair->server_cpus & ((2u << (view->cpus - 1)) - 1)) == 0 ||
        (pair->server_cpus >> client_cpu & 1) != 0)
        return false;
    u32 to = shortest_of(view, pair->server_cpus);
    if ((pair->flags & SCHED_CLIENT_MOVES) != 0 && has_room(view, client_cpu, to)) {
        *proposal = (struct proposal){SCHED_MOVE, pair->client, client_cpu, to, place};
        return true;
    }
    if ((pair->flags & SCHED_SERVER_SPREADS) == 0)
        return false;
    *proposal = (struct proposal){SCHED_SPREAD, pair->server, pair->server_cpu, client_cpu, place};
    return true;
}

static bool is_idle(const struct sched_pair *pair)
{
    return pair->client == 0 && (pair->flags & SCHED_SERVER_SPREADS) != 0 &&
           pair->idle_ms >= IDLE_MS && pair->idle_ms != SCHED_UNKNOWN;
}

static bool decide(const struct view *view, struct proposal *proposal)
{
    if (view->pairs_age_ms == SCHED_UNKNOWN)
        return false;
    for (u32 i = 0; i < view->pair_count; i++)
        if (goes_across(&view->pairs[i]) && bring_together(view, i, proposal))
            return true;
    for (u32 i = 0; i < view->pair_count; i++) {
        const struct sched_pair *pair = &view->pairs[i];
        if (!is_idle(pair))
            continue;
        *proposal =
            (struct proposal){SCHED_GATHER, pair->server, pair->client_cpu, pair->server_cpu, i};
        return true;
    }
    return false;
}

const struct policy policy_calls = {.name = "calls", .decide = decide, .wants_calls = true};
