// SPDX-License-Identifier: MIT
// Files and mounts that processes have made. They outlive their makers by design, and those files
// that were mapped have objects of the kernel.
#include "supervisor.h"

#include <dirent.h>
#include <fcntl.h>
#include <ipc/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEPTH_MAX 12
#define MOUNTS_MAX 8 // that there are at the start

static char mounts[MOUNTS_MAX][FS_PATH_MAX]; // "POINT SERVICE"
static u32 mount_count;

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

// Calls visit for all in a folder, but for /proc, before what is in it.
// False: it is not to be looked into.
static void walk(const char *folder, u32 depth, bool (*visit)(const char *path, bool is_folder))
{
    char path[FS_PATH_MAX + 1];
    DIR *entries = opendir(depth == 0 ? "/" : folder);
    struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        int bytes = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(path, "/proc") == 0 || bytes >= (int)sizeof(path))
            continue;
        bool is_folder = entry->d_type == DT_DIR;
        if (visit(path, is_folder) && is_folder && depth < DEPTH_MAX) {
            walk(path, depth + 1, visit);
            visit(path, is_folder);
        }
    }
    if (entries != NULL)
        closedir(entries);
}

// What cannot be removed is passed over: files of the initial file system, and folders with such.
static bool remove_one(const char *path, bool is_folder)
{
    (void)is_folder;
    return strcmp(path, "/data") == 0 || remove(path) != 0;
}

void files_remove(void)
{
    restore_mounts();
    walk("", 0, remove_one);
}

// fs keeps the kernel's objects of a file from its first mapping on.
static bool map_one(const char *path, bool is_folder)
{
    int file = is_folder ? -1 : open(path, O_RDONLY);
    void *map = file < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ, MAP_SHARED, file, 0);

    if (map != MAP_FAILED)
        munmap(map, 1);
    if (file >= 0)
        close(file);
    return true;
}

void files_begin(void)
{
    if (service("fs") == 0)
        return;
    while (mount_count < MOUNTS_MAX &&
           fs_mounts(service("fs"), mount_count, mounts[mount_count], FS_PATH_MAX) == 0)
        mount_count++;
    walk("", 0, map_one);
}

static bool tell_one(const char *path, bool is_folder)
{
    if (!is_folder && strncmp(path, "/bin/", 5) != 0)
        printf("fuzz: file %s\n", path);
    return true;
}

void files_tell(void)
{
    walk("", 0, tell_one);
}
