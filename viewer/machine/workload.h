// SPDX-License-Identifier: MIT
// Workloads in the guest: start one, wait for its end, read its own account.
#ifndef KOV_WORKLOAD_H
#define KOV_WORKLOAD_H

#include "output/document.h"
#include "tools/kov.h"

struct workload_result {
    u64 id;
    bool running;
    s32 error;    // 0 or what it ended with
    char *report; // lines "key value"; printable
};

// Adds {name, help} of each workload that the machine has to a list. An exit code.
int workloads_fetch(json_t *list);
// Who is called during a window, some twenty times a second; a handler of NULL: nobody.
// Another code than KOV_OK ends the window.
typedef int workload_tick(void *context);
struct workload_watch {
    workload_tick *handler;
    void *context;
};

// Starts the workload that stands after "--": NAME key=value …, or NAME:key=value,…
int workload_start(const struct arguments *arguments, u64 *id);
int workload_stop(u64 id);
int workload_status(u64 id, struct workload_result *result);
// Waits for the end, taking pushed events meanwhile. After `seconds` (0: no limit) or an interrupt
// it is stopped.
int workload_wait(u64 id, double seconds, struct workload_result *result);
// The window of a measurement: while the workload that the arguments name runs, or without one for
// some seconds. `seconds` is what was asked for, 0 when nothing was: then `otherwise`, or no limit
// for a workload. watch may be NULL.
int workload_window(const struct arguments *arguments, double seconds, double otherwise,
                    const struct workload_watch *watch, struct workload_result *result);
// KOV_FAILED, with a message, when it ended with an error of its own.
int workload_verdict(const struct workload_result *result);

// The report for people, and as an object of key: value.
void workload_print(FILE *out, const struct workload_result *result);
// The same below a measurement, with a heading.
void workload_print_account(const struct workload_result *result);
void workload_json(json_t *json, const char *key, const struct workload_result *result);
void workload_free(struct workload_result *result);

#endif
