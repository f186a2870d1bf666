// SPDX-License-Identifier: MIT
// The topic of metrics over an interval. Of the machine and its CPUs they are of what was counted
// between two readings, as one session of that time would have counted it. Of processes, objects,
// classes and code that works for no object (n:PID) they are of all samples in it.
#include "gateway/machine_state.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>

#define FINAL_SECONDS 5 // samples come that late at most

struct metrics_interval {
    bool any;
    double from, to; // that the values are of, ns since boot
    double known;    // nothing before it changes
    struct metric_value values[METRICS_MAX];
};

static void of_counts(const struct machine *machine, u32 cpu, double from, double to,
                      struct metrics_interval *found)
{
    const struct count_log *log = history_count_log(machine->history);
    const struct count_request *request;
    struct count_log_range range;
    struct count_reading *sum = memory_get(sizeof(*sum));
    found->known = count_log_end(log);
    found->any = count_log_sum(log, from, to, &request, sum, &range);
    for (u32 i = 0; found->any && i < metric_count; i++)
        found->values[i] = metric_of_interval(&metrics[i], request, sum, cpu, COUNT_ALL);
    found->from = range.from;
    found->to = range.to;
    free(sum);
}

static void of_samples(const struct machine *machine, const struct ranking_thing *thing,
                       double from, double to, struct metrics_interval *found)
{
    u32 count;
    const struct sampled_event *events = history_events(machine->history, &count);
    struct history_range range;
    struct site_sums sums;
    site_sums_begin(&sums, SITES_MAX);
    found->known = history_account(machine->history).to - FINAL_SECONDS * 1e9;
    found->any = history_range(machine->history, from, to, &sums, &range);
    for (u32 i = 0; found->any && i < metric_count; i++)
        found->values[i] =
            ranking_metric(&sums, events, count, &metrics[i], COUNT_ALL, thing, &machine->snapshot);
    found->from = range.from;
    found->to = range.to;
    site_sums_free(&sums);
}

static void send_metrics(struct machine *machine, const struct published *published,
                         const struct metrics_interval *found)
{
    u32 count = found->any ? (u32)metric_count : 0;
    struct block *block = block_new(frame_metrics_bytes(count), true, true);
    struct frame_metrics rows;
    frame_metrics_lay(block->data, count, &rows);
    for (u32 i = 0; i < count; i++) {
        const struct metric_value *value = &found->values[i];
        rows.metric[i] = names_string(&machine->names, metrics[i].name);
        rows.value[i] = (float)value->value;
        rows.error[i] = (float)value->error;
        rows.measured[i] = (float)value->measured;
        rows.left_out[i] = value->left_out;
    }
    struct frame_head head = {.kind = FRAME_METRICS,
                              .flags = FRAME_WHOLE,
                              .rows = count,
                              .t0 = count > 0 ? found->from : NAN,
                              .complete = count > 0 ? found->to : NAN};
    frame_head_write(block->data, &head);
    machine_publish(machine, published, block);
}

int publish_metrics(struct machine *machine, struct published *published)
{
    u32 cpu;
    double from, to;
    struct ranking_thing thing;
    struct metrics_interval found = {.known = -INFINITY};
    int code = KOV_OK;
    if (!publish_thing(publish_text(published, "of"), &thing, &cpu)) {
        publish_stop(machine, published, "of: m, c:CPU, p:PID, o:PID:COID or k:CLASS");
        return KOV_OK;
    }
    if (thing.kind == SITE_ALL && machine->live)
        code = metric_counts_attend(&machine->metric_counts, &machine->background.list,
                                    machine->history);
    if (thing.kind == SITE_ALL && machine->metric_counts.refused) {
        publish_stop(machine, published, machine->failure);
        return code;
    }
    publish_interval(machine, published, &from, &to);
    if (machine->history != NULL && thing.kind == SITE_ALL)
        of_counts(machine, cpu, from, to, &found);
    else if (machine->history != NULL)
        of_samples(machine, &thing, from, to, &found);
    send_metrics(machine, published, &found);
    if (thing.kind == SITE_ALL && machine->metric_counts.running && machine->player == NULL)
        published->due = machine->metric_counts.due; // told as soon as it is read
    if (to <= found.known)                           // it stays as it is
        published->due = INFINITY;
    return code;
}
