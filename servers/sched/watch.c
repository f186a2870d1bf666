// SPDX-License-Identifier: MIT
// Readings: lengths of run queues, and how long each process has run. Where a process is, is known
// if it has been placed on one CPU, or has a dispatcher on one only.
#include "watch.h"

#include "calls.h"
#include "domains.h"
#include "logs.h"

#include <orrery/place.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/time.h>

static struct watched watched[VIEW_PROCESSES]; // in rising order of pids
static u32 watched_count, cpu_count;
static bool with_calls;
static u64 block_readings; // since the policy was chosen
static u64 readings, times[SCHED_READINGS + 1];
static u8 lengths[SCHED_READINGS][SCHED_CPUS];

void watch_begin(u32 cpus, bool wants_calls)
{
    cpu_count = cpus;
    with_calls = wants_calls;
    block_readings = 0;
    domains_begin();
    calls_begin(cpus);
    pairs_begin(cpus);
    watch_anew();
}

void watch_anew(void)
{
    readings = 0;
    watched_count = 0;
    memset(lengths, 0, sizeof(lengths));
}

void watch_rested(void)
{
    block_readings = 0;
    calls_rested();
    watch_anew();
}

// Returns the entry of a process, or a new one; NULL if there is no room.
static struct watched *entry_of(u32 pid)
{
    u32 at = 0;

    while (at < watched_count && watched[at].pid < pid)
        at++;
    if (at < watched_count && watched[at].pid == pid)
        return &watched[at];
    if (watched_count == VIEW_PROCESSES)
        return NULL;
    memmove(&watched[at + 1], &watched[at], (watched_count - at) * sizeof(watched[0]));
    watched_count++;
    watched[at] = (struct watched){.pid = pid};
    return &watched[at];
}

static void note(const struct sys_process_info *info)
{
    struct watched *entry = entry_of(info->pid);

    domains_note(info->pid);
    if (entry == NULL)
        return;
    bool new = entry->seen == 0;
    entry->seen = readings;
    entry->dispatchers = info->dispatchers;
    entry->placeable = info->state == PROCESS_LIVE && info->pid != 1 &&
                       info->priority < PROCESS_SERVER && !(info->rights & RIGHT_SERVER);
    entry->spreadable = info->state == PROCESS_LIVE && info->pid != 1;
    memcpy(entry->name, info->name, sizeof(entry->name));
    for (u32 i = 0; i < SCHED_READINGS; i++)
        entry->ticks[i] = new ? info->cpu_ticks : entry->ticks[i + 1];
    entry->ticks[SCHED_READINGS] = info->cpu_ticks;
}

static void forget_ended(void)
{
    u32 kept = 0;

    for (u32 i = 0; i < watched_count; i++)
        if (watched[i].seen == readings)
            watched[kept++] = watched[i];
    watched_count = kept;
}

s64 watch_read(void)
{
    static struct sys_process_info infos[64];
    u64 cursor = 0;
    s64 bytes;

    readings++;
    memmove(lengths[0], lengths[1], sizeof(lengths) - sizeof(lengths[0]));
    memmove(times, times + 1, sizeof(times) - sizeof(times[0]));
    s64 error = logs_read_queues(lengths[SCHED_READINGS - 1]);
    s64 calls_error = calls_read();
    times[SCHED_READINGS] = time_now();
    while ((bytes = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)bytes / sizeof(infos[0]); i++)
            note(&infos[i]);
    forget_ended();
    domains_taken_back();
    if (++block_readings % SCHED_BLOCK == 0)
        calls_end_block();
    return error != 0 ? error : calls_error;
}

// Returns the CPU of a process that may be placed, or SCHED_CPUS.
static u32 cpu_of(const struct watched *entry)
{
    const struct sys_placement *place = &entry->place;

    if (!entry->placeable || !entry->placed || (place->flags & (PLACE_PINNED | PLACE_SERVES)) != 0)
        return SCHED_CPUS;
    u64 cpus = place->cpus != 0 ? place->cpus : entry->dispatchers;
    return __builtin_popcountl(cpus) == 1 ? (u32)__builtin_ctzl(cpus) : SCHED_CPUS;
}

static u32 permille_of(const struct watched *entry)
{
    u64 ran = entry->ticks[SCHED_READINGS] - entry->ticks[0];
    u64 passed = times[SCHED_READINGS] - times[0];

    return passed != 0 ? (u32)(ran * 1000 / passed) : 0;
}

bool watch_view(struct view *view, bool (*leave_out)(u32 pid))
{
    if (readings <= SCHED_READINGS)
        return false;
    if (with_calls && block_readings % SCHED_BLOCK != 0)
        return false; // nothing new is known of them
    *view = (struct view){.cpus = cpu_count};
    memcpy(view->lengths, lengths, sizeof(lengths));
    for (u32 i = 0; i < watched_count; i++) {
        struct watched *entry = &watched[i];
        u32 permille = permille_of(entry);
        entry->placed = sys_place_get(entry->pid, &entry->place) == 0;
        entry->cpu = cpu_of(entry);
        entry->rests = leave_out(entry->pid);
        entry->permille = permille;
        if (permille != 0 && !entry->rests && entry->cpu < cpu_count)
            view->processes[view->count++] =
                (struct view_process){entry->pid, entry->cpu, permille};
        pairs_add_affinity(view, entry, permille);
    }
    pairs_age(&view->pairs_ms, &view->pairs_age_ms, with_calls);
    pairs_add(view, watched, watched_count);
    return true;
}

void watch_name(u32 pid, char name[PROCESS_NAME_MAX])
{
    for (u32 i = 0; i < watched_count; i++)
        if (watched[i].pid == pid)
            memcpy(name, watched[i].name, PROCESS_NAME_MAX);
}
