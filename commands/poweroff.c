// SPDX-License-Identifier: MIT
#include "common.h"

#include <orrery/sys.h>

int main(int argc, char **argv)
{
    u64 status = 0;

    command_begin(argc, argv,
                  "poweroff [STATUS]\nswitches the machine off; not 0: the emulator fails");
    if (argc > 2 || (argc == 2 && !parse_number(argv[1], 255, &status)))
        return command_usage();
    if (!sync_files())
        complain("/data");
    sys_power_off((int)status);
}
