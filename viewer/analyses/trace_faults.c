// SPDX-License-Identifier: MIT
// Page faults as spans.
#include "analyses/event_words.h"
#include "analyses/trace_spans.h"

#include <orrery/memory.h>

static void key_of(const u64 *enter, const u64 *within, const u64 *exit, u64 key[SPAN_KEYS])
{
    key[0] = enter[1];
    key[1] = exit[1];
    key[2] = within[0];
    key[3] = within[1];
}

static bool failed(const u64 *exit)
{
    return exit[1] != 0;
}

// Puts an object as KEY, a number, and as KEY_name.
static void put_object_of(json_t *row, const char *key, const struct labels *labels, u64 coid)
{
    char name[24], text[WORD_BYTES];
    snprintf(name, sizeof(name), "%s_name", key);
    put_text(row, key, NULL);
    put_text(row, name, NULL);
    if (coid == 0)
        return;
    put_hex(row, key, coid);
    word_of_object(labels, coid, text);
    put_text(row, name, text);
}

static void put(json_t *row, const struct labels *labels, const u64 key[SPAN_KEYS])
{
    static const char *const results[] = {"done", "bad address", "no memory", "waits"};
    put_text(row, "access",
             key[0] == PROT_R   ? "read"
             : key[0] == PROT_W ? "write"
             : key[0] == PROT_X ? "execute"
                                : "?");
    put_text(row, "result", key[1] < ARRAY_SIZE(results) ? results[key[1]] : "?");
    put_object_of(row, "region", labels, key[2]);
    put_object_of(row, "fcm", labels, key[3]);
}

const struct span_kind trace_faults = {
    .rows = "faults",
    .measured = MEASURED_FAULT,
    .enter = EVENT_FAULT_ENTER,
    .within = EVENT_FAULT_OBJECTS,
    .exit = EVENT_FAULT_EXIT,
    .nests = true,
    .key = key_of,
    .failed = failed,
    .put = put,
};

static const struct column columns[] = {
    COLUMN("PROCESS", "process", -11),
    COLUMN("ACCESS", "access", -7),
    COLUMN("RESULT", "result", -11),
    COLUMN("REGION", "region_name", -14),
    COLUMN("FCM", "fcm_name", -14),
    HIDDEN("region"),
    HIDDEN("fcm"),
    HIDDEN("pid"),
    SPAN_COLUMNS,
};
const struct sheet trace_faults_sheets[] = {
    {"faults", columns}, {"durations", trace_bucket_columns}, {NULL, NULL}};
