// SPDX-License-Identifier: MIT
// Counts how often programs told their sensors (kind SENSOR), by the names that the programs give
// them.
#ifndef KOV_MONITOR_SENSORS_H
#define KOV_MONITOR_SENSORS_H

#include "analyses/trace_tool.h"

struct monitor_sensors {
    struct keyed_rows rows;
};

// Finds the events that it needs. `sensors` is all zero before.
void monitor_sensors_begin(struct monitor_sensors *sensors);
// Counts an event from that time on. Returns false if it is not a sensor's.
bool monitor_sensors_take(struct monitor_sensors *sensors, const struct trace_event *event,
                          u64 from);
// Puts "sensors": how often each was told, and its last two words.
void monitor_sensors_put(const struct monitor_sensors *sensors, const struct trace_walk *walk,
                         json_t *document);
void monitor_sensors_free(struct monitor_sensors *sensors);

extern const struct column monitor_sensor_columns[];

#endif
