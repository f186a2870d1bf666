// SPDX-License-Identifier: MIT
// Workloads of a machine.
#include "gateway/runs.h"
#include "gateway/machine_state.h"
#include "tools/clock.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 32
#define POLL_SECONDS 0.5

static struct run *run_of(struct runs *runs, u64 id)
{
    for (u32 i = runs->count; i-- > 0;)
        if (runs->runs[i].result.id == id)
            return &runs->runs[i];
    return NULL;
}

static void forget_oldest(struct runs *runs)
{
    workload_free(&runs->runs[0].result);
    memmove(runs->runs, runs->runs + 1, sizeof(runs->runs) - sizeof(runs->runs[0]));
    runs->count--;
}

static struct run *add(struct runs *runs, u64 id, const char *name, u64 begin)
{
    if (runs->count == RUNS_KEPT_MAX)
        forget_oldest(runs);
    struct run *run = &runs->runs[runs->count++];
    *run = (struct run){.result = {.id = id, .running = true}, .begin = begin};
    snprintf(run->name, sizeof(run->name), "%s", name);
    runs->changes++;
    return run;
}

static u64 number_in(const json_t *told, const char *key)
{
    return (u64)json_integer_value(json_object_get(told, key));
}

static void take_run(struct runs *runs, const json_t *told)
{
    u64 began = number_in(told, "began");
    struct run *run = run_of(runs, number_in(told, "id"));
    if (run == NULL) {
        if (runs->count == RUNS_KEPT_MAX && began < runs->runs[0].begin)
            return; // it has been forgotten
        const char *command = json_string_value(json_object_get(told, "command"));
        run = add(runs, number_in(told, "id"), command, began);
        for (char *c = strpbrk(run->name, ":,"); c != NULL; c = strpbrk(c, ":,"))
            *c = ' ';
    }
    run->begin = began;
    run->ended = number_in(told, "ended");
    if (run->end != 0 && run->ended != 0 && run->end != run->ended) {
        run->end = run->ended; // its account came before the machine had told when
        runs->changes++;
    }
}

int runs_find(struct runs *runs)
{
    json_t *list = json_array();
    int code = workload_runs_fetch(list);
    for (size_t i = 0; i < json_array_size(list); i++)
        take_run(runs, json_array_get(list, i));
    json_decref(list);
    return code == KOV_FAILED ? KOV_OK : code; // what is known stays
}

static int attend_run(struct runs *runs, struct run *run, u64 now)
{
    char *before = run->result.report;
    run->result.report = NULL;
    int code = workload_status(run->result.id, &run->result);
    if (code == KOV_FAILED) { // how it ended is not known
        run->result = (struct workload_result){.id = run->result.id};
        run->forgotten = true;
        code = KOV_OK;
    }
    bool same =
        before != NULL && run->result.report != NULL && strcmp(before, run->result.report) == 0;
    free(before);
    runs->changes += !same || !run->result.running;
    if (!run->result.running)
        run->end = run->ended != 0 ? run->ended : now;
    return code;
}

int runs_attend_one(struct runs *runs, u64 id, u64 now)
{
    for (u32 i = 0; i < runs->count; i++)
        if (runs->runs[i].result.id == id && runs->runs[i].end == 0)
            return attend_run(runs, &runs->runs[i], now);
    return KOV_OK;
}

int runs_fetch_kinds(struct runs *runs)
{
    if (runs->kinds != NULL)
        return KOV_OK;
    json_t *kinds = json_array();
    int code = workloads_fetch(kinds);
    if (code == KOV_CONNECTION) { // whether there are any is not known
        json_decref(kinds);
        return code;
    }
    runs->kinds = kinds;
    runs->changes++;
    return code;
}

int runs_attend(struct runs *runs, u64 now)
{
    if (clock_now() < runs->due)
        return KOV_OK;
    runs->due = clock_now() + POLL_SECONDS;
    int code = runs_fetch_kinds(runs);
    if (code == KOV_OK)
        code = runs_find(runs);
    for (u32 i = 0; i < runs->count && code != KOV_CONNECTION; i++)
        if (runs->runs[i].end == 0)
            code = attend_run(runs, &runs->runs[i], now);
    return code;
}

int runs_start(struct runs *runs, const char *text, u64 now, u64 *id)
{
    char copy[RUN_NAME_BYTES], *words[WORDS_MAX], *rest = NULL;
    struct arguments arguments = {.workload = words, .has_workload = true};
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *word = strtok_r(copy, " ", &rest);
         word != NULL && arguments.workload_count < WORDS_MAX; word = strtok_r(NULL, " ", &rest))
        words[arguments.workload_count++] = word;
    if (arguments.workload_count == 0)
        return fail(KOV_USAGE, "the name of a workload is missing");
    int code = workload_start(&arguments, id);
    if (code != KOV_OK)
        return code;
    if (run_of(runs, *id) == NULL)
        add(runs, *id, text, now);
    return KOV_OK;
}

json_t *runs_json(const struct runs *runs, const struct machine *machine)
{
    json_t *data = json_object(), *list = put_array(data, "runs");
    json_object_set(data, "kinds", runs->kinds == NULL ? json_null() : runs->kinds);
    for (u32 i = 0; i < runs->count; i++) {
        const struct run *run = &runs->runs[i];
        json_t *json = put_object(list, NULL);
        put_u64(json, "id", run->result.id);
        put_text(json, "name", run->name);
        put_bool(json, "running", run->end == 0);
        json_object_set_new(json, "error",
                            run->forgotten ? json_null() : json_integer(run->result.error));
        put_text(json, "report", run->result.report);
        json_object_set_new(json, "begin", json_real(machine_time(machine, run->begin)));
        json_object_set_new(
            json, "end", run->end == 0 ? json_null() : json_real(machine_time(machine, run->end)));
    }
    return data;
}

void runs_marks(const struct runs *runs, const struct machine *machine, json_t *list)
{
    for (u32 i = 0; i < runs->count; i++) {
        const struct run *run = &runs->runs[i];
        json_t *mark = put_object(list, NULL);
        put_text(mark, "kind", "workload");
        put_text(mark, "name", run->name);
        json_object_set_new(mark, "begin", json_real(machine_time(machine, run->begin)));
        json_object_set_new(
            mark, "end", run->end == 0 ? json_null() : json_real(machine_time(machine, run->end)));
    }
}

void runs_free(struct runs *runs)
{
    while (runs->count > 0)
        forget_oldest(runs);
    json_decref(runs->kinds);
    runs->kinds = NULL;
}
