// SPDX-License-Identifier: MIT
// What watching costs the machine.
#include "gateway/watching.h"
#include "gateway/own_programs.h"
#include "output/document.h"
#include "samples/ranking.h"
#include "samples/sampled_events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The names as the machine's boot image has them; `serves_others`: what it does is not for the
// monitor alone.
static const struct {
    const char *name;
    bool serves_others;
} own[] = {{"dci", false}, {"net", true}};

static bool serves_others(const char *name)
{
    for (u32 i = 0; i < ARRAY_SIZE(own); i++)
        if (strcmp(own[i].name, name) == 0)
            return own[i].serves_others;
    return true;
}

static bool is_own(const struct snapshot *snapshot, const struct process_info *process)
{
    if (process->pid == 0 || process->parent == 0 || is_own_program(snapshot, process->pid))
        return false;
    for (u32 i = 0; i < ARRAY_SIZE(own); i++)
        if (strcmp(own[i].name, process->name) == 0)
            return true;
    return false;
}

static struct watching_program *find(struct watching *watching, u32 pid)
{
    for (u32 i = 0; i < watching->count; i++)
        if (watching->programs[i].pid == pid)
            return &watching->programs[i];
    return NULL;
}

bool watching_has(const struct watching *watching, u32 pid)
{
    for (u32 i = 0; i < watching->count; i++)
        if (watching->programs[i].pid == pid)
            return true;
    return false;
}

void watching_take(struct watching *watching, const struct snapshot *snapshot)
{
    for (u32 i = 0; i < watching->count; i++)
        watching->programs[i].ended = snapshot_process(snapshot, watching->programs[i].pid) == NULL;
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process_info *process = &snapshot->processes[i];
        if (!is_own(snapshot, process) || find(watching, process->pid) != NULL)
            continue;
        if (watching->count == WATCHING_MAX)
            memmove(watching->programs, watching->programs + 1,
                    --watching->count * sizeof(watching->programs[0]));
        struct watching_program *program = &watching->programs[watching->count++];
        *program = (struct watching_program){.pid = process->pid};
        snprintf(program->name, sizeof(program->name), "%s", process->name);
    }
}

// ---- what it costs -----------------------------------------------------------------------------

// The samples that tell the cost.
struct cost {
    struct site_sums sums;
    u32 event;
    double seconds;
    struct ranking processes;
};

static u64 own_samples(const struct watching *watching, const struct ranking *ranking)
{
    u64 samples = 0;
    for (size_t i = 0; i < ranking->count; i++)
        for (u32 j = 0; j < watching->count; j++)
            if (ranking->rows[i].kind == SITE_PROCESS &&
                ranking->rows[i].pid == watching->programs[j].pid)
                samples += ranking->rows[i].samples;
    return samples;
}

// Takes instructions or run cycles: the one of which more samples are of the monitor, since that
// tells more exactly what it costs. Returns false if neither is sampled.
static bool choose_event(const struct watching *watching, const struct history *history,
                         const struct snapshot *snapshot, struct cost *cost)
{
    static const char *const names[] = {"instructions", RUN_CYCLES_NAME};
    bool found = false;
    for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
        struct ranking ranking;
        u32 event = history_event(history, names[i]);
        if (event == HISTORY_NO_EVENT || site_sums_covered(&cost->sums, event) == 0)
            continue;
        ranking_compute(&cost->sums, NULL, event, RANKING_PROCESS, snapshot, &ranking);
        if (found && own_samples(watching, &ranking) <= own_samples(watching, &cost->processes)) {
            ranking_free(&ranking);
            continue;
        }
        if (found)
            ranking_free(&cost->processes);
        cost->processes = ranking;
        cost->event = event;
        found = true;
    }
    return found;
}

// Returns a row's events a second. Nothing sampled: at most what chance may have left out.
static struct estimate rate_of(const struct cost *cost, enum site_kind kind, u32 pid)
{
    const struct ranking *ranking = &cost->processes;
    struct share_base base = {0};
    for (size_t i = 0; i < ranking->count; i++) {
        const struct ranking_row *row = &ranking->rows[i];
        share_base_add(&base, false, row->events.value,
                       pow(row->events.error / samples_error(1), 2));
        if (row->kind == kind && (kind == SITE_IDLE || row->pid == pid) && row->samples > 0)
            return (struct estimate){row->events.value / cost->seconds,
                                     row->events.error / cost->seconds};
    }
    double part = share_of_none(base.busy, base.busy_square).error / 100;
    return (struct estimate){0, base.busy > 0 ? part * base.busy / cost->seconds : INFINITY};
}

static void put_part(json_t *parts, const char *name, const u32 *pid, const struct estimate *rate,
                     bool bound)
{
    json_t *json = put_object(parts, NULL);
    put_text(json, "name", name);
    if (pid != NULL)
        put_u64(json, "pid", *pid);
    if (rate != NULL) {
        put_number(json, "value", rate->value);
        if (isfinite(rate->error))
            put_number(json, "error", rate->error);
    }
    put_bool(json, "bound", bound);
}

static void put_parts(const struct watching *watching, const struct cost *cost, json_t *data)
{
    json_t *parts = put_array(data, "parts");
    struct estimate rate;
    for (u32 i = 0; i < watching->count; i++) {
        const struct watching_program *program = &watching->programs[i];
        if (cost != NULL)
            rate = rate_of(cost, SITE_PROCESS, program->pid);
        put_part(parts, program->name, &program->pid, cost == NULL || program->ended ? NULL : &rate,
                 serves_others(program->name));
    }
    if (cost != NULL)
        rate = rate_of(cost, SITE_IDLE, 0);
    put_part(parts, "idle", NULL, cost == NULL ? NULL : &rate, true);
}

void watching_put(const struct watching *watching, const struct history *history,
                  const struct snapshot *snapshot, double now, u64 hertz, json_t *data)
{
    struct cost cost = {0};
    struct history_range range;
    u32 count;
    site_sums_begin(&cost.sums, SITES_MAX);
    if (history != NULL &&
        history_range(history, now - WATCHING_SECONDS * 1e9, now, &cost.sums, &range) &&
        choose_event(watching, history, snapshot, &cost)) {
        put_text(data, "event", history_events(history, &count)[cost.event].name);
        cost.seconds = (double)site_sums_covered(&cost.sums, cost.event) / (double)hertz;
        put_number(data, "seconds", cost.seconds);
        put_parts(watching, &cost, data);
        ranking_free(&cost.processes);
    } else {
        put_text(data, "why", "neither instructions nor run cycles are sampled");
        put_parts(watching, NULL, data);
    }
    site_sums_free(&cost.sums);
}
