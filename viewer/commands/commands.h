// SPDX-License-Identifier: MIT
// All commands. Each is in the file of its name; tools that answer from a trace are in
// trace_tools.c.
#ifndef KOV_COMMANDS_H
#define KOV_COMMANDS_H

#include "tools/kov.h"

// Where in the order of `commands` each group begins; ends with a NULL.
struct command_group {
    const char *title;
    const struct command *first;
};
extern const struct command_group command_groups[];

// Print help texts, made from the tables of commands and options. The second returns KOV_OK.
void help_overview(FILE *out);
int help_command(FILE *out, const struct command *command);

extern const struct command command_annotate;
extern const struct command command_classes;
extern const struct command command_completion;
extern const struct command command_config_list;
extern const struct command command_config_load;
extern const struct command command_config_remove;
extern const struct command command_config_save;
extern const struct command command_config_show;
extern const struct command command_console;
extern const struct command command_disk_format;
extern const struct command command_events;
extern const struct command command_export;
extern const struct command command_hello;
extern const struct command command_help;
extern const struct command command_kill;
extern const struct command command_locks;
extern const struct command command_monitor_create;
extern const struct command command_monitor_list;
extern const struct command command_monitor_record;
extern const struct command command_monitor_show;
extern const struct command command_monitor_stop;
extern const struct command command_move;
extern const struct command command_objects;
extern const struct command command_poweroff;
extern const struct command command_ps;
extern const struct command command_record;
extern const struct command command_regions;
extern const struct command command_report;
extern const struct command command_run;
extern const struct command command_sched;
extern const struct command command_serve;
extern const struct command command_server;
extern const struct command command_stat;
extern const struct command command_top;
extern const struct command command_threshold;
extern const struct command command_trace_count;
extern const struct command command_trace_syscalls;
extern const struct command command_trace_faults;
extern const struct command command_trace_breakdown;
extern const struct command command_trace_compare;
extern const struct command command_trace_export;
extern const struct command command_trace_idle;
extern const struct command command_trace_list;
extern const struct command command_trace_live;
extern const struct command command_trace_locks;
extern const struct command command_trace_profile;
extern const struct command command_trace_record;
extern const struct command command_trace_sched;
extern const struct command command_trace_set;
extern const struct command command_trace_show;
extern const struct command command_trace_snapshot;
extern const struct command command_trace_read;
extern const struct command command_trace_stat;
extern const struct command command_trace_waits;
extern const struct command command_trace_threads;
extern const struct command command_workload_list;
extern const struct command command_workload_run;
extern const struct command command_swap;
extern const struct command command_workload_start;
extern const struct command command_workload_status;
extern const struct command command_workload_stop;

#endif
