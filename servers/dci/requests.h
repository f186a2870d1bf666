// SPDX-License-Identifier: MIT
// The requests: who may make them, and what carries them out. Every `begin` decodes and checks all,
// then acts; the act cannot half fail.
#ifndef DCI_REQUESTS_H
#define DCI_REQUESTS_H

#include "client.h"

// What begin and step return besides errors.
enum request_result {
    REQUEST_DONE,    // carried out: an empty response is due
    REQUEST_REPLIED, // carried out, the last response is queued
    REQUEST_GOES_ON, // step is to be called (again), when there is room for a response
    REQUEST_WAITS,   // step could do nothing now: its pushes need room
};

struct request_kind {
    u32 tag; // field number in Request.body
    const char *name;
    dci_Role role; // at least this one
    s64 (*begin)(struct client *client, const dci_Request *request);
    s64 (*step)(struct client *client);
};

const struct request_kind *request_find(u32 tag); // NULL when there is no such

// session.c
s64 hello_begin(struct client *client, const dci_Request *request);
s64 system_begin(struct client *client, const dci_Request *request);
s64 server_stat_begin(struct client *client, const dci_Request *request);
s64 power_off_begin(struct client *client, const dci_Request *request);
// Powers off when that was asked for and the answer had time to be sent.
u64 power_off_work(u64 now); // returns when to call it again, UINT64_MAX: not needed

// objects.c
s64 list_begin(struct client *client, const dci_Request *request); // any list: only steps
s64 classes_begin(struct client *client, const dci_Request *request);
s64 classes_step(struct client *client);
s64 objects_begin(struct client *client, const dci_Request *request);
s64 objects_step(struct client *client);

// dref.c
s64 dref_enable_begin(struct client *client, const dci_Request *request);
s64 dref_enable_step(struct client *client);
s64 dref_read_begin(struct client *client, const dci_Request *request);
s64 dref_read_step(struct client *client);
u64 dref_work(u64 now); // returns when to call it again
void dref_release(struct client *client);

// sampling.c
s64 sampling_start_begin(struct client *client, const dci_Request *request);
s64 sampling_stop_begin(struct client *client, const dci_Request *request);
s64 sampling_stop_step(struct client *client);
s64 sampling_stat_begin(struct client *client, const dci_Request *request);
s64 sampling_change_begin(struct client *client, const dci_Request *request);
bool sampling_owned_by(const struct client *client);
u64 sampling_work(u64 now); // pushes what there is; returns when to call it again
void sampling_release(struct client *client);

// counting.c
s64 pmu_events_step(struct client *client);
s64 count_start_begin(struct client *client, const dci_Request *request);
s64 count_read_begin(struct client *client, const dci_Request *request);
s64 count_read_step(struct client *client);
s64 count_stop_begin(struct client *client, const dci_Request *request);
s64 count_stop_step(struct client *client);
s64 count_trace_begin(struct client *client, const dci_Request *request);
s64 count_tasks_begin(struct client *client, const dci_Request *request);
s64 count_tasks_step(struct client *client);
bool counting_owned_by(const struct client *client);
void counting_release(struct client *client);

// exclusion.c
s64 count_exclude_begin(struct client *client, const dci_Request *request);
void exclusion_begin(void);         // takes in again what a server before this one has left out
void exclusion_session_begin(void); // forgets who was left out, but for those that are
// Processes that were left out since then: how many.
u32 exclusion_of_session(const u32 **pids);
void exclusion_release(struct client *client);

// tracing_counts.c
s64 trace_stat_begin(struct client *client, const dci_Request *request);
s64 trace_stat_step(struct client *client);

// tracing_settings.c
s64 trace_set_begin(struct client *client, const dci_Request *request);
s64 trace_set_step(struct client *client);

// tracing_lists.c
s64 trace_events_step(struct client *client);
s64 trace_metadata_step(struct client *client);

// tracing.c
s64 trace_subscribe_begin(struct client *client, const dci_Request *request);
s64 trace_subscribe_step(struct client *client);
s64 trace_unsubscribe_begin(struct client *client, const dci_Request *request);
s64 trace_unsubscribe_step(struct client *client);
bool tracing_owned_by(const struct client *client);
u64 tracing_work(u64 now);
void tracing_release(struct client *client);

// workloads.c
s64 workloads_step(struct client *client);
s64 workload_start_begin(struct client *client, const dci_Request *request);
s64 workload_stop_begin(struct client *client, const dci_Request *request);
s64 workload_status_begin(struct client *client, const dci_Request *request);

// processes.c
s64 processes_step(struct client *client);
s64 regions_begin(struct client *client, const dci_Request *request);
s64 regions_step(struct client *client);
s64 kill_begin(struct client *client, const dci_Request *request);
s64 move_begin(struct client *client, const dci_Request *request);
s64 move_step(struct client *client);

// runs.c
s64 run_open_begin(struct client *client, const dci_Request *request);
s64 run_upload_begin(struct client *client, const dci_Request *request);
s64 run_start_begin(struct client *client, const dci_Request *request);
s64 run_input_begin(struct client *client, const dci_Request *request);
u32 runs_of(const struct client *client);
u64 runs_work(u64 now);
void runs_release(struct client *client);

// console.c
s64 console_attach_begin(struct client *client, const dci_Request *request);
s64 console_input_begin(struct client *client, const dci_Request *request);
s64 console_detach_begin(struct client *client, const dci_Request *request);
u64 console_work(u64 now);

// sleep_locks.c
s64 sleep_locks_enable_begin(struct client *client, const dci_Request *request);
s64 sleep_locks_enable_step(struct client *client);
s64 sleep_locks_read_begin(struct client *client, const dci_Request *request);
s64 sleep_locks_read_step(struct client *client);
bool sleep_locks_owned_by(const struct client *client);
u64 sleep_locks_work(u64 now); // returns when to call it again
void sleep_locks_release(struct client *client);

// server.c
extern u64 server_started;
extern struct sys_info server_system; // as it was at the start
u64 server_ticks(u64 milliseconds);
// Raw records on their way from a sys_ call to a frame.
extern u8 server_records[RECORDS_BYTES_MAX];

#endif
