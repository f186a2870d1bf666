// SPDX-License-Identifier: MIT
// What Prometheus, or whatever else reads OpenMetrics, may know of a machine: a few lines of text a
// family. The machine's thread puts them, and the net thread reads those of all machines.
#ifndef KOV_EXPOSITION_H
#define KOV_EXPOSITION_H

#include <orrery/types.h>
#include <stdio.h>

enum exposed_family {
    EXPOSED_UP,
    EXPOSED_BOOT,
    EXPOSED_UPTIME,
    EXPOSED_CPUS,
    EXPOSED_OBJECTS,
    EXPOSED_PROCESSES,
    EXPOSED_COUNTED,
    EXPOSED_EVENTS,
    EXPOSED_EVENTS_ERROR,
    EXPOSED_METRIC,
    EXPOSED_METRIC_ERROR,
    EXPOSED_SAMPLES,
    EXPOSED_SAMPLES_LOST,
    EXPOSED_SAMPLES_MISSED,
    EXPOSED_PROCESS_CPU,
    EXPOSED_PROCESS_MEMORY,
    EXPOSED_PROCESS_FAULTS,
    EXPOSED_PROCESS_CALLS,
    EXPOSED_OBJECT,
    EXPOSED_OBJECT_ERROR,
    EXPOSED_OBJECT_SHARE,
    EXPOSED_FAMILIES
};

#define EXPOSITION_PATIENCE 90.0 // seconds after a reading, while another one is expected

struct exposition;

struct exposition *exposition_new(void);
void exposition_free(struct exposition *exposition);

// ---- by the machine's thread -------------------------------------------------------------------

// Returns whether it was made, or has been read, within EXPOSITION_PATIENCE.
bool exposition_is_wanted(struct exposition *exposition);

struct exposition_draft {
    const char *machine;
    FILE *files[EXPOSED_FAMILIES];
    char *texts[EXPOSED_FAMILIES];
    size_t sizes[EXPOSED_FAMILIES];
};

// Begins a draft of a machine, by its name.
void exposition_draft_begin(struct exposition_draft *draft, const char *machine);
#define LABELS_END ((const char *)NULL)
// Adds a value. What is not known (NaN) has no line. Names and values of labels follow, with
// LABELS_END at the end; values may be any text.
void exposition_add(struct exposition_draft *draft, enum exposed_family family, double value, ...)
    __attribute__((sentinel));
// Puts the draft in place of what was known, and ends it.
void exposition_put(struct exposition *exposition, struct exposition_draft *draft);

// ---- by the net thread -------------------------------------------------------------------------

// Returns what is known of these machines, as OpenMetrics 1.0 has it. NULL among them: none. The
// caller frees it.
char *exposition_read(struct exposition *const *expositions, u32 count, size_t *size);

#endif
