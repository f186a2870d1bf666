// SPDX-License-Identifier: MIT
// What OpenMetrics may know of a machine.
#include "gateway/exposition.h"
#include "tools/clock.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

static const struct {
    const char *name, *type, *help;
} families[EXPOSED_FAMILIES] = {
    [EXPOSED_UP] = {"orrery_up", "gauge", "Whether the machine is connected"},
    [EXPOSED_BOOT] = {"orrery_boot", "info", "Which boot of the machine it is"},
    [EXPOSED_UPTIME] = {"orrery_uptime_seconds", "gauge", "Seconds of the machine since its boot"},
    [EXPOSED_CPUS] = {"orrery_cpus", "gauge", "CPUs of the machine"},
    [EXPOSED_OBJECTS] = {"orrery_objects", "gauge", "Objects of the last scan"},
    [EXPOSED_PROCESSES] = {"orrery_processes", "gauge", "Processes"},
    [EXPOSED_COUNTED] = {"orrery_counted_seconds", "counter",
                         "Seconds in which orrery_events were counted: others may have the "
                         "counters"},
    [EXPOSED_EVENTS] = {"orrery_events", "counter", "Hardware events on all CPUs, as counted"},
    [EXPOSED_EVENTS_ERROR] = {"orrery_events_error", "gauge",
                              "Half-width of the 99 % interval of orrery_events_total"},
    [EXPOSED_METRIC] = {"orrery_metric", "gauge",
                        "Metrics of the last second, as kov stat has them"},
    [EXPOSED_METRIC_ERROR] = {"orrery_metric_error", "gauge",
                              "Half-width of the 99 % interval of orrery_metric"},
    [EXPOSED_SAMPLES] = {"orrery_samples", "counter", "Samples received"},
    [EXPOSED_SAMPLES_LOST] = {"orrery_samples_lost", "counter",
                              "Samples of this session for which there was no room"},
    [EXPOSED_SAMPLES_MISSED] = {"orrery_samples_missed", "counter",
                                "Overflows of this session without a sample"},
    [EXPOSED_PROCESS_CPU] = {"orrery_process_cpu_seconds", "counter", "Time on CPUs"},
    [EXPOSED_PROCESS_MEMORY] = {"orrery_process_memory_bytes", "gauge", "Memory of its own"},
    [EXPOSED_PROCESS_FAULTS] = {"orrery_process_faults", "counter", "Page faults"},
    [EXPOSED_PROCESS_CALLS] = {"orrery_process_calls", "counter", "Calls to other processes"},
    [EXPOSED_OBJECT] = {"orrery_object_events_per_second", "gauge",
                        "Sampled events of the last ten seconds, of the 20 objects that have most"},
    [EXPOSED_OBJECT_ERROR] = {"orrery_object_events_per_second_error", "gauge",
                              "Half-width of the 99 % interval"},
    [EXPOSED_OBJECT_SHARE] = {"orrery_object_share_percent", "gauge",
                              "Their share of all that is not idle"},
};

struct exposition {
    pthread_mutex_t lock; // of all below
    double asked;         // by clock_now()
    char *texts[EXPOSED_FAMILIES];
};

struct exposition *exposition_new(void)
{
    struct exposition *exposition = memory_get(sizeof(*exposition));
    pthread_mutex_init(&exposition->lock, NULL);
    exposition->asked = clock_now();
    return exposition;
}

void exposition_free(struct exposition *exposition)
{
    if (exposition == NULL)
        return;
    for (u32 i = 0; i < EXPOSED_FAMILIES; i++)
        free(exposition->texts[i]);
    pthread_mutex_destroy(&exposition->lock);
    free(exposition);
}

bool exposition_is_wanted(struct exposition *exposition)
{
    pthread_mutex_lock(&exposition->lock);
    double asked = exposition->asked;
    pthread_mutex_unlock(&exposition->lock);
    return clock_now() < asked + EXPOSITION_PATIENCE;
}

// ---- drafts ------------------------------------------------------------------------------------

void exposition_draft_begin(struct exposition_draft *draft, const char *machine)
{
    *draft = (struct exposition_draft){.machine = machine};
    for (u32 i = 0; i < EXPOSED_FAMILIES; i++)
        draft->files[i] = memory_stream(&draft->texts[i], &draft->sizes[i]);
}

// The format escapes three characters. It wants UTF-8.
static void put_label(FILE *file, char before, const char *name, const char *value)
{
    char *text = text_copy_bounded(value);
    fprintf(file, "%c%s=\"", before, name);
    for (const char *at = text; *at != 0; at++) {
        if (*at == '\\' || *at == '"')
            fputc('\\', file);
        if (*at == '\n')
            fputs("\\n", file);
        else
            fputc(*at, file);
    }
    fputc('"', file);
    free(text);
}

static const char *suffix_of(enum exposed_family family)
{
    char first = families[family].type[0];
    return first == 'c' ? "_total" : first == 'i' ? "_info" : "";
}

void exposition_add(struct exposition_draft *draft, enum exposed_family family, double value, ...)
{
    FILE *file = draft->files[family];
    va_list labels;
    if (!isfinite(value))
        return;
    fprintf(file, "%s%s", families[family].name, suffix_of(family));
    put_label(file, '{', "machine", draft->machine);
    va_start(labels, value);
    for (const char *name; (name = va_arg(labels, const char *)) != NULL;)
        put_label(file, ',', name, va_arg(labels, const char *));
    va_end(labels);
    fprintf(file, "} %.15g\n", value);
}

void exposition_put(struct exposition *exposition, struct exposition_draft *draft)
{
    for (u32 i = 0; i < EXPOSED_FAMILIES; i++)
        fclose(draft->files[i]);
    pthread_mutex_lock(&exposition->lock);
    for (u32 i = 0; i < EXPOSED_FAMILIES; i++) {
        free(exposition->texts[i]);
        exposition->texts[i] = draft->texts[i];
    }
    pthread_mutex_unlock(&exposition->lock);
}

// ---- reading -----------------------------------------------------------------------------------

// All lines of a family stand together, whichever machine they are of.
char *exposition_read(struct exposition *const *expositions, u32 count, size_t *size)
{
    char *all = NULL;
    FILE *file = memory_stream(&all, size);
    for (u32 family = 0; family < EXPOSED_FAMILIES; family++) {
        fprintf(file, "# TYPE %s %s\n# HELP %s %s.\n", families[family].name, families[family].type,
                families[family].name, families[family].help);
        for (u32 i = 0; i < count; i++) {
            if (expositions[i] == NULL)
                continue;
            pthread_mutex_lock(&expositions[i]->lock);
            expositions[i]->asked = clock_now();
            if (expositions[i]->texts[family] != NULL)
                fputs(expositions[i]->texts[family], file);
            pthread_mutex_unlock(&expositions[i]->lock);
        }
    }
    fputs("# EOF\n", file);
    fclose(file);
    return all;
}
