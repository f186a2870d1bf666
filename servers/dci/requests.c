// SPDX-License-Identifier: MIT
// The table of requests.
#include "requests.h"

#define KIND(name, role, begin, step)                                                              \
    {                                                                                              \
        dci_Request_##name##_tag, #name, role, begin, step                                         \
    }

static const struct request_kind kinds[] = {
    KIND(hello, dci_Role_ROLE_NONE, hello_begin, NULL),
    KIND(system, dci_Role_ROLE_OBSERVER, system_begin, NULL),
    KIND(server_stat, dci_Role_ROLE_OBSERVER, server_stat_begin, NULL),
    KIND(power_off, dci_Role_ROLE_CONTROLLER, power_off_begin, NULL),

    KIND(classes, dci_Role_ROLE_OBSERVER, classes_begin, classes_step),
    KIND(objects, dci_Role_ROLE_OBSERVER, objects_begin, objects_step),
    KIND(dref_enable, dci_Role_ROLE_CONTROLLER, dref_enable_begin, dref_enable_step),
    KIND(dref_read, dci_Role_ROLE_OBSERVER, dref_read_begin, dref_read_step),

    KIND(sampling_start, dci_Role_ROLE_CONTROLLER, sampling_start_begin, NULL),
    KIND(sampling_stop, dci_Role_ROLE_CONTROLLER, sampling_stop_begin, sampling_stop_step),
    KIND(sampling_stat, dci_Role_ROLE_OBSERVER, sampling_stat_begin, NULL),
    KIND(sampling_change, dci_Role_ROLE_CONTROLLER, sampling_change_begin, NULL),

    KIND(trace_stat, dci_Role_ROLE_OBSERVER, trace_stat_begin, trace_stat_step),
    KIND(trace_set, dci_Role_ROLE_CONTROLLER, trace_set_begin, trace_set_step),
    KIND(trace_events, dci_Role_ROLE_OBSERVER, list_begin, trace_events_step),
    KIND(trace_metadata, dci_Role_ROLE_OBSERVER, list_begin, trace_metadata_step),
    KIND(trace_subscribe, dci_Role_ROLE_CONTROLLER, trace_subscribe_begin, trace_subscribe_step),
    KIND(trace_unsubscribe, dci_Role_ROLE_CONTROLLER, trace_unsubscribe_begin,
         trace_unsubscribe_step),

    KIND(pmu_events, dci_Role_ROLE_OBSERVER, list_begin, pmu_events_step),
    KIND(count_start, dci_Role_ROLE_CONTROLLER, count_start_begin, NULL),
    KIND(count_read, dci_Role_ROLE_OBSERVER, count_read_begin, count_read_step),
    KIND(count_stop, dci_Role_ROLE_CONTROLLER, count_stop_begin, count_stop_step),
    KIND(count_tasks, dci_Role_ROLE_OBSERVER, count_tasks_begin, count_tasks_step),
    KIND(count_exclude, dci_Role_ROLE_CONTROLLER, count_exclude_begin, NULL),
    KIND(count_trace, dci_Role_ROLE_CONTROLLER, count_trace_begin, NULL),

    KIND(workloads, dci_Role_ROLE_OBSERVER, list_begin, workloads_step),
    KIND(workload_start, dci_Role_ROLE_CONTROLLER, workload_start_begin, NULL),
    KIND(workload_stop, dci_Role_ROLE_CONTROLLER, workload_stop_begin, NULL),
    KIND(workload_status, dci_Role_ROLE_OBSERVER, workload_status_begin, NULL),

    KIND(processes, dci_Role_ROLE_OBSERVER, list_begin, processes_step),
    KIND(regions, dci_Role_ROLE_OBSERVER, regions_begin, regions_step),
    KIND(kill, dci_Role_ROLE_CONTROLLER, kill_begin, NULL),
    KIND(move, dci_Role_ROLE_CONTROLLER, move_begin, move_step),

    KIND(run_open, dci_Role_ROLE_CONTROLLER, run_open_begin, NULL),
    KIND(run_upload, dci_Role_ROLE_CONTROLLER, run_upload_begin, NULL),
    KIND(run_start, dci_Role_ROLE_CONTROLLER, run_start_begin, NULL),
    KIND(run_input, dci_Role_ROLE_CONTROLLER, run_input_begin, NULL),

    KIND(console_attach, dci_Role_ROLE_OBSERVER, console_attach_begin, NULL),
    KIND(console_input, dci_Role_ROLE_CONTROLLER, console_input_begin, NULL),
    KIND(console_detach, dci_Role_ROLE_OBSERVER, console_detach_begin, NULL),

    KIND(sleep_locks_enable, dci_Role_ROLE_CONTROLLER, sleep_locks_enable_begin,
         sleep_locks_enable_step),
    KIND(sleep_locks_read, dci_Role_ROLE_CONTROLLER, sleep_locks_read_begin, sleep_locks_read_step),
};

const struct request_kind *request_find(u32 tag)
{
    for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
        if (kinds[i].tag == tag)
            return &kinds[i];
    return NULL;
}
