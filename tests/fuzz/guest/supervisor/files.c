// SPDX-License-Identifier: MIT
// Files that processes have made. They outlive their makers by design, and those that were mapped
// have objects of the kernel.
#include "supervisor.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 12

static bool is_kept(const char *name)
{
    static const char *const kept[] = {".", "..", "proc", "dev", "data"};

    for (u32 i = 0; i < ARRAY_SIZE(kept); i++) {
        if (strcmp(name, kept[i]) == 0)
            return true;
    }
    return false;
}

// What cannot be removed is passed over: files of the initial file system, and folders with such.
static void empty(const char *folder, u32 depth)
{
    char path[PATH_BYTES];
    DIR *entries = opendir(depth == 0 ? "/" : folder);
    struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        int bytes = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (is_kept(entry->d_name) || bytes >= (int)sizeof(path) || remove(path) == 0)
            continue;
        if (depth < DEPTH_MAX)
            empty(path, depth + 1);
        remove(path);
    }
    if (entries != NULL)
        closedir(entries);
}

void files_remove(void)
{
    empty("", 0);
}
