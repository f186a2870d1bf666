// SPDX-License-Identifier: MIT
// Counts of events and their metrics.
#ifndef KOV_STAT_PRINT_H
#define KOV_STAT_PRINT_H

#include "counts/counts.h"
#include "output/columns.h"

struct stat_view {
    const struct count_request *request;
    const struct count_reading *reading;
    double seconds; // that it covers
    bool per_cpu;
    const char *label; // in front of every line, such as the time; "" for none
};

// Tables of counts and of metrics.
void stat_print(const struct stat_view *view, bool heading);
// The same as a document with its sheets.
json_t *stat_document(const struct stat_view *view);
void stat_sheets(const struct stat_view *view, struct sheet sheets[3]);
// Members "seconds", "events", "metrics"; an event has "cpus".
void stat_json(json_t *json, const struct stat_view *view);

// For stat_tasks.c: a count's members.
void stat_put_count(json_t *row, const struct stat_view *view, const struct count_item *item,
                    const struct count *count);

#endif
