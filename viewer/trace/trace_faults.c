// SPDX-License-Identifier: MIT
// Page faults as spans.
#include "trace/trace_spans.h"

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

static void put_object_of(json_t *row, const char *key, u64 coid)
{
    if (coid == 0)
        put_text(row, key, NULL);
    else
        put_hex(row, key, coid);
}

static void put(json_t *row, const u64 key[SPAN_KEYS])
{
    static const char *const results[] = {"done", "bad address", "no memory", "waits"};
    put_text(row, "access",
             key[0] == PROT_R   ? "read"
             : key[0] == PROT_W ? "write"
             : key[0] == PROT_X ? "execute"
                                : "?");
    put_text(row, "result", key[1] < ARRAY_SIZE(results) ? results[key[1]] : "?");
    put_object_of(row, "region", key[2]);
    put_object_of(row, "fcm", key[3]);
}

const struct span_kind trace_faults = {
    .rows = "faults",
    .measured = MEASURED_FAULT,
    .enter = {.name = "FAULT:fault_enter", .fields = {"address", "access"}},
    .within = {.name = "FAULT:fault_objects", .fields = {"region", "fcm"}},
    .exit = {.name = "FAULT:fault_exit", .fields = {"address", "result"}},
    .nests = true,
    .key = key_of,
    .failed = failed,
    .put = put,
};

static const struct column columns[] = {
    COLUMN("PROCESS", "process", -11),
    COLUMN("ACCESS", "access", -7),
    COLUMN("RESULT", "result", -11),
    COLUMN("REGION", "region", -10),
    COLUMN("FCM", "fcm", -10),
    HIDDEN("pid"),
    SPAN_COLUMNS,
};
const struct sheet trace_faults_sheets[] = {
    {"faults", columns}, {"durations", trace_bucket_columns}, {NULL, NULL}};
