// SPDX-License-Identifier: MIT
// The table of commands.
#include "commands/commands.h"

const struct command *const commands[] = {
    &command_hello,          &command_ps,
    &command_objects,        &command_classes,
    &command_events,         &command_stat,
    &command_config_list,    &command_config_show,
    &command_config_save,    &command_config_load,
    &command_config_remove,  &command_record,
    &command_report,         &command_annotate,
    &command_export,         &command_top,
    &command_threshold,      &command_trace_record,
    &command_trace_show,     &command_trace_export,
    &command_trace_live,     &command_trace_snapshot,
    &command_trace_list,     &command_trace_stat,
    &command_trace_set,      &command_locks,
    &command_workload_list,  &command_workload_run,
    &command_workload_start, &command_workload_status,
    &command_workload_stop,  &command_run,
    &command_console,        &command_kill,
    &command_move,           &command_regions,
    &command_server,         &command_serve,
    &command_poweroff,       &command_completion,
    &command_help,           NULL,
};
