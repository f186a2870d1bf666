// SPDX-License-Identifier: MIT
// How often sensors of programs were told (kind SENSOR), by the names that the programs give
// them.
#ifndef KOV_MONITOR_SENSORS_H
#define KOV_MONITOR_SENSORS_H

#include "trace/trace_tool.h"

struct monitor_sensors {
    struct event_fields told;
    struct keyed_rows rows;
};

// All zero at first.
void monitor_sensors_begin(struct monitor_sensors *sensors,
                           const struct descriptions *descriptions);
// Counts those from that time on. False: the event is no sensor's.
bool monitor_sensors_take(struct monitor_sensors *sensors, const struct trace_event *event,
                          u64 from);
// "sensors": of each how often, and its last two words.
void monitor_sensors_put(const struct monitor_sensors *sensors, const struct trace_walk *walk,
                         json_t *document);
void monitor_sensors_free(struct monitor_sensors *sensors);

extern const struct column monitor_sensor_columns[];

#endif
