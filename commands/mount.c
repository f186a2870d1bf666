// SPDX-License-Identifier: MIT
#include "common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#define ENTRY_BYTES 1024

static int show_all(void)
{
    char entry[ENTRY_BYTES];

    for (unsigned i = 0; mount_entry(i, entry, sizeof(entry)) == 0; i++) {
        char *space = strchr(entry, ' ');
        if (space != NULL)
            *space++ = 0;
        printf("%s on %s\n", space == NULL ? "?" : space, entry);
    }
    return errno == ENOENT ? 0 : complain("mounts");
}

int main(int argc, char **argv)
{
    command_begin(argc, argv,
                  "mount\n       mount SERVICE FOLDER\n       mount -u FOLDER\n"
                  "lists what is mounted; mounts a file server's service on a folder; -u: no more");
    if (argc == 1)
        return show_all();
    if (argc != 3)
        return command_usage();
    if (strcmp(argv[1], "-u") == 0)
        return unmount_service(argv[2]) == 0 ? 0 : complain(argv[2]);
    return mount_service(argv[2], argv[1]) == 0 ? 0 : complain(argv[2]);
}
