// SPDX-License-Identifier: MIT
// What a machine's thread exposes. Counts and samples are those that browsers get, too.
#include "gateway/machine_state.h"
#include "machine/scan.h"
#include "tools/clock.h"
#include "wire/session.h"

#include <inttypes.h>
#include <math.h>

#define EXPOSE_SECONDS 1.0
#define OBJECT_SECONDS 10.0
#define OBJECTS_EXPOSED 20
#define NUMBER_BYTES 24

// An event may be in several sets. Each is an estimate of the same number.
static bool is_repeated(const struct count_request *request, u32 item)
{
    for (u32 i = 0; i < item; i++)
        if (request->items[i].event == request->items[item].event &&
            request->items[i].mode == request->items[item].mode)
            return true;
    return false;
}

static void expose_counts(const struct metric_counts *counts, struct exposition_draft *draft)
{
    char name[COUNT_NAME_BYTES];
    if (counts->seconds == 0)
        return;
    exposition_add(draft, EXPOSED_COUNTED, counts->seconds, LABELS_END);
    for (u32 i = 0; i < counts->request.item_count; i++) {
        if (is_repeated(&counts->request, i))
            continue;
        count_item_name(&counts->request.items[i], name);
        exposition_add(draft, EXPOSED_EVENTS, counts->totals[i], "event", name, LABELS_END);
        exposition_add(draft, EXPOSED_EVENTS_ERROR, sqrt(counts->squares[i]), "event", name,
                       LABELS_END);
    }
}

// Only values of the last readings: what is not counted now is not known.
static void expose_metrics(const struct metric_counts *counts, struct exposition_draft *draft)
{
    for (u32 i = 0; counts->running && counts->seconds > 0 && i < metric_count; i++) {
        struct metric_value value = metric_of_interval(&metrics[i], &counts->request,
                                                       &counts->between, ALL_CPUS, COUNT_ALL);
        exposition_add(draft, EXPOSED_METRIC, value.value, "metric", metrics[i].name, LABELS_END);
        if (value.error >= 0 && isfinite(value.value))
            exposition_add(draft, EXPOSED_METRIC_ERROR, value.error, "metric", metrics[i].name,
                           LABELS_END);
    }
}

static void expose_processes(const struct machine *machine, const struct snapshot *snapshot,
                             struct exposition_draft *draft)
{
    exposition_add(draft, EXPOSED_PROCESSES, (double)snapshot->process_count, LABELS_END);
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process_info *process = &snapshot->processes[i];
        const struct {
            enum exposed_family family;
            double value;
        } values[] = {
            {EXPOSED_PROCESS_CPU, (double)process->cpu_ticks / (double)machine->timebase_hz},
            {EXPOSED_PROCESS_MEMORY, (double)process->memory_pages * 4096},
            {EXPOSED_PROCESS_FAULTS, (double)process->faults},
            {EXPOSED_PROCESS_CALLS, (double)process->calls},
        };
        char pid[NUMBER_BYTES];
        snprintf(pid, sizeof(pid), "%u", process->pid);
        for (size_t j = 0; j < ARRAY_SIZE(values); j++)
            exposition_add(draft, values[j].family, values[j].value, "pid", pid, "name",
                           process->name, LABELS_END);
    }
}

static void expose_ranking(const struct machine *machine, const struct ranking *ranking,
                           const char *event, double seconds, struct exposition_draft *draft)
{
    u32 exposed = 0;
    for (size_t i = 0; i < ranking->count && exposed < OBJECTS_EXPOSED; i++) {
        const struct ranking_row *row = &ranking->rows[i];
        char pid[NUMBER_BYTES], coid[NUMBER_BYTES], name[OBJECT_NAME_BYTES];
        if (row->kind != SITE_OBJECT)
            continue;
        const struct object_info *object = snapshot_object(&machine->snapshot, row->pid, row->coid);
        if (object == NULL) // new, or gone
            continue;
        const struct {
            enum exposed_family family;
            double value;
        } values[] = {{EXPOSED_OBJECT, row->events.value / seconds},
                      {EXPOSED_OBJECT_ERROR, row->events.error / seconds},
                      {EXPOSED_OBJECT_SHARE, row->share.value}};
        snprintf(pid, sizeof(pid), "%u", row->pid);
        snprintf(coid, sizeof(coid), "0x%" PRIx64, (u64)row->coid);
        snapshot_class_name(&machine->snapshot, object->pid, object->class_id, name);
        for (size_t j = 0; j < ARRAY_SIZE(values); j++)
            exposition_add(draft, values[j].family, values[j].value, "event", event, "pid", pid,
                           "object", coid, "class", name, LABELS_END);
        exposed++;
    }
}

static void expose_objects(struct machine *machine, struct exposition_draft *draft)
{
    u32 count = 0;
    struct site_sums sums;
    struct history_range range;
    double now = machine_time(machine, background_now(&machine->background));
    const struct sampled_event *events = history_events(machine->history, &count);
    site_sums_begin(&sums, SITES_MAX);
    exposition_add(draft, EXPOSED_OBJECTS, (double)machine->snapshot.object_count, LABELS_END);
    if (history_range(machine->history, now - OBJECT_SECONDS * 1e9, now, &sums, &range))
        for (u32 event = 0; event < count; event++) {
            u64 covered = site_sums_covered(&sums, event);
            char title[SAMPLED_TITLE_BYTES];
            struct ranking ranking;
            if (covered == 0) // not sampled now
                continue;
            ranking_compute(&sums, NULL, event, RANKING_OBJECT, &machine->snapshot, &ranking);
            expose_ranking(machine, &ranking, sampled_event_title(&events[event], title),
                           (double)covered / (double)machine->timebase_hz, draft);
            ranking_free(&ranking);
        }
    site_sums_free(&sums);
}

static void expose_samples(const struct background *background, struct exposition_draft *draft)
{
    exposition_add(draft, EXPOSED_SAMPLES, (double)background->received, LABELS_END);
    exposition_add(draft, EXPOSED_SAMPLES_LOST, (double)samples_lost(&background->samples),
                   LABELS_END);
    exposition_add(draft, EXPOSED_SAMPLES_MISSED,
                   (double)samples_missed(&background->samples) + (double)background->missed,
                   LABELS_END);
}

static int expose_live(struct machine *machine, struct exposition_draft *draft)
{
    struct snapshot fresh = {0};
    const dci_system_info *system = session_machine();
    int code =
        metric_counts_attend(&machine->metric_counts, &machine->background.list, machine->history);
    if (code == KOV_OK)
        code = scan_processes(&fresh);
    if (code == KOV_OK) {
        double now = machine_time(machine, background_now(&machine->background));
        exposition_add(draft, EXPOSED_BOOT, 1, "boot", machine->boot, "version", system->version,
                       LABELS_END);
        exposition_add(draft, EXPOSED_UPTIME, now / 1e9, LABELS_END);
        exposition_add(draft, EXPOSED_CPUS, system->cpu_count, LABELS_END);
        expose_counts(&machine->metric_counts, draft);
        expose_metrics(&machine->metric_counts, draft);
        expose_samples(&machine->background, draft);
        expose_processes(machine, &fresh, draft);
        expose_objects(machine, draft);
    }
    snapshot_free(&fresh);
    return code;
}

int machine_expose(struct machine *machine)
{
    struct exposition_draft draft;
    int code = KOV_OK;
    if (machine->exposition == NULL || clock_now() < machine->expose_due)
        return KOV_OK;
    machine->expose_due = clock_now() + EXPOSE_SECONDS;
    exposition_draft_begin(&draft, machine->settings.name);
    exposition_add(&draft, EXPOSED_UP, machine->live, LABELS_END);
    if (machine->live && exposition_is_wanted(machine->exposition))
        code = expose_live(machine, &draft);
    exposition_put(machine->exposition, &draft);
    return code;
}
