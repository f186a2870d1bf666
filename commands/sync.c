// SPDX-License-Identifier: MIT
#include "common.h"

int main(int argc, char **argv)
{
    command_begin(argc, argv, "sync\nwaits until the files in /data are on the disk");
    if (argc > 1)
        return command_usage();
    return sync_files() ? 0 : complain("/data");
}
