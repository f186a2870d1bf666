// SPDX-License-Identifier: MIT
// Counts of events and their metrics, for people and as JSON.
#ifndef KOV_STAT_PRINT_H
#define KOV_STAT_PRINT_H

#include "counts/counts.h"
#include "output/json.h"

struct stat_view {
    const struct count_request *request;
    const struct count_reading *reading;
    double seconds; // that it covers
    bool per_cpu;
    const char *label; // in front of every line, such as the time; "" for none
};

void stat_print_header(const struct stat_view *view);
void stat_print_counts(const struct stat_view *view);
// How many there were.
u32 stat_print_metrics(const struct stat_view *view);
// Members "seconds", "events", "metrics" of the object that is open.
void stat_json(struct json *json, const struct stat_view *view);

// For stat_tasks.c. A count's members of the object that is open.
void stat_json_count(struct json *json, const struct stat_view *view, const struct count *count);

#endif
