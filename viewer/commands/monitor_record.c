// SPDX-License-Identifier: MIT
// `kov monitor record`: what threads do, as a folder that CTF readers understand.
#include "commands/commands.h"
#include "monitors/monitor_record.h"
#include "tools/options.h"
#include "tools/text.h"

static struct monitor_record_options chosen = {
    .folder = "monitor.ctf", .bytes = 0x40000, .kinds = MONITOR_KINDS_DEFAULT};

static const struct option options[] = {
    TEXT('o', "output", &chosen.folder, "FOLDER", "the folder to make (monitor.ctf)"),
    TEXT('p', "pid", &chosen.pids, "P[/T],…",
         "track these processes, or threads of theirs; 0: the kernel"),
    TEXT('e', "events", &chosen.kinds, "KIND,…",
         "of these: switch, wake, fault, syscall, block, call, thread, sensor, or all "
         "(switch,wake,thread,sensor)"),
    SECONDS('d', "duration", &chosen.seconds, 86400,
            "how long (5; with a workload, as long as it runs)"),
    NUMBER(0, "bytes", &chosen.bytes, SYS_MONITOR_BYTES_MIN, SYS_MONITOR_BYTES_MAX, "BYTES",
           "of the ring of each CPU (262144)"),
    OPTIONS_END,
};

static int run(const struct arguments *arguments)
{
    if (arguments->count == 0 && chosen.pids == NULL)
        return fail(KOV_USAGE, "name processes with --pid, or a monitor: see `kov monitor list`");
    if (arguments->count == 1 && !text_to_u64(arguments->values[0], 1, UINT32_MAX, &chosen.number))
        return fail(KOV_USAGE, "'%s' is no number of a monitor: see `kov monitor list`",
                    arguments->values[0]);
    return monitor_record(arguments, &chosen);
}

const struct command command_monitor_record = {
    .name = "monitor record",
    .synopsis =
        "[ID] [-p P[/T],…] [-e KIND,…] [-d SECONDS] [-o FOLDER] [--bytes BYTES] [-- WORKLOAD "
        "[KEY=VALUE…] | run PROGRAM…]",
    .summary = "Record what threads do, with a monitor of one's own",
    .details =
        "Any number of viewers record side by side, also the same threads, and without taking the\n"
        "trace from anybody. With ID a kept monitor records, and stays. In the end, of each CPU:\n"
        "FIRED = READ + LOST + UNREAD, or the command fails. "
        "A kept monitor records of what it tracks\n"
        "already what it was created for. The folder is one for\n"
        "`kov monitor show` and for babeltrace2. Ctrl-C ends it early and keeps it.",
    .options = {options},
    .max_arguments = 1,
    .takes_workload = true,
    .has_csv = true,
    .run = run,
};
