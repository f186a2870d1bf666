// SPDX-License-Identifier: MIT
// The five metrics over time, counted on every CPU: a session of counting that runs while somebody
// watches them, read once a second into the history, at first sooner.
#ifndef KOV_METRIC_COUNTS_H
#define KOV_METRIC_COUNTS_H

#include "counts/counting.h"
#include "gateway/history.h"

#define METRIC_COUNTS_SECONDS 1.0
#define METRIC_COUNTS_FIRST 0.25 // until the second reading: who is new sees something soon
#define METRIC_COUNTS_IDLE 10.0  // seconds without a watcher, after which counting ends

struct metric_counts {
    bool running, refused; // refused: the machine does not count what metrics are made of
    double due, watched;   // by clock_now(): the next reading; when somebody watched last
    struct count_request request;
    struct count_reading last, now, between;
    bool has_last;
};

// Somebody watches: begins, reads when it is due. While others have the counters it tries again,
// and nothing is known. KOV_OK also when the machine refuses (a message has told); else the
// connection is gone.
int metric_counts_attend(struct metric_counts *counts, const struct event_list *list,
                         struct history *history);
// Nobody has watched for long: ends it.
int metric_counts_rest(struct metric_counts *counts);
// The connection is another one.
void metric_counts_forget(struct metric_counts *counts);

#endif
