// SPDX-License-Identifier: MIT
// The table of needs. Threads and processes are known by SCHED. EXC tells when the kernel is in an
// exception, else nobody knows what a CPU does; SYSCALL tells plain system calls apart from
// the thread's own code.
#include "analyses/trace_needs.h"
#include "tools/kov.h"
#include "tools/text.h"
#include "trace/descriptions.h"

#include <string.h>

#define KEY_BYTES 64
#define LIST_BYTES 512 // for the names of all majors

struct need {
    const char *tool, *part; // a member of the document: rows, or one object
    const char *keys;        // "a,b": these, each also as KEY_ticks; NULL: all of it; "": only told
    const char *majors;
};

#define MAJORS_ASKED NULL // the document has them
#define SPREAD "min,mean,p50,p99,max"
static const struct need needs[] = {
    {"breakdown", "processes", NULL, "SCHED"},
    {"breakdown", "processes", "user,syscall,ipc,ex_process", "SCHED,EXC,SYSCALL"},
    {"breakdown", "processes", "fault,interrupt,idle", "SCHED,EXC"},
    {"breakdown", "processes", "call,blocked,served,ex_process", "SCHED,EXC,SYSCALL,IPC"},
    {"breakdown", "processes", "syscalls", "SYSCALL"},
    {"breakdown", "processes", "faults", "FAULT"},
    {"breakdown", "processes", "calls", "IPC"},
    {"breakdown", "cpus", "user,syscall,ipc", "SCHED,EXC,SYSCALL"},
    {"breakdown", "cpus", "fault,interrupt,idle", "SCHED,EXC"},
    {"breakdown", "servers", NULL, "SCHED,IPC"},
    {"breakdown", "servers", "worked", "EXC"},
    {"breakdown", "syscalls", NULL, "SCHED,SYSCALL"},
    {"breakdown", "syscalls", "own,fault", "EXC"},
    {"breakdown", "syscalls", "faults", "FAULT"},
    {"locks", "locks", NULL, "LOCK"},
    {"locks", "locks", "process,pid,name", "SCHED"},
    {"locks", "all", NULL, "LOCK"},
    {"locks", "rows", NULL, "LOCK"},
    {"locks", "holds", NULL, "LOCKHOLD"},
    {"profile", "processes", NULL, "PMU,SCHED"},
    {"profile", "functions", NULL, "PMU"},
    {"profile", "samples", NULL, "PMU"},
    {"profile", "samples_lost", NULL, "PMU"},
    {"sched", "threads", NULL, "SCHED"},
    {"sched", "waits", NULL, "SCHED"},
    {"sched", "wakers", NULL, "SCHED"},
    {"sched", "all", NULL, "SCHED"},
    {"sched", "count", NULL, "SCHED"},
    {"threads", "threads", NULL, "SCHED"},
    {"idle", "cpus", "busy", "SCHED"},
    {"idle", "cpus", "count,idle,share,handling,interrupt,timer,wake,other,cut," SPREAD,
     "SCHED,EXC"},
    {"idle", "lengths", NULL, "SCHED,EXC"},
    {"syscalls", "syscalls", NULL, "SCHED,SYSCALL"},
    {"syscalls", "all", NULL, "SCHED,SYSCALL"},
    {"syscalls", "durations", NULL, "SCHED,SYSCALL"},
    {"faults", "faults", NULL, "SCHED,FAULT"},
    {"faults", "all", NULL, "SCHED,FAULT"},
    {"faults", "durations", NULL, "SCHED,FAULT"},
    {"count", "pairs", NULL, MAJORS_ASKED},
    {"count", "all", NULL, MAJORS_ASKED},
    {"waits", "waits", "", "SCHED,IPC,LOCKHOLD"},
    {"activity", "intervals", "", "SCHED,EXC,SYSCALL"},
    {"export", "slices", "", "SCHED,EXC,SYSCALL,IPC"},
    {"compare", "processes", NULL, "SCHED"},
    {"compare", "processes", "", "EXC,SYSCALL,IPC"},
    {"compare", "syscalls", NULL, "SCHED,SYSCALL"},
    {"compare", "faults", NULL, "SCHED,FAULT"},
    {"compare", "calls", NULL, "SCHED,IPC"},
    {"compare", "waits", NULL, "LOCK"},
    {"compare", "holds", NULL, "LOCKHOLD"},
};
// More needs of traces whose switches tell no reasons. No majors: these traces cannot know it.
static const struct need needs_of_older[] = {
    {"sched", "waits", NULL, ""},        {"sched", "wakers", NULL, ""},
    {"sched", "threads", "", "EXC"},     {"threads", "threads", "", "EXC"},
    {"syscalls", "syscalls", "", "EXC"},
};

// Returns whether a list "a,b" has the key.
static bool has_key(const char *keys, const char *key)
{
    size_t length = strlen(key);
    for (; *keys != '\0'; keys += strcspn(keys, ","), keys += *keys == ',')
        if (strncmp(keys, key, length) == 0 && (keys[length] == ',' || keys[length] == '\0'))
            return true;
    return false;
}

static void forget(json_t *at, const char *key)
{
    if (json_object_get(at, key) != NULL)
        put_text(at, key, NULL);
}

void trace_needs_clear(json_t *row, const char *keys)
{
    while (*keys != '\0') {
        char key[KEY_BYTES], ticks[KEY_BYTES + 8];
        int length = (int)strcspn(keys, ",");
        snprintf(key, sizeof(key), "%.*s", length, keys);
        snprintf(ticks, sizeof(ticks), "%s_ticks", key);
        forget(row, key);
        forget(row, ticks);
        keys += length + (keys[length] == ',');
    }
}

static void apply(json_t *document, const struct need *need)
{
    json_t *part = json_object_get(document, need->part);
    if (need->keys == NULL) {
        forget(document, need->part);
        return;
    }
    for (size_t i = 0; i < json_array_size(part); i++)
        trace_needs_clear(json_array_get(part, i), need->keys);
}

struct lack {
    u64 missing, partly; // majors
};

// Returns whether the trace cannot tell what this needs. Notes the majors to blame.
static bool is_lacking(const struct need *need, const json_t *document,
                       const struct recorded *recorded, struct lack *lack)
{
    u64 majors = need->majors != MAJORS_ASKED
                     ? recorded_mask(need->majors)
                     : (u64)json_integer_value(json_object_get(document, "majors"));
    lack->missing |= majors & ~recorded->ever;
    lack->partly |= majors & recorded->ever & ~recorded->always;
    return (majors & ~recorded->ever) != 0 || majors == 0;
}

static void put_majors(json_t *document, const char *key, u64 majors)
{
    json_t *names = put_array(document, key);
    for (u32 major = 0; major < 64; major++)
        if ((majors >> major & 1) != 0)
            put_text(names, NULL, descriptions_major(major));
}

void trace_needs_apply(json_t *document, const char *tool, const struct recorded *recorded)
{
    struct lack lack = {0};
    bool older = false;
    for (u32 i = 0; i < ARRAY_SIZE(needs); i++)
        if (strcmp(needs[i].tool, tool) == 0 && is_lacking(&needs[i], document, recorded, &lack))
            apply(document, &needs[i]);
    for (u32 i = 0; i < ARRAY_SIZE(needs_of_older) && !recorded->reasons; i++) {
        const struct need *need = &needs_of_older[i];
        if (strcmp(need->tool, tool) != 0 || !is_lacking(need, document, recorded, &lack))
            continue;
        older = true;
        apply(document, need);
    }
    put_majors(document, "not_recorded", lack.missing & ~recorded->undescribed);
    put_majors(document, "partly_recorded", lack.partly);
    put_majors(document, "not_described", lack.missing & recorded->undescribed);
    if (older)
        put_text(json_object_get(document, "not_described"), NULL, "reasons of SCHED:switch");
    put_bool(document, "recorded_told", recorded->told);
}

bool trace_needs_known(const char *tool, const char *part, const char *key,
                       const struct recorded *recorded)
{
    struct lack lack = {0};
    for (u32 i = 0; i < ARRAY_SIZE(needs); i++)
        if (strcmp(needs[i].tool, tool) == 0 && strcmp(needs[i].part, part) == 0 &&
            (needs[i].keys == NULL || has_key(needs[i].keys, key)) &&
            is_lacking(&needs[i], NULL, recorded, &lack))
            return false;
    return true;
}

// ---- for people --------------------------------------------------------------------------------

// Writes "EXC,SYSCALL". Returns false if there are none.
static bool list_names(const json_t *names, char list[LIST_BYTES])
{
    list[0] = '\0';
    for (size_t i = 0; i < json_array_size(names); i++) {
        strcat(list, i > 0 ? "," : "");
        strcat(list, json_string_value(json_array_get(names, i)));
    }
    return list[0] != '\0';
}

// Prints which processes the recording has left out.
static void tell_left_out(const json_t *document)
{
    const json_t *rows = json_object_get(document, "left_out");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        fputs(i == 0 ? "left out of the recording: " : ", ", stdout);
        text_print(stdout, json_string_value(json_object_get(json_array_get(rows, i), "process")));
    }
    if (json_array_size(rows) > 0)
        printf(", but for switches and calls; `kov trace record --all` has everything\n");
}

void trace_needs_tell(const json_t *document, bool beside)
{
    static const struct {
        const char *key, *why;
    } lines[] = {
        {"not_recorded", "not recorded%s; what needs it is %s. Add it to -e of `kov trace record`"},
        {"not_described", "an older build made this trace, without it%s; what needs it is %s"},
        {"partly_recorded", "not recorded all the time%s; what happened then is unknown. "
                            "`kov trace show -e TRACE:start` tells when"},
    };
    bool told = json_is_true(json_object_get(document, "recorded_told"));
    char list[LIST_BYTES], line[2 * LIST_BYTES];
    if (output_form() == OUTPUT_JSON)
        return;
    beside |= output_form() == OUTPUT_CSV;
    if (!beside)
        tell_left_out(document);
    for (u32 i = 0; i < ARRAY_SIZE(lines); i++) {
        if (!list_names(json_object_get(document, lines[i].key), list))
            continue;
        snprintf(line, sizeof(line), lines[i].why, told || i > 0 ? "" : ", or without events",
                 output_form() == OUTPUT_CSV ? "empty" : "\"-\"");
        if (beside)
            warn("%s: %s", list, line);
        else
            printf("%s: %s\n", list, line);
    }
}
