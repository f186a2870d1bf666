// SPDX-License-Identifier: MIT
// Adds up samples by place and thread while the trace is read, then by function and process. The
// trace may tell only later to which process a thread belongs.
#include "analyses/trace_profile.h"
#include "samples/share.h"
#include "symbols/place.h"
#include "tools/text.h"

#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 200

struct profile_row {
    u64 key[KEY_WORDS]; // thread, flags, address; then process, thread, flags, function
    u64 samples;
    u64 process; // samples of all functions of its process
};
enum { PROCESS, THREAD, FLAGS, FUNCTION };

struct profile {
    struct trace_walk walk;
    struct keyed_rows places;
    u64 lost;
    struct trace_names names;
};

// values: pc, thread, flags
static int take_event(void *context, const struct trace_event *event)
{
    struct profile *profile = context;
    const u64 *values = event->values;
    if (!trace_walk_has_cpu(&profile->walk, event->cpu))
        return KOV_OK;
    if (event->kind == EVENT_SAMPLE_LOST) {
        profile->lost += values[0];
    } else if (event->kind == EVENT_SAMPLE) {
        u64 flags = values[2] & (SYS_SAMPLE_KERNEL | SYS_SAMPLE_IDLE);
        struct profile_row *row =
            keyed_rows_get(&profile->places, (const u64[KEY_WORDS]){values[1], flags, values[0]});
        row->samples++;
    }
    return KOV_OK;
}

// ---- by function -------------------------------------------------------------------------------

static struct symbols *symbols_of(struct profile *profile, u64 pid, u64 flags)
{
    if ((flags & SYS_SAMPLE_KERNEL) != 0)
        return trace_names_kernel(&profile->names, profile->walk.choice->descriptions);
    return pid > UINT32_MAX
               ? NULL
               : program_symbols(&profile->names.programs, &profile->names.snapshot, (u32)pid);
}

// Adds a place to its function and process. A thread whose process is not known has rows of its
// own.
static void add_place(struct profile *profile, const struct profile_row *place,
                      struct keyed_rows *functions, struct keyed_rows *processes)
{
    u64 thread = place->key[0], flags = place->key[1], pc = place->key[2];
    bool idle = (flags & SYS_SAMPLE_IDLE) != 0;
    u64 pid = idle ? ACTIVITY_NO_PID : trace_walk_pid(&profile->walk, thread);
    struct symbol symbol = symbols_find(symbols_of(profile, pid, flags), pc);
    u64 offset = symbol.function == NULL ? 0 : symbol.offset;
    u64 key[KEY_WORDS] = {pid, pid == ACTIVITY_NO_PID && !idle ? thread : 0, flags, pc - offset};
    ((struct profile_row *)keyed_rows_get(functions, key))->samples += place->samples;
    key[FLAGS] = flags & SYS_SAMPLE_IDLE;
    key[FUNCTION] = 0;
    ((struct profile_row *)keyed_rows_get(processes, key))->samples += place->samples;
}

static struct profile_row *process_of(const struct keyed_rows *processes,
                                      const struct profile_row *function)
{
    u64 key[KEY_WORDS];
    memcpy(key, function->key, sizeof(key));
    key[FLAGS] &= SYS_SAMPLE_IDLE;
    key[FUNCTION] = 0;
    return keyed_rows_find(processes, key);
}

static int compare(const void *one, const void *other)
{
    const struct profile_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->process != b->process)
        return a->process > b->process ? -1 : 1;
    int same = memcmp(a->key, b->key, (THREAD + 1) * sizeof(u64));
    if (same == 0 && a->samples != b->samples)
        return a->samples > b->samples ? -1 : 1;
    return same != 0 ? same : memcmp(a->key, b->key, sizeof(a->key));
}

static void order(struct keyed_rows *rows, const struct keyed_rows *processes)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct profile_row *row = rows->rows[i];
        row->process = process_of(processes, row)->samples;
    }
    if (rows->count > 1)
        qsort(rows->rows, rows->count, sizeof(void *), compare);
}

// ---- the answer --------------------------------------------------------------------------------

static void put_process(json_t *row, const struct profile *profile, const struct profile_row *of)
{
    trace_tool_put_process(row, &profile->walk, of->key[PROCESS], of->key[THREAD],
                           (of->key[FLAGS] & SYS_SAMPLE_IDLE) != 0);
}

static void put_share(json_t *row, const char *key, u64 samples, u64 all)
{
    char error[NAME_BYTES];
    struct estimate share = share_of((double)samples, (double)all, (double)all);
    snprintf(error, sizeof(error), "%s_error", key);
    put_number(row, key, share.value);
    put_number(row, error, share.error);
}

static void put_functions(json_t *document, struct profile *profile,
                          const struct keyed_rows *functions, u64 most)
{
    json_t *rows = put_array(document, "functions");
    u64 place = 0;
    for (size_t i = 0; i < functions->count; i++) {
        const struct profile_row *function = functions->rows[i];
        const struct profile_row *before = i == 0 ? NULL : functions->rows[i - 1];
        char name[NAME_BYTES];
        u64 address = function->key[FUNCTION], flags = function->key[FLAGS];
        bool same = before != NULL &&
                    memcmp(before->key, function->key, (THREAD + 1) * sizeof(u64)) == 0 &&
                    ((before->key[FLAGS] ^ flags) & SYS_SAMPLE_IDLE) == 0;
        place = same ? place + 1 : 0;
        if (most != 0 && place >= most)
            continue;
        json_t *row = put_object(rows, NULL);
        struct symbols *symbols = symbols_of(profile, function->key[PROCESS], flags);
        place_function(symbols_find(symbols, address), address, name, sizeof(name));
        put_process(row, profile, function);
        put_u64(row, "samples", function->samples);
        put_share(row, "share", function->samples, function->process);
        put_text(row, "code", (flags & SYS_SAMPLE_KERNEL) != 0 ? "kernel" : "program");
        put_text(row, "function", name);
        put_hex(row, "address", address);
    }
}

static void put_answer(json_t *document, struct profile *profile, u64 most)
{
    struct keyed_rows functions = {.row_bytes = sizeof(struct profile_row)};
    struct keyed_rows processes = {.row_bytes = sizeof(struct profile_row)};
    u64 all = 0;
    for (size_t i = 0; i < profile->places.count; i++) {
        const struct profile_row *place = profile->places.rows[i];
        bool idle = (place->key[1] & SYS_SAMPLE_IDLE) != 0;
        if (idle ? profile->walk.choice->pid != TRACE_ANY
                 : !trace_walk_has_thread(&profile->walk, place->key[0]))
            continue;
        add_place(profile, place, &functions, &processes);
        all += place->samples;
    }
    order(&functions, &processes);
    order(&processes, &processes);
    json_t *rows = put_array(document, "processes");
    for (size_t i = 0; i < processes.count; i++) {
        const struct profile_row *process = processes.rows[i];
        json_t *row = put_object(rows, NULL);
        put_process(row, profile, process);
        put_u64(row, "samples", process->samples);
        put_share(row, "share", process->samples, all);
    }
    put_functions(document, profile, &functions, most);
    put_u64(document, "samples", all);
    put_u64(document, "samples_lost", profile->lost);
    trace_tool_put_walk(document, &profile->walk);
    keyed_rows_free(&functions);
    keyed_rows_free(&processes);
}

static int name_programs(struct snapshot *snapshot, const struct texts *programs)
{
    for (u32 i = 0; i < programs->count; i++) {
        char number[24];
        const char *text = programs->texts[i], *name = strchr(text, '=');
        u64 pid = 0;
        snprintf(number, sizeof(number), "%.*s", (int)strcspn(text, "="), text);
        if (name == NULL || name[1] == '\0' || !text_to_u64(number, 1, UINT32_MAX, &pid))
            return fail(KOV_USAGE, "--program '%s': must be PID=NAME", text);
        struct process_info info = {.pid = (u32)pid, .name = (char *)name + 1};
        snapshot_add_process(snapshot, &info);
    }
    return KOV_OK;
}

int trace_profile(struct engine *engine, const struct trace_choice *choice,
                  const struct texts *programs, u64 most, json_t *document)
{
    struct profile profile = {.walk = {.choice = choice, .event = take_event, .context = &profile},
                              .places = {.row_bytes = sizeof(struct profile_row)}};
    int code = name_programs(&profile.names.snapshot, programs);
    if (code == KOV_OK)
        code = trace_walk(&profile.walk, engine);
    trace_names_by_labels(&profile.names, &profile.walk.labels);
    if (code == KOV_OK)
        put_answer(document, &profile, most);
    keyed_rows_free(&profile.places);
    trace_names_free(&profile.names);
    trace_walk_free(&profile.walk);
    return code;
}

#define SAMPLES_AND_SHARE                                                                          \
    COLUMN("PROCESS", "process", -14), COLUMN("SAMPLES", "samples", 9),                            \
        COLUMN("SHARE", "share", 9, .decimals = 2, .unit = " %"),                                  \
        COLUMN("+-", "share_error", 6, .decimals = 2), HIDDEN("pid")
static const struct column process_columns[] = {SAMPLES_AND_SHARE, COLUMNS_END};
static const struct column function_columns[] = {
    SAMPLES_AND_SHARE,
    COLUMN("CODE", "code", -7),
    COLUMN("FUNCTION", "function", -1),
    HIDDEN("address"),
    COLUMNS_END,
};
const struct sheet trace_profile_sheets[] = {
    {"processes", process_columns}, {"functions", function_columns}, {NULL, NULL}};

void trace_profile_note(const json_t *document)
{
    printf("%" JSON_INTEGER_FORMAT " samples, %" JSON_INTEGER_FORMAT
           " lost; functions' shares are of their process, ± in 99 of 100 cases\n",
           json_integer_value(json_object_get(document, "samples")),
           json_integer_value(json_object_get(document, "samples_lost")));
}
