// SPDX-License-Identifier: MIT
// Requests about the trace that several commands make.
#include "record/trace_requests.h"
#include "tools/text.h"
#include "trace/descriptions.h"
#include "record/event_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS 65536
#define MAJORS 64
#define MAX_PROCESS_COUNTS 1000000

static int take_events(void *context, const dci_response *response)
{
    struct trace_events *events = context;
    const Orrery__Dci__TraceEventsReply *reply = response->trace_events;
    for (size_t i = 0; i < reply->n_events && events->count < MAX_EVENTS; i++) {
        const Orrery__Dci__TraceEvent *message = reply->events[i];
        if (message->major >= MAJORS)
            return fail(KOV_CONNECTION,
                        "the machine names an event of major %" PRIu32 ", which cannot be",
                        message->major);
        events->events =
            memory_grow(events->events, events->count, &events->capacity, sizeof(*events->events));
        char full[TEXT_COPY_BYTES]; // GROUP:event, as perf writes it
        snprintf(full, sizeof(full), "%s%s%s", message->group, message->group[0] == '\0' ? "" : ":",
                 message->name);
        struct trace_event_name *event = &events->events[events->count++];
        *event =
            (struct trace_event_name){message->major, message->minor, message->field_count,
                                      text_copy_bounded(full), text_copy_bounded(message->format)};
    }
    return KOV_OK;
}

int trace_fetch_events(struct trace_events *events)
{
    Orrery__Dci__TraceEventsRequest body = ORRERY__DCI__TRACE_EVENTS_REQUEST__INIT;
    return dci_call(DCI_REQUEST(TRACE_EVENTS, trace_events, &body),
                    ORRERY__DCI__RESPONSE__BODY_TRACE_EVENTS, "cannot list trace events",
                    take_events, events);
}

void trace_free_events(struct trace_events *events)
{
    for (size_t i = 0; i < events->count; i++) {
        free(events->events[i].name);
        free(events->events[i].format);
    }
    free(events->events);
    *events = (struct trace_events){0};
}

static int take_metadata(void *context, const dci_response *response)
{
    struct bytes *text = context;
    const ProtobufCBinaryData *more = &response->trace_metadata->text;
    if (text->size + more->len > METADATA_BYTES_MAX)
        return fail(KOV_CONNECTION, "the trace's metadata do not end");
    bytes_append(text, more->data, more->len);
    return KOV_OK;
}

int trace_fetch_metadata(struct bytes *text)
{
    Orrery__Dci__TraceMetadataRequest body = ORRERY__DCI__TRACE_METADATA_REQUEST__INIT;
    return dci_call(DCI_REQUEST(TRACE_METADATA, trace_metadata, &body),
                    ORRERY__DCI__RESPONSE__BODY_TRACE_METADATA, "cannot read the trace's metadata",
                    take_metadata, text);
}

int trace_parse_mode(const char *text, Orrery__Dci__TraceMode *mode)
{
    *mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_KEEP;
    if (text == NULL)
        return KOV_OK;
    if (strcmp(text, "overwrite") == 0)
        *mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_OVERWRITE;
    else if (strcmp(text, "discard") == 0)
        *mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_DISCARD;
    else
        return fail(KOV_USAGE, "--mode %s: must be overwrite or discard", text);
    return KOV_OK;
}

const char *trace_mode_name(Orrery__Dci__TraceMode mode)
{
    switch (mode) {
    case ORRERY__DCI__TRACE_MODE__TRACE_MODE_OVERWRITE:
        return "overwrite";
    case ORRERY__DCI__TRACE_MODE__TRACE_MODE_DISCARD:
        return "discard";
    default:
        return "unknown";
    }
}

static u64 mask_of_word(const char *word, size_t length, const struct trace_events *events)
{
    u64 mask = 0;
    for (size_t i = 0; i < events->count; i++) {
        const struct trace_event_name *event = &events->events[i];
        if (event_name_fits(event->name, event->major, word, length))
            mask |= (u64)1 << event->major;
    }
    return mask;
}

u64 trace_state_mask(const struct trace_events *events)
{
    return mask_of_word("state", strlen("state"), events);
}

int trace_parse_mask(const char *text, const struct trace_events *events, u64 *mask)
{
    *mask = 0;
    if (strcmp(text, "all") == 0)
        for (size_t i = 0; i < events->count; i++)
            *mask |= (u64)1 << events->events[i].major;
    if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0)
        return KOV_OK;
    for (;;) {
        size_t length = strcspn(text, ",");
        u64 more = length == 0 ? 0 : mask_of_word(text, length, events);
        if (more == 0) {
            struct near near = {.typed = text, .length = length};
            for (size_t i = 0; i < events->count; i++)
                event_name_offer(&near, events->events[i].name);
            return fail(KOV_USAGE, "--events: '%.*s' is no major or event%s: see `kov trace list`",
                        (int)length, text, near_hint(&near));
        }
        *mask |= more;
        if (text[length] == '\0')
            return KOV_OK;
        text += length + 1;
    }
}

static struct trace_cpu_counts *counts_entry(struct trace_counts *counts, u32 pid, u32 cpu)
{
    if (pid == 0) {
        if (cpu >= counts->cpu_count)
            counts->cpu_count = cpu + 1;
        return &counts->cpus[cpu];
    }
    counts->processes = memory_grow(counts->processes, counts->process_count,
                                    &counts->process_capacity, sizeof(*counts->processes));
    struct trace_process_counts *entry = &counts->processes[counts->process_count++];
    *entry = (struct trace_process_counts){.pid = pid, .cpu = cpu};
    return &entry->counts;
}

// Adds the counts of an answer, of which there may be several. Leaves out CPUs with absurd numbers.
static void add_counts(const Orrery__Dci__TraceStatReply *reply, struct trace_counts *counts)
{
    counts->mask = reply->mask;
    counts->process_mask = reply->process_mask;
    counts->subscribed = reply->subscribed;
    for (size_t i = 0; i < reply->n_stuck; i++)
        failures_add(&counts->failures, reply->stuck[i]->pid, reply->stuck[i]->error,
                     reply->stuck[i]->message);
    for (size_t i = 0; i < reply->n_cpus; i++) {
        const Orrery__Dci__TraceStat *stat = reply->cpus[i];
        if (stat->cpu >= ORRERY_MAX_CPUS || counts->process_count >= MAX_PROCESS_COUNTS)
            continue;
        if (stat->pid == 0)
            counts->mode = stat->mode;
        *counts_entry(counts, stat->pid, stat->cpu) = (struct trace_cpu_counts){
            .known = true,
            .events = stat->events,
            .discarded = stat->discarded,
            .overwritten = stat->overwritten,
            .unread = stat->unread,
            .packets = stat->packets,
            .pushed_packets = stat->pushed_packets,
            .subbuffers = stat->subbuffers,
            .subbuffer_bytes = stat->subbuffer_bytes,
        };
    }
}

static int take_counts(void *context, const dci_response *response)
{
    add_counts(response->trace_stat, context);
    return KOV_OK;
}

static int take_left_out(void *context, const dci_response *response)
{
    struct trace_left_out *left_out = context;
    left_out->count = 0;
    for (size_t i = 0; i < response->n_left_out && i < TRACE_LEFT_OUT_MAX; i++) {
        left_out->processes[i].pid = response->left_out[i]->pid;
        char *name = left_out->processes[i].name;
        snprintf(name, sizeof(left_out->processes[i].name), "%s", response->left_out[i]->name);
        text_mend(name);
        left_out->count++;
    }
    return KOV_OK;
}

int trace_subscribe(Orrery__Dci__TraceSubscribeRequest *body, struct scan_scope scope,
                    struct trace_left_out *left_out)
{
    body->scope = scope.scope;
    body->pid = scope.pid;
    body->leave_out_monitor = left_out != NULL;
    return dci_call(DCI_REQUEST(TRACE_SUBSCRIBE, trace_subscribe, body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot take the trace",
                    left_out != NULL ? take_left_out : NULL, left_out);
}

void trace_left_out_print(const struct trace_left_out *left_out)
{
    for (u32 i = 0; i < left_out->count; i++)
        printf("%s%s:%" PRIu32, i == 0 ? "left out: " : ", ", left_out->processes[i].name,
               left_out->processes[i].pid);
    if (left_out->count > 0)
        printf(", the monitor's own, but for their switches and calls; --all has everything\n");
}

void trace_left_out_json(json_t *document, const struct trace_left_out *left_out)
{
    json_t *list = put_array(document, "left_out");
    for (u32 i = 0; i < left_out->count; i++) {
        json_t *row = put_object(list, NULL);
        put_u64(row, "pid", left_out->processes[i].pid);
        put_text(row, "name", left_out->processes[i].name);
    }
}

static int take_last_counts(void *context, const dci_response *response)
{
    add_counts(response->trace_unsubscribe, context);
    return KOV_OK;
}

int trace_unsubscribe(Orrery__Dci__TraceUnsubscribeRequest *body, struct trace_counts *counts)
{
    return dci_call(DCI_REQUEST(TRACE_UNSUBSCRIBE, trace_unsubscribe, body),
                    ORRERY__DCI__RESPONSE__BODY_TRACE_UNSUBSCRIBE, "cannot end the trace",
                    take_last_counts, counts);
}

int trace_fetch_counts(struct trace_counts *counts, struct scan_scope scope)
{
    Orrery__Dci__TraceStatRequest body = ORRERY__DCI__TRACE_STAT_REQUEST__INIT;
    body.scope = scope.scope;
    body.pid = scope.pid;
    return dci_call(DCI_REQUEST(TRACE_STAT, trace_stat, &body),
                    ORRERY__DCI__RESPONSE__BODY_TRACE_STAT, "cannot read the trace's counts",
                    take_counts, counts);
}

const struct trace_cpu_counts *trace_counts_of(const struct trace_counts *counts, u32 pid, u32 cpu)
{
    for (size_t i = 0; i < counts->process_count; i++)
        if (counts->processes[i].pid == pid && counts->processes[i].cpu == cpu)
            return &counts->processes[i].counts;
    return NULL;
}

void trace_free_counts(struct trace_counts *counts)
{
    free(counts->processes);
    failures_free(&counts->failures);
    *counts = (struct trace_counts){0};
}
