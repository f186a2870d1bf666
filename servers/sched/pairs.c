// SPDX-License-Identifier: MIT
// Joins what the logs say of calls with what the kernel says of processes.
#include "pairs.h"

#include "calls.h"

#include <user/time.h>

static u32 cpu_count;
static u64 begun; // since when calls are looked at

void pairs_begin(u32 cpus)
{
    cpu_count = cpus;
    begun = time_now();
}

static u16 ms_of(u64 ticks)
{
    u64 ms = time_to_us(ticks) / 1000;

    return ms < SCHED_MS_MAX ? (u16)ms : SCHED_MS_MAX;
}

// How long ago a time was.
static u16 age_of(u64 time)
{
    u64 now = time_now();

    return ms_of(now > time ? now - time : 0);
}

// ---- affinities ---------------------------------------------------------------------------------

void pairs_add_affinity(struct view *view, const struct watched *entry, u32 permille)
{
    struct view_affinity *affinity = &view->affinities[view->affinity_count++];
    bool single = __builtin_popcount(entry->dispatchers) == 1;

    affinity->pid = entry->pid;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sched_affinity *to = &affinity->to[cpu];
        bool there = (entry->dispatchers >> cpu & 1) != 0;
        u64 last = calls_last(entry->pid, cpu);
        to->calls = calls_here(entry->pid, cpu);
        to->permille = !there || permille == 0 ? 0 : single ? (u16)permille : SCHED_UNKNOWN;
        to->age_ms = last != 0 ? age_of(last) : SCHED_UNKNOWN;
        if (there && single && permille != 0)
            to->age_ms = 0;
    }
}

// ---- pairs --------------------------------------------------------------------------------------

void pairs_age(u16 *ms, u16 *age_ms, bool with_calls)
{
    u64 lasted, ended = calls_ended(&lasted);
    bool known = with_calls && ended != 0;

    *ms = known ? ms_of(lasted) : SCHED_UNKNOWN;
    *age_ms = known ? age_of(ended) : SCHED_UNKNOWN;
}

static const struct watched *find(const struct watched *processes, u32 count, u32 pid)
{
    for (u32 i = 0; i < count && processes[i].pid <= pid; i++)
        if (processes[i].pid == pid)
            return &processes[i];
    return NULL;
}

// Returns the CPUs where a process takes calls.
static u8 serves_on(const struct watched *server)
{
    u64 place = server->place.cpus != 0 ? server->place.cpus : ~0UL;

    return (u8)(server->dispatchers & place);
}

static bool may_spread(const struct watched *server)
{
    return server->spreadable && (server->place.flags & PLACE_PINNED) == 0 &&
           (server->place.flags & PLACE_SERVES) != 0;
}

static struct sched_pair without_acts(const struct calls_pair *pair)
{
    return (struct sched_pair){.client = pair->client,
                               .server = pair->server,
                               .calls = pair->calls,
                               .across = pair->across,
                               .client_cpu = (u8)pair->from,
                               .server_cpu = (u8)pair->at};
}

static void add_pair(struct view *view, const struct calls_pair *from, const struct watched *client,
                     const struct watched *server)
{
    struct sched_pair pair = without_acts(from);

    if (client == NULL || server == NULL || client->rests || server->rests || !server->placed ||
        view->pair_count == VIEW_PAIRS)
        return;
    pair.server_cpus = serves_on(server);
    pair.client_permille = client->permille < SCHED_UNKNOWN ? (u16)client->permille : SCHED_MS_MAX;
    if (client->cpu == from->from)
        pair.flags |= SCHED_CLIENT_MOVES;
    if (may_spread(server))
        pair.flags |= SCHED_SERVER_SPREADS;
    view->pairs[view->pair_count++] = pair;
}

// A server that was spread to a CPU where it is not called.
static void add_idle(struct view *view, const struct watched *server, u32 cpu)
{
    u64 last = calls_last(server->pid, cpu);
    u32 stays = (u32)server->place.cpus & ~server->place.spread;

    if (calls_here(server->pid, cpu) != 0 || stays == 0 || view->pair_count == VIEW_PAIRS)
        return;
    view->pairs[view->pair_count++] =
        (struct sched_pair){.server = server->pid,
                            .client_cpu = (u8)cpu,
                            .server_cpu = (u8)__builtin_ctz(stays),
                            .server_cpus = serves_on(server),
                            .flags = may_spread(server) ? SCHED_SERVER_SPREADS : 0,
                            .idle_ms = age_of(last > begun ? last : begun)};
}

void pairs_add(struct view *view, const struct watched *processes, u32 count)
{
    u32 known;
    const struct calls_pair *pairs = calls_pairs(&known);

    for (u32 i = 0; i < known; i++)
        add_pair(view, &pairs[i], find(processes, count, pairs[i].client),
                 find(processes, count, pairs[i].server));
    for (u32 i = 0; i < count; i++)
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            if (processes[i].placed && !processes[i].rests &&
                (processes[i].place.spread >> cpu & 1) != 0)
                add_idle(view, &processes[i], cpu);
}

u32 pairs_top(struct sched_pair *to, u32 room)
{
    u32 known;
    const struct calls_pair *pairs = calls_pairs(&known);

    for (u32 i = 0; i < known && i < room; i++)
        to[i] = without_acts(&pairs[i]);
    return known;
}
