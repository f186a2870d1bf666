// SPDX-License-Identifier: MIT
// Names: what a path comes to, and its parts. There are no symbolic links.
#include "file.h"
#include "mounts.h"

#include <errno.h>
#include <libgen.h> // before string.h, which has a basename of its own
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lstat(const char *restrict path, struct stat *restrict info)
{
    return stat(path, info);
}

ssize_t readlink(const char *restrict path, char *restrict to, size_t bytes)
{
    struct stat info;
    (void)to, (void)bytes;
    if (stat(path, &info) == 0)
        errno = EINVAL; // it is no link
    return -1;
}

int symlink(const char *path, const char *link)
{
    (void)path, (void)link;
    errno = EPERM; // what POSIX has for file systems without links
    return -1;
}

char *realpath(const char *restrict path, char *restrict to)
{
    char text[PATH_BYTES];
    struct stat info;
    if (path == NULL) {
        errno = EINVAL;
        return NULL;
    }
    if (stat(path, &info) != 0 || posix_result(-posix_errno(path_resolve(path, text))) != 0)
        return NULL;
    return to == NULL ? strdup(text) : strcpy(to, text);
}

// ---- parts of a path ----------------------------------------------------------------------------

static char *end_without_slashes(char *path, char *end)
{
    while (end > path && end[-1] == '/')
        end--;
    return end;
}

char *basename(char *path)
{
    if (path == NULL || *path == '\0')
        return ".";
    char *end = end_without_slashes(path, path + strlen(path));
    if (end == path)
        return "/";
    *end = '\0';
    char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

char *dirname(char *path)
{
    if (path == NULL || *path == '\0')
        return ".";
    char *end = end_without_slashes(path, path + strlen(path));
    while (end > path && end[-1] != '/')
        end--;
    if (end == path)
        return *path == '/' ? "/" : ".";
    end = end_without_slashes(path, end);
    if (end == path)
        return "/";
    *end = '\0';
    return path;
}
