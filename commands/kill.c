// SPDX-License-Identifier: MIT
#include "common.h"

#include <orrery/process.h>

#define STATUS_TERMINATED 143

int main(int argc, char **argv)
{
    int status = 0;

    command_begin(argc, argv, "kill PID …\nends processes");
    if (argc < 2)
        return command_usage();
    for (int i = 1; i < argc; i++) {
        u64 pid;
        if (!parse_number(argv[i], UINT32_MAX, &pid)) {
            status = complain_text(argv[i], "is no process number");
            continue;
        }
        s64 error = sys_process_kill((u32)pid, STATUS_TERMINATED);
        if (error != 0)
            status = complain_error(argv[i], error);
    }
    return status;
}
