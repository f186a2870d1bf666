// SPDX-License-Identifier: MIT
// What a measurement is bounded by: a workload in the guest, which has an account of its own, or a
// program that runs there for this client (program.h).
#ifndef KOV_WORKLOAD_H
#define KOV_WORKLOAD_H

#include "output/document.h"
#include "tools/kov.h"

struct program;

struct workload_result {
    struct program *program; // NULL: a workload; else all below but the next is not set
    int words;               // of the arguments, up to the program's own
    u64 id;
    bool running;
    s32 error;    // 0, or the error that it ended with
    char *report; // lines "key value"; printable
};

// Adds {name, help} of each workload of the machine to a list. Returns an exit code.
int workloads_fetch(json_t *list);
// Adds {id, command, running, error, began, ended} of the last run of each workload that has run,
// whoever started it, to a list; times are ticks, ended is null while it runs.
int workload_runs_fetch(json_t *list);
// Called some twenty times a second during a window. A code other than KOV_OK ends the window. A
// handler of NULL is not called.
typedef int workload_tick(void *context);
struct workload_watch {
    workload_tick *handler;
    void *context;
    const bool *enough; // set: the window ends, as when its time is over; NULL: never set
};

// Makes ready what is given after "--", before the measurement starts: a program ("run PROGRAM
// ARGUMENT…") is uploaded. Does nothing for a workload. Its workload_window starts it.
int workload_prepare(const struct arguments *arguments, struct workload_result *result);
// Starts the workload given after "--": NAME key=value …, or NAME:key=value,…
int workload_start(const struct arguments *arguments, u64 *id);
int workload_stop(u64 id);
int workload_status(u64 id, struct workload_result *result);
// Waits for the end and takes pushed events meanwhile. Stops the workload after `seconds` (0: no
// limit) or when interrupted.
int workload_wait(u64 id, double seconds, struct workload_result *result);
// Waits for the window of a measurement. That is as long as the workload in the arguments runs, or
// some seconds if there is none. `seconds` is what the user asked for. If it is 0, a workload has
// no limit, and without a workload the window takes `otherwise` seconds. watch may be NULL.
int workload_window(const struct arguments *arguments, double seconds, double otherwise,
                    const struct workload_watch *watch, struct workload_result *result);
// Returns KOV_FAILED with a message if the workload ended with an error of its own, or what
// program_verdict returns.
int workload_verdict(const struct workload_result *result);

// Prints the report for people. workload_json adds it as an object of key: value.
void workload_print(FILE *out, const struct workload_result *result);
// Prints the report below a measurement, with a heading.
void workload_print_account(const struct workload_result *result);
void workload_json(json_t *json, const char *key, const struct workload_result *result);
void workload_free(struct workload_result *result);

#endif
