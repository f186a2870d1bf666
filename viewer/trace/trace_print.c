// SPDX-License-Identifier: MIT
// What came of a trace, for people and as JSON.
#include "machine/failures_print.h"
#include "trace/trace_run.h"
#include "wire/resume.h"

#include <inttypes.h>

static void print_heading(const char *whose)
{
    printf("%s %12s %12s %12s %12s %12s %12s %9s %12s\n", whose, "EMITTED", "LOGGED", "DISCARDED",
           "OVERWRITTEN", "UNREAD", "RECEIVED", "PACKETS", "BYTES");
}

static void print_sums(const struct trace_sums *sums)
{
    if (sums->ended)
        printf(" %64s", "ended");
    else
        printf(" %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64, sums->emitted,
               sums->logged, sums->discarded, sums->overwritten, sums->unread);
    printf(" %12" PRIu64 " %9" PRIu64 " %12" PRIu64 "\n", sums->received, sums->packets,
           sums->bytes);
}

static void print_processes(const struct trace_run *run)
{
    size_t next = trace_first_process(run);
    if (next < run->capture.count)
        print_heading("\n       PID");
    while (next < run->capture.count) {
        struct trace_sums sums = trace_process_sums(run, &next);
        printf("%10" PRIu32, sums.pid);
        print_sums(&sums);
    }
    if (run->counts.failures.count > 0)
        printf("what %zu processes logged in the end is not known:\n", run->counts.failures.count);
    failures_print(&run->counts.failures, &(struct snapshot){0});
}

static void print_text(const struct trace_run *run)
{
    print_heading("  CPU");
    for (u32 i = 0; i < run->counts.cpu_count; i++) {
        struct trace_sums sums = trace_cpu_sums(run, i);
        printf("%5" PRIu32, i);
        print_sums(&sums);
    }
    print_processes(run);
    resume_print();
    trace_counters_print(&run->counters);
    printf("%s mode, %.1f s; written to %s; see `babeltrace2 %s`\n",
           trace_mode_name(run->counts.mode), run->seconds, run->capture.folder,
           run->capture.folder);
    if (run->has_workload)
        workload_print_account(&run->workload);
}

static void json_sums(struct json *json, const struct trace_sums *sums)
{
    json_u64(json, "emitted", sums->emitted);
    json_u64(json, "logged", sums->logged);
    json_u64(json, "discarded", sums->discarded);
    json_u64(json, "overwritten", sums->overwritten);
    json_u64(json, "unread", sums->unread);
    json_u64(json, "received", sums->received);
    json_u64(json, "packets", sums->packets);
    json_u64(json, "bytes", sums->bytes);
}

static void json_cpus(struct json *json, const struct trace_run *run)
{
    json_open_array(json, "cpus");
    for (u32 i = 0; i < run->counts.cpu_count; i++) {
        struct trace_sums sums = trace_cpu_sums(run, i);
        json_open_object(json, NULL);
        json_u64(json, "cpu", i);
        json_sums(json, &sums);
        json_u64(json, "missing_packets", capture_of(&run->capture, 0, i).missing_packets);
        json_close(json);
    }
    json_close(json);
}

static void json_processes(struct json *json, const struct trace_run *run)
{
    json_open_array(json, "processes");
    for (size_t next = trace_first_process(run); next < run->capture.count;) {
        struct trace_sums sums = trace_process_sums(run, &next);
        json_open_object(json, NULL);
        json_u64(json, "pid", sums.pid);
        json_bool(json, "ended", sums.ended);
        json_sums(json, &sums);
        json_close(json);
    }
    json_close(json);
}

static void print_json(const struct trace_run *run)
{
    struct json json = json_begin(stdout);
    json_text(&json, "folder", run->capture.folder);
    json_text(&json, "mode", trace_mode_name(run->counts.mode));
    json_hex(&json, "mask", run->set_mask ? run->mask : run->counts.mask);
    json_number(&json, "seconds", run->seconds);
    json_cpus(&json, run);
    json_processes(&json, run);
    trace_counters_json(&json, &run->counters);
    json_u64(&json, "stuck", run->counts.failures.count);
    failures_json(&json, &run->counts.failures, &(struct snapshot){0});
    json_u64(&json, "reconnected", resume_account()->times);
    if (run->has_workload)
        workload_json(&json, "workload", &run->workload);
    json_end(&json);
}

void trace_run_print(const struct trace_run *run)
{
    if (settings.json)
        print_json(run);
    else
        print_text(run);
}
