// SPDX-License-Identifier: MIT
// System calls as spans.
#include "analyses/syscall_name.h"
#include "analyses/trace_spans.h"

#include <syscalls/numbers.h>

static void key_of(const u64 *enter, const u64 *within, const u64 *exit, u64 key[SPAN_KEYS])
{
    (void)within;
    (void)exit;
    key[0] = enter[0];
}

static bool failed(const u64 *exit)
{
    return (s64)exit[1] < 0;
}

static void put(json_t *row, const struct labels *labels, const u64 key[SPAN_KEYS])
{
    (void)labels;
    put_u64(row, "number", key[0]);
    put_text(row, "call", syscall_name(key[0]));
}

const struct span_kind trace_syscalls = {
    .rows = "syscalls",
    .measured = MEASURED_SYSCALL,
    .enter = EVENT_SYSCALL_ENTER,
    .exit = EVENT_SYSCALL_EXIT,
    .asleep = SYS_WAIT,
    .key = key_of,
    .failed = failed,
    .put = put,
};

static const struct column columns[] = {
    COLUMN("CALL", "call", -22),
    COLUMN("PROCESS", "process", -11),
    HIDDEN("number"),
    HIDDEN("pid"),
    SPAN_COLUMNS,
};
const struct sheet trace_syscalls_sheets[] = {
    {"syscalls", columns}, {"durations", trace_bucket_columns}, {NULL, NULL}};
