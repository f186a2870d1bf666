// SPDX-License-Identifier: MIT
// Topics: which are due, and what their parameters mean.
#include "gateway/machine_state.h"
#include "tools/clock.h"
#include "tools/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LIVE_SECONDS 10.0
#define LIVE_SECONDS_MAX 3600.0

static const struct {
    double seconds; // seconds between two
    int (*publish)(struct machine *machine, struct published *published);
    bool asks; // it asks the machine each time
} kinds[WATCHED_KINDS] = {
    [WATCHED_OBJECTS] = {HEAT_SECONDS, publish_objects},
    [WATCHED_HEAT] = {HEAT_SECONDS, publish_heat},
    [WATCHED_METRIC] = {METRIC_COUNTS_SECONDS, publish_metric, true},
    [WATCHED_METRICS] = {METRIC_COUNTS_SECONDS, publish_metrics, true},
    [WATCHED_SERIES] = {1, publish_series},
    [WATCHED_RANKING] = {1, publish_ranking},
    [WATCHED_FUNCTIONS] = {1, publish_functions},
    [WATCHED_CONSOLE] = {0.1, publish_console},
    [WATCHED_STATUS] = {STATUS_SECONDS, publish_status},
    [WATCHED_PROCESSES] = {PROCESSES_SECONDS, publish_processes, true},
    [WATCHED_SERVER] = {1, publish_server, true},
    [WATCHED_WORKLOADS] = {0.5, publish_workloads, true},
    [WATCHED_MARKS] = {1, publish_marks, true},
    [WATCHED_CALLS] = {1, publish_calls, true},
    [WATCHED_SLICES] = {INFINITY, publish_slices}, // once: what was does not change
    [WATCHED_THREADS] = {INFINITY, publish_threads},
};

// Ends a topic of which the machine never has anything.
static bool is_refused(struct machine *machine, const struct published *published)
{
    const char *why = NULL;
    if (machine->settings.folder != NULL && !folder_has(published->kind))
        why = "a trace folder does not tell this; Timeline (4) shows what it tells";
    if (machine->settings.samples != NULL)
        why = samples_lack(machine, published);
    if (why != NULL)
        publish_stop(machine, published, why);
    return why != NULL;
}

static int publish_those(struct machine *machine, bool asks)
{
    int code = KOV_OK;
    for (struct published *one = machine->published; one != NULL && code == KOV_OK;
         one = one->next) {
        double now = clock_now();
        if (kinds[one->kind].asks != asks || now < one->due)
            continue;
        one->due = now + kinds[one->kind].seconds;
        if (!is_refused(machine, one))
            code = kinds[one->kind].publish(machine, one);
        one->afresh = false;
    }
    return code;
}

// Says what is due. What is known does not wait for answers of a machine that may be slow.
int publish_due(struct machine *machine)
{
    int code = publish_those(machine, false);
    return code == KOV_OK ? publish_those(machine, true) : code;
}

void publish_clock(struct machine *machine)
{
    for (struct published *one = machine->published; one != NULL; one = one->next)
        if (one->kind == WATCHED_STATUS || one->kind == WATCHED_MARKS)
            kinds[one->kind].publish(machine, one);
}

double publish_next(const struct machine *machine)
{
    double next = INFINITY;
    for (const struct published *one = machine->published; one != NULL; one = one->next)
        next = fmin(next, one->due);
    return next;
}

double publish_number(const struct published *published, const char *name, double otherwise)
{
    const json_t *value = json_object_get(published->parameters, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

const char *publish_text(const struct published *published, const char *name)
{
    const char *text = json_string_value(json_object_get(published->parameters, name));
    return text == NULL ? "" : text;
}

void publish_interval(const struct machine *machine, const struct published *published,
                      double *from, double *to)
{
    double seconds = publish_number(published, "seconds", LIVE_SECONDS);
    seconds = fmin(fmax(seconds, 1), LIVE_SECONDS_MAX);
    *to = publish_number(published, "to",
                         machine_time(machine, background_now(&machine->background)));
    *from = publish_number(published, "from", *to - seconds * 1e9);
}

void publish_stop(struct machine *machine, const struct published *published, const char *why)
{
    machine_post(machine, (struct post){.kind = POST_STOPPED,
                                        .topic = published->number,
                                        .json = json_pack("{s:o}", "message", block_text(why))});
}

u32 publish_measure(struct machine *machine, const struct published *published)
{
    const char *measure = publish_text(published, "measure");
    if (machine->history == NULL)
        return HISTORY_NO_EVENT;
    bool counted = dref_counts_has(measure);
    if (counted && (machine->player != NULL || machine->settings.samples != NULL))
        publish_stop(machine, published, "a recording has no counts by object");
    else if (counted && !dref_counts_watch(&machine->dref_counts, measure))
        publish_stop(machine, published, machine->failure);
    return history_event(machine->history, measure);
}

// Reads "12:1a30", which follows "o:".
static bool object_key(const char *text, struct ranking_thing *thing)
{
    u64 pid, coid;
    char number[24], hex[24];
    const char *colon = strchr(text, ':');
    if (colon == NULL || colon - text >= (ptrdiff_t)sizeof(number))
        return false;
    snprintf(number, sizeof(number), "%.*s", (int)(colon - text), text);
    snprintf(hex, sizeof(hex), "0x%.20s", colon + 1);
    if (!text_to_u64(number, 0, UINT32_MAX, &pid) || !text_to_u64(hex, 0, UINT64_MAX, &coid))
        return false;
    *thing = (struct ranking_thing){.kind = SITE_OBJECT, .pid = (u32)pid, .coid = (coid_t)coid};
    return true;
}

bool publish_thing(const char *key, struct ranking_thing *thing, u32 *cpu)
{
    u64 number = 0;
    *thing = (struct ranking_thing){.kind = SITE_ALL};
    *cpu = ALL_CPUS;
    if (strcmp(key, "m") == 0)
        return true;
    if (strncmp(key, "c:", 2) == 0) {
        bool is_number = text_to_u64(key + 2, 0, ORRERY_MAX_CPUS - 1, &number);
        *cpu = (u32)number;
        return is_number;
    }
    if (strncmp(key, "p:", 2) == 0) {
        *thing = (struct ranking_thing){.by = RANKING_PROCESS, .kind = SITE_PROCESS};
        bool is_number = text_to_u64(key + 2, 0, UINT32_MAX, &number);
        thing->pid = (u32)number;
        return is_number;
    }
    if (strncmp(key, "n:", 2) == 0) {
        *thing = (struct ranking_thing){.kind = SITE_NONE};
        bool is_number = text_to_u64(key + 2, 0, UINT32_MAX, &number);
        thing->pid = (u32)number;
        return is_number;
    }
    if (strcmp(key, "i") == 0) {
        *thing = (struct ranking_thing){.kind = SITE_IDLE};
        return true;
    }
    if (strncmp(key, "k:", 2) == 0) {
        *thing =
            (struct ranking_thing){.by = RANKING_CLASS, .kind = SITE_OBJECT, .class_name = key + 2};
        return true;
    }
    return strncmp(key, "o:", 2) == 0 && object_key(key + 2, thing);
}
