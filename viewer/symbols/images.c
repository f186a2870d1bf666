// SPDX-License-Identifier: MIT
// Where the machine's images and programs are looked for.
#include "symbols/images.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Writes the folder of this program. Links to it are followed, so that kov may be linked anywhere.
static bool own_folder(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    *strrchr(path, '/') = '\0';
    return true;
}

bool image_path(int folder, const char *file, char path[PATH_MAX])
{
    char own[PATH_MAX];
    const char *const folders[IMAGE_FOLDERS] = {own, "build", "."};
    if (folder == 0 && !own_folder(own))
        return false;
    return snprintf(path, PATH_MAX, "%s/%s", folders[folder], file) < PATH_MAX;
}

static _Thread_local bool looked;
static _Thread_local char build[PATH_MAX]; // folder of the kernel's image; "": not found

void image_found(const char *kernel)
{
    looked = true;
    snprintf(build, sizeof(build), "%s", kernel == NULL ? "" : kernel);
    char *slash = strrchr(build, '/');
    if (slash != NULL)
        *slash = '\0';
    else if (kernel != NULL)
        strcpy(build, ".");
}

bool image_program_path(int folder, const char *file, char path[PATH_MAX])
{
    char below[PATH_MAX];
    if (snprintf(below, sizeof(below), "user/bin/%s", file) >= PATH_MAX)
        return false;
    if (!looked)
        return image_path(folder, below, path);
    return folder == 0 && build[0] != '\0' &&
           snprintf(path, PATH_MAX, "%s/%s", build, below) < PATH_MAX;
}
