// SPDX-License-Identifier: MIT
// Prints counts of events and their metrics.
#ifndef KOV_STAT_PRINT_H
#define KOV_STAT_PRINT_H

#include "counts/counts.h"
#include "output/columns.h"

struct stat_view {
    const struct count_request *request;
    const struct count_reading *reading;
    double seconds; // how many the reading covers
    bool per_cpu;
    const char *label; // printed before every line, such as the time; "" for none
};

// Prints tables of counts and of metrics.
void stat_print(const struct stat_view *view, bool heading);
// Make a document of the same, and its sheets.
json_t *stat_document(const struct stat_view *view);
void stat_sheets(const struct stat_view *view, struct sheet sheets[3]);
// Adds members "seconds", "events", "metrics". An event has "cpus".
void stat_json(json_t *json, const struct stat_view *view);

// Prints the counts as CSV, with the time of each row before them.
void stat_csv_interval(const struct stat_view *view, double time, bool heading);

// Adds the members of a count, for stat_tasks.c.
void stat_put_count(json_t *row, const struct stat_view *view, const struct count_item *item,
                    const struct count *count);

#endif
