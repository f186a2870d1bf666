// SPDX-License-Identifier: MIT
#include "common.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 1024

int main(int argc, char **argv)
{
    struct stat info;
    int status = 0;

    command_begin(argc, argv, "mv FROM TO\n       mv FROM … FOLDER\nrenames and moves");
    if (argc < 3)
        return command_usage();
    const char *to = argv[argc - 1];
    bool folder = stat(to, &info) == 0 && S_ISDIR(info.st_mode);
    if (argc > 3 && !folder)
        return complain_text(to, "is no folder");
    for (int i = 1; i < argc - 1; i++) {
        char path[PATH_BYTES] = "";
        const char *slash = strrchr(argv[i], '/');
        if (folder)
            snprintf(path, sizeof(path), "%s/%s", to, slash == NULL ? argv[i] : slash + 1);
        if (rename(argv[i], folder ? path : to) != 0)
            status = complain(argv[i]);
    }
    return status;
}
