// SPDX-License-Identifier: MIT
// Compares what was captured with what the machine says that it logged.
#include "record/trace_run.h"

#include <inttypes.h>

struct trace_sums trace_cpu_sums(const struct trace_run *run, u32 cpu)
{
    const struct trace_cpu_counts *counts = &run->counts.cpus[cpu];
    struct capture_stream stream = capture_of(&run->capture, 0, cpu);
    return (struct trace_sums){
        .emitted = counts->events + counts->discarded,
        .logged = counts->events,
        .discarded = counts->discarded,
        .overwritten = counts->overwritten,
        .unread = counts->unread,
        .received = stream.events,
        .packets = stream.packets,
        .bytes = stream.bytes,
    };
}

struct trace_sums trace_process_sums(const struct trace_run *run, size_t *next)
{
    const struct capture *capture = &run->capture;
    struct trace_sums sums = {.pid = capture->streams[*next].pid};
    for (; *next < capture->count && capture->streams[*next].pid == sums.pid; ++*next) {
        const struct capture_stream *stream = &capture->streams[*next];
        const struct trace_cpu_counts *counts =
            trace_counts_of(&run->counts, stream->pid, stream->cpu);
        sums.received += stream->events;
        sums.packets += stream->packets;
        sums.bytes += stream->bytes;
        sums.ended = sums.ended || counts == NULL;
        if (counts == NULL) { // the last packet of a process that has ended tells what was lost
            sums.discarded += stream->discarded;
            sums.overwritten += stream->overwritten;
            continue;
        }
        sums.emitted += counts->events + counts->discarded;
        sums.logged += counts->events;
        sums.discarded += counts->discarded;
        sums.overwritten += counts->overwritten;
        sums.unread += counts->unread;
    }
    return sums;
}

size_t trace_first_process(const struct trace_run *run)
{
    size_t next = 0;
    while (next < run->capture.count && run->capture.streams[next].pid == 0)
        next++;
    return next;
}

// Compares the sums. Events that went with a lost connection are told, but they are no failure.
static int check_sums(const struct trace_run *run, const char *whose, const struct trace_sums *sums)
{
    u64 known = sums->received + sums->overwritten + sums->unread;
    if (known == sums->logged)
        return KOV_OK;
    if (run->reconnected && known < sums->logged) {
        warn("%s: %" PRIu64 " events went with the lost connection", whose, sums->logged - known);
        return KOV_OK;
    }
    return fail(KOV_FAILED,
                "%s: %" PRIu64 " events logged, but %" PRIu64 " received, %" PRIu64
                " overwritten and %" PRIu64 " unread",
                whose, sums->logged, sums->received, sums->overwritten, sums->unread);
}

int trace_check_counts(const struct trace_run *run)
{
    char whose[48];
    int code = KOV_OK;
    for (u32 i = 0; i < run->counts.cpu_count; i++) {
        struct trace_sums sums = trace_cpu_sums(run, i);
        snprintf(whose, sizeof(whose), "CPU %" PRIu32, i);
        int checked = check_sums(run, whose, &sums);
        code = code == KOV_OK ? checked : code;
    }
    for (size_t next = trace_first_process(run); next < run->capture.count;) {
        struct trace_sums sums = trace_process_sums(run, &next);
        snprintf(whose, sizeof(whose), "process %" PRIu32, sums.pid);
        int checked = sums.ended ? KOV_OK : check_sums(run, whose, &sums);
        code = code == KOV_OK ? checked : code;
    }
    return code;
}
