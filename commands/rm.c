// SPDX-License-Identifier: MIT
#include "common.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 1024
#define DEPTH_MAX 32

static bool recursive, force;

static int remove_one(const char *path, u32 depth);

// Removal changes the folder, so it is read anew for each entry.
static int remove_entries(const char *path, u32 depth)
{
    char inner[PATH_BYTES];

    for (;;) {
        struct dirent *entry;
        DIR *folder = opendir(path);
        if (folder == NULL)
            return complain(path);
        do
            entry = readdir(folder);
        while (entry != NULL &&
               (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
        if (entry != NULL)
            snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
        closedir(folder);
        if (entry == NULL)
            return 0;
        if (remove_one(inner, depth + 1) != 0)
            return 1;
    }
}

static int remove_one(const char *path, u32 depth)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return force && errno == ENOENT ? 0 : complain(path);
    if (!S_ISDIR(info.st_mode))
        return unlink(path) == 0 ? 0 : complain(path);
    if (!recursive)
        return complain_text(path, "is a folder (rm -r removes it)");
    if (depth == DEPTH_MAX)
        return complain_text(path, "too deep");
    if (remove_entries(path, depth) != 0)
        return 1;
    return rmdir(path) == 0 ? 0 : complain(path);
}

int main(int argc, char **argv)
{
    int status = 0;

    command_begin(argc, argv,
                  "rm [-r] [-f] PATH …\nremoves files; -r: folders, too; -f: no complaint about "
                  "what is not there");
    for (int option; (option = getopt(argc, argv, "rf")) != -1;) {
        if (option == '?')
            return command_usage();
        recursive |= option == 'r';
        force |= option == 'f';
    }
    if (optind == argc)
        return command_usage();
    for (int i = optind; i < argc; i++)
        status |= remove_one(argv[i], 0);
    return status;
}
