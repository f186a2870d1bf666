// SPDX-License-Identifier: MIT
// The five metrics over time, counted on every CPU. A counting session runs while somebody watches
// them. It is read into the history once a second, the first time sooner.
#ifndef KOV_METRIC_COUNTS_H
#define KOV_METRIC_COUNTS_H

#include "counts/counting.h"
#include "gateway/history.h"

#define METRIC_COUNTS_SECONDS 1.0
#define METRIC_COUNTS_FIRST 0.25 // until the second reading, so that a new browser soon sees it
#define METRIC_COUNTS_IDLE 10.0  // seconds without a watcher, after which counting ends

struct metric_counts {
    bool running, refused; // refused: the machine does not count the events of the metrics
    double due, watched;   // by clock_now(): the next reading; when somebody last watched
    struct count_request request;
    struct count_reading last, now, between;
    bool has_last;
    // Since this session began: what was counted of each item, the squares of its error (NaN: not
    // known), and for how long.
    double totals[COUNT_ITEMS_MAX], squares[COUNT_ITEMS_MAX], seconds;
};

// Begins to count, and reads the counts when they are due. Call it while somebody watches. While
// others have the counters, it tries again, and nothing is known. Returns KOV_OK, even if the
// machine refuses (with a message); else the connection is gone.
int metric_counts_attend(struct metric_counts *counts, const struct event_list *list,
                         struct history *history);
// Ends counting if nobody has watched for long.
int metric_counts_rest(struct metric_counts *counts);
// Forgets the session, since the connection is another one.
void metric_counts_reset(struct metric_counts *counts);

#endif
