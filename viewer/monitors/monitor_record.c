// SPDX-License-Identifier: MIT
// One run of `kov monitor record`.
#include "monitors/monitor_record.h"
#include "machine/scan.h"
#include "output/columns.h"
#include "output/progress.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "wire/session.h"

#include <inttypes.h>
#include <string.h>

#define FLUSH_SECONDS 0.5 // within that time `monitor show --live` sees what has come
#define DEFAULT_SECONDS 5

struct record {
    const struct monitor_record_options *options;
    struct monitor_info before; // of a kept monitor; all zero for a new one
    u32 number;
    struct monitor_targets targets;
    struct snapshot snapshot;
    struct monitor_packets packets;
    struct monitor_counts counts[ORRERY_MAX_CPUS]; // as the machine last told them
    u32 cpu_count;                                 // of which it told
    struct workload_result workload;
    double begin, seconds;
    double flushed; // when the folder last had all that had come
};

// ---- reading -----------------------------------------------------------------------------------

static int take_records(void *context, u32 cpu, Orrery__Dci__MonitorRecord *const *records,
                        size_t count, const struct monitor_counts *counts)
{
    struct record *record = context;
    int code = KOV_OK;
    record->packets.streams[cpu].cost = counts->cost;
    record->packets.streams[cpu].cost_fast = counts->cost_fast;
    for (size_t i = 0; i < count && code == KOV_OK; i++)
        code = monitor_packets_add(&record->packets, cpu, records[i]);
    record->counts[cpu] = *counts;
    record->cpu_count = cpu >= record->cpu_count ? cpu + 1 : record->cpu_count;
    return code;
}

static int read_some(void *context)
{
    struct record *record = context;
    progress_show("%5.1f s  %" PRIu64 " KB", clock_now() - record->begin,
                  record->packets.capture.bytes >> 10);
    int code = monitor_read(record->number, take_records, record);
    if (code != KOV_OK || clock_now() < record->flushed + FLUSH_SECONDS)
        return code;
    record->flushed = clock_now();
    return monitor_packets_flush(&record->packets);
}

// ---- the monitor -------------------------------------------------------------------------------

static int begin_monitor(struct record *record)
{
    const struct monitor_record_options *options = record->options;
    u64 kinds;
    int code = monitor_kinds_parse(options->kinds, &kinds);
    if (code != KOV_OK)
        return code;
    record->number = (u32)options->number;
    if (options->number != 0)
        code = monitor_find(record->number, &record->before);
    else
        code = monitor_create(false, options->bytes, &record->number);
    record->targets = record->before.targets;
    u32 known = record->targets.count;
    if (code == KOV_OK && options->pids != NULL)
        code = monitor_targets_parse(options->pids, &record->targets);
    for (u32 i = known; i < record->targets.count && code == KOV_OK; i++)
        code = monitor_track(record->number, &record->targets.targets[i], kinds);
    if (code == KOV_OK && record->targets.count == 0)
        code = fail(KOV_USAGE, "the monitor tracks nothing: name processes with --pid");
    return code;
}

// Returns how many records were lost since the beginning.
static u64 lost_of(const struct record *record, u32 cpu)
{
    return record->counts[cpu].lost - record->before.cpus[cpu].lost;
}

static int end_monitor(struct record *record)
{
    u64 end, lost[ORRERY_MAX_CPUS], unused;
    int code = monitor_run(record->number, false, &end);
    if (code == KOV_OK)
        code = read_some(record);
    if (code == KOV_OK && record->before.running)
        code = monitor_run(record->number, true, &unused);
    if (code == KOV_OK && record->options->number == 0)
        code = monitor_stop(record->number);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        lost[cpu] = lost_of(record, cpu);
    if (code == KOV_OK)
        code = monitor_packets_end(&record->packets, record->cpu_count, end, lost);
    return code;
}

static int capture(const struct arguments *arguments, struct record *record)
{
    const struct workload_watch watch = {.handler = read_some, .context = record};
    int code = workload_prepare(arguments, &record->workload);
    record->begin = clock_now();
    if (code == KOV_OK)
        code = monitor_run(record->number, true, &record->packets.begin);
    if (code == KOV_OK)
        code = workload_window(arguments, record->options->seconds, DEFAULT_SECONDS, &watch,
                               &record->workload);
    if (code == KOV_OK)
        code = end_monitor(record);
    progress_end();
    record->seconds = clock_now() - record->begin;
    return code;
}

// ---- what came ---------------------------------------------------------------------------------

struct sums {
    u64 fired, read, lost, unread;
};

static struct sums sums_of(const struct record *record, u32 cpu)
{
    const struct monitor_counts *before = &record->before.cpus[cpu], *now = &record->counts[cpu];
    return (struct sums){
        .fired = now->fired - before->fired + before->unread,
        .read = record->packets.streams[cpu].records,
        .lost = lost_of(record, cpu),
        .unread = now->unread,
    };
}

static void put_cpu(json_t *row, const struct record *record, u32 cpu)
{
    struct capture_stream stream = capture_of(&record->packets.capture, 0, cpu);
    struct sums sums = sums_of(record, cpu);
    put_u64(row, "cpu", cpu);
    put_u64(row, "fired", sums.fired);
    put_u64(row, "read", sums.read);
    put_u64(row, "lost", sums.lost);
    put_u64(row, "unread", sums.unread);
    put_u64(row, "events", stream.events);
    put_u64(row, "packets", stream.packets);
    put_u64(row, "bytes", stream.bytes);
}

static const struct column columns[] = {
    COLUMN("CPU", "cpu", 5),         COLUMN("FIRED", "fired", 12),   COLUMN("READ", "read", 12),
    COLUMN("LOST", "lost", 12),      COLUMN("UNREAD", "unread", 12), COLUMN("EVENTS", "events", 12),
    COLUMN("PACKETS", "packets", 9), COLUMN("BYTES", "bytes", 12),   COLUMNS_END};
static const struct sheet sheets[] = {{"cpus", columns}, {NULL, NULL}};

static void print(const struct record *record, bool has_workload)
{
    json_t *document = json_object();
    put_text(document, "folder", record->options->folder);
    put_u64(document, "monitor", record->number);
    put_number(document, "seconds", record->seconds);
    json_t *cpus = put_array(document, "cpus");
    for (u32 cpu = 0; cpu < record->cpu_count; cpu++)
        put_cpu(put_object(cpus, NULL), record, cpu);
    if (has_workload)
        workload_json(document, "workload", &record->workload);
    if (!document_for_programs(document, sheets)) {
        columns_print(columns, cpus, "");
        printf("%.1f s; written to %s; see `kov monitor show %s`\n", record->seconds,
               record->options->folder, record->options->folder);
        if (has_workload)
            workload_print_account(&record->workload);
    }
    json_decref(document);
}

static int check(const struct record *record)
{
    int code = KOV_OK;
    for (u32 cpu = 0; cpu < record->cpu_count; cpu++) {
        struct sums sums = sums_of(record, cpu);
        if (sums.fired != sums.read + sums.unread + sums.lost)
            code = fail(KOV_FAILED,
                        "CPU %" PRIu32 ": %" PRIu64 " records, but %" PRIu64 " read, %" PRIu64
                        " unread and %" PRIu64 " lost: has another viewer read them?",
                        cpu, sums.fired, sums.read, sums.unread, sums.lost);
    }
    return code;
}

int monitor_record(const struct arguments *arguments, const struct monitor_record_options *options)
{
    struct record record = {.options = options};
    record.packets.targets = &record.targets;
    record.packets.snapshot = &record.snapshot;
    interrupt_catch();
    int code = session_begin(true);
    if (code == KOV_OK)
        code = scan_processes(&record.snapshot);
    if (code == KOV_OK)
        code = begin_monitor(&record);
    if (code == KOV_OK)
        code = monitor_packets_create(&record.packets, options->folder);
    if (code == KOV_OK)
        code = capture(arguments, &record);
    code = monitor_packets_close(&record.packets, code);
    if (code == KOV_OK) {
        print(&record, arguments->has_workload);
        code = check(&record);
    }
    if (code == KOV_OK)
        code = workload_verdict(&record.workload);
    workload_free(&record.workload);
    monitor_packets_free(&record.packets);
    snapshot_free(&record.snapshot);
    return code;
}
