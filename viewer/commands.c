// SPDX-License-Identifier: MIT
// The table of commands.
#include "commands.h"

const struct command *const commands[] = {
    &command_hello,
    &command_ps,
    &command_objects,
    &command_classes,
    &command_events,
    &command_stat,
    &command_record,
    &command_report,
    &command_top,
    &command_trace_record,
    &command_trace_snapshot,
    &command_trace_list,
    &command_trace_stat,
    &command_trace_set,
    &command_workload_list,
    &command_workload_run,
    &command_workload_start,
    &command_workload_status,
    &command_workload_stop,
    &command_run,
    &command_console,
    &command_kill,
    &command_move,
    &command_regions,
    &command_server,
    &command_poweroff,
    &command_help,
    NULL,
};
