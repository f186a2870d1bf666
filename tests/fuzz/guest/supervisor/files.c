// SPDX-License-Identifier: MIT
// Files and mounts that processes have made. They outlive their makers by design, and those files that were mapped
// have objects of the kernel.
#include "supervisor.h"

#include <dirent.h>
#include <ipc/fs.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 12
#define MOUNTS_MAX 8 // that there are at the start

static char mounts[MOUNTS_MAX][FS_PATH_MAX]; // "POINT SERVICE"
static u32 mount_count;

void files_begin(void)
{
    if (service("fs") == 0)
        return;
    while (mount_count < MOUNTS_MAX &&
           fs_mounts(service("fs"), mount_count, mounts[mount_count], FS_PATH_MAX) == 0)
        mount_count++;
}

static bool is_of_start(const char *mount)
{
    for (u32 i = 0; i < mount_count; i++) {
        if (strcmp(mount, mounts[i]) == 0)
            return true;
    }
    return false;
}

// point, in "POINT SERVICE", is mounted on, or with an empty service not any more.
static s64 set_mount(const char *mount, const char *on)
{
    char point[FS_PATH_MAX];

    snprintf(point, sizeof(point), "%.*s", (int)strcspn(mount, " "), mount);
    return fs_mount(service("fs"), point, on);
}

// Mounts hide files.
static void restore_mounts(void)
{
    char mount[FS_PATH_MAX];
    u32 index = 0;

    while (fs_mounts(service("fs"), index, mount, sizeof(mount)) == 0) {
        if (is_of_start(mount) || set_mount(mount, "") != 0)
            index++;
    }
    for (u32 i = 0; i < mount_count; i++)
        set_mount(mounts[i],
                  mounts[i] + strcspn(mounts[i], " ") + 1); // refused where it is still there
}

static bool is_kept(const char *name)
{
    static const char *const kept[] = {".", "..", "proc", "dev"};

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
        if (is_kept(entry->d_name) || bytes >= (int)sizeof(path))
            continue;
        bool is_disk = strcmp(path, "/data") == 0;
        if (!is_disk && remove(path) == 0)
            continue;
        if (depth < DEPTH_MAX)
            empty(path, depth + 1);
        if (!is_disk)
            remove(path);
    }
    if (entries != NULL)
        closedir(entries);
}

void files_remove(void)
{
    restore_mounts();
    empty("", 0);
}
