// SPDX-License-Identifier: MIT
// A modelled machine: its geometry, the costs of its events, and the counters that can count them.
// Read from a configuration file (machines/README.md).
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include <orrery/pmu_model.h>

// After machine_load sizes, entries and ways are powers of two, and no level has more ways than
// lines. So every number of sets is a power of two too. history_bits <= log2(global_entries);
// cost[MODEL_CYCLES] is 0.
struct machine {
    char name[32]; // ends in 0
    struct model_geometry geometry;
    u64 counters
        [MODEL_EVENTS]; // mask of the counters that can count each; 0: the machine lacks the event
};

// "instructions", "cycles", "larx" …, as configuration files, messages and users spell them.
extern const char *const model_event_names[MODEL_EVENTS];

// Reads path. Returns false on an error, with *out unchanged and "path:line: what" in error, cut to
// error_bytes (> 0).
bool machine_load(const char *path, struct machine *out, char *error, size_t error_bytes);

#endif
