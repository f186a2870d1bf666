// SPDX-License-Identifier: MIT
// Reading directories.
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct posix_directory {
    int fd;
    u64 cursor;      // of what follows the entries in hand
    u64 bytes, used; // of entries
    struct dirent current;
    u64 entries[FS_DATA_MAX / sizeof(u64)];
};

DIR *fdopendir(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return NULL;
    if (!S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    DIR *directory = calloc(1, sizeof(*directory));
    if (directory != NULL)
        directory->fd = fd;
    return directory;
}

DIR *opendir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return NULL;
    DIR *directory = fdopendir(fd);
    if (directory == NULL)
        close(fd);
    return directory;
}

int closedir(DIR *directory)
{
    int result = close(directory->fd);
    free(directory);
    return result;
}

int dirfd(DIR *directory)
{
    return directory->fd;
}

void rewinddir(DIR *directory)
{
    directory->cursor = directory->bytes = directory->used = 0;
}

static s64 call_list(cap_t server, u64 handle, void *argument)
{
    DIR *directory = argument;
    return fs_list(server, handle, directory->cursor, &directory->cursor, directory->entries,
                   sizeof(directory->entries), &directory->bytes);
}

// Gets more entries from the server. Returns their bytes, 0 at the end, or -errno.
static s64 fetch(DIR *directory)
{
    struct fd_file *file = fd_hold(directory->fd);
    if (file == NULL)
        return -EBADF;
    directory->bytes = directory->used = 0;
    s64 status = file_do(file, call_list, directory);
    fd_put(file);
    return status != 0 ? -posix_errno(status) : (s64)directory->bytes;
}

// Takes the next entry in hand. It comes from another process, so it is checked.
static bool take(DIR *directory)
{
    struct fs_entry entry;
    u64 left = directory->bytes - directory->used;
    if (left < sizeof(entry))
        return false;
    const char *at = (const char *)directory->entries + directory->used;
    memcpy(&entry, at, sizeof(entry));
    if (entry.name_bytes > FS_NAME_MAX || entry.name_bytes > left - sizeof(entry))
        return false;
    directory->used += ALIGN_UP(sizeof(entry) + entry.name_bytes, 8UL);
    directory->current = (struct dirent){
        .d_ino = (ino_t)entry.id,
        .d_type = entry.kind == FS_KIND_DIRECTORY ? DT_DIR : DT_REG,
    };
    memcpy(directory->current.d_name, at + sizeof(entry), entry.name_bytes);
    return true;
}

struct dirent *readdir(DIR *directory)
{
    if (directory->used >= directory->bytes) {
        s64 bytes = fetch(directory);
        if (bytes <= 0) {
            if (bytes < 0)
                errno = (int)-bytes;
            return NULL;
        }
    }
    if (take(directory))
        return &directory->current;
    errno = EIO;
    return NULL;
}
