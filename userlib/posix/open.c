// SPDX-License-Identifier: MIT
// Calls on paths: open, stat, unlink, mkdir, rename, chdir, …; and pipe.
#include "file.h"
#include "mounts.h"
#include "pipe.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int result_of(s64 status)
{
    return (int)posix_result(-posix_errno(status));
}

// ---- open --------------------------------------------------------------------------------------

struct opening {
    u32 flags;
    u64 handle;
    struct fs_stat info;
};

static s64 call_open(cap_t server, const char *path, void *argument)
{
    struct opening *opening = argument;
    return fs_open(server, path, opening->flags, &opening->handle, &opening->info);
}

// Is one expression, of which the compiler makes a few shifts.
static u32 open_flags(int flags)
{
    int mode = flags & O_ACCMODE;
    return (mode != O_WRONLY ? FS_READ : 0) | (mode != O_RDONLY ? FS_WRITE : 0) |
           ((flags & O_CREAT) != 0 ? FS_CREATE : 0) | ((flags & O_EXCL) != 0 ? FS_EXCLUSIVE : 0) |
           ((flags & O_TRUNC) != 0 ? FS_TRUNCATE : 0) | ((flags & O_APPEND) != 0 ? FS_APPEND : 0) |
           ((flags & O_DIRECTORY) != 0 ? FS_DIRECTORY : 0);
}

static bool has_slash_behind(const char *path)
{
    u64 bytes = strlen(path);
    return bytes > 0 && path[bytes - 1] == '/';
}

int open(const char *path, int flags, ...)
{
    struct opening opening; // the call fills in the rest
    struct service *service;
    if ((flags & O_CREAT) != 0 && has_slash_behind(path))
        return result_of(E_ISDIR);
    opening.flags = open_flags(flags);
    s64 status = path_do(path, call_open, &opening, &service);
    if (status != 0)
        return result_of(status);
    struct fd_file *file = file_new(service, opening.handle, opening.info.kind, flags);
    if (file == NULL)
        return result_of(E_NOMEM);
    return (int)posix_result(fd_install_new(file, 0, flags));
}

int creat(const char *path, mode_t mode)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

// ---- other calls on a path ----------------------------------------------------------------------

static s64 call_stat(cap_t server, const char *path, void *argument)
{
    return fs_stat(server, path, argument);
}

int stat(const char *path, struct stat *info)
{
    struct fs_stat found;
    s64 status = path_do(path, call_stat, &found, NULL);
    if (status == 0)
        file_stat_fill(&found, info);
    return result_of(status);
}

int access(const char *path, int mode)
{
    struct fs_stat found;
    s64 status = path_do(path, call_stat, &found, NULL);
    if (status == 0 && (mode & W_OK) != 0 && found.writable == 0)
        status = E_PERM;
    return result_of(status);
}

static s64 remove_kind(cap_t server, const char *path, bool directory)
{
    struct fs_stat info;
    s64 status = fs_stat(server, path, &info);
    if (status != 0)
        return status;
    if (directory != (info.kind == FS_KIND_DIRECTORY))
        return directory ? E_NOTDIR : E_ISDIR;
    return fs_remove(server, path);
}

static s64 call_unlink(cap_t server, const char *path, void *argument)
{
    (void)argument;
    return remove_kind(server, path, false);
}

static s64 call_rmdir(cap_t server, const char *path, void *argument)
{
    (void)argument;
    return remove_kind(server, path, true);
}

int unlink(const char *path)
{
    return result_of(path_do(path, call_unlink, NULL, NULL));
}

int rmdir(const char *path)
{
    if (path_ends_with(path, "."))
        return result_of(E_INVAL);
    if (path_ends_with(path, ".."))
        return result_of(E_NOTEMPTY);
    return result_of(path_do(path, call_rmdir, NULL, NULL));
}

static s64 call_mkdir(cap_t server, const char *path, void *argument)
{
    (void)argument;
    return fs_make_directory(server, path);
}

int mkdir(const char *path, mode_t mode)
{
    char bare[PATH_BYTES]; // a file of that name is there, slash or not: E_EXIST, and not E_NOTDIR
    u64 bytes = strlen(path);
    (void)mode; // all may do everything
    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    if (path[bytes] == '\0' || bytes >= sizeof(bare))
        return result_of(path_do(path, call_mkdir, NULL, NULL));
    memcpy(bare, path, bytes);
    bare[bytes] = '\0';
    return result_of(path_do(bare, call_mkdir, NULL, NULL));
}

struct renaming {
    char from[PATH_BYTES], to[PATH_BYTES];
};

static s64 call_rename(cap_t server, void *argument)
{
    const struct renaming *renaming = argument;
    return fs_rename(server, renaming->from, renaming->to);
}

int rename(const char *from, const char *to)
{
    struct renaming renaming;
    struct service *service;
    s64 status = E_AGAIN;
    for (u32 i = 0; i < 2 && status == E_AGAIN; i++) { // the mount table may have changed
        status = path_pair(from, to, renaming.from, renaming.to, &service);
        if (status == E_NOTSUP)
            return (int)posix_result(-EXDEV);
        if (status == 0)
            status = service_do(service, call_rename, &renaming);
        if (status == E_AGAIN)
            mounts_invalidate();
    }
    return status == E_NOTSUP ? (int)posix_result(-EXDEV) : result_of(status);
}

int link(const char *from, const char *to)
{
    (void)from, (void)to;
    return result_of(E_NOTSUP);
}

static s64 call_truncate_path(cap_t server, const char *path, void *argument)
{
    struct opening opening = {.flags = FS_WRITE};
    s64 status = call_open(server, path, &opening);
    if (status != 0)
        return status;
    status = fs_truncate(server, opening.handle, *(u64 *)argument);
    fs_close(server, opening.handle);
    return status;
}

int truncate(const char *path, off_t bytes)
{
    if (bytes < 0)
        return result_of(E_INVAL);
    return result_of(path_do(path, call_truncate_path, &bytes, NULL));
}

// ---- working directory --------------------------------------------------------------------------

int chdir(const char *path)
{
    char to[PATH_BYTES];
    struct fs_stat info;
    s64 status = path_do(path, call_stat, &info, NULL);
    if (status != 0)
        return result_of(status);
    if (info.kind != FS_KIND_DIRECTORY)
        return result_of(E_NOTDIR);
    status = path_resolve(path, to);
    if (status == 0)
        directory_set(to);
    return result_of(status);
}

char *getcwd(char *buffer, size_t bytes)
{
    char directory[PATH_BYTES];
    directory_get(directory);
    if (buffer == NULL)
        return strdup(directory);
    if (strlen(directory) >= bytes) {
        errno = bytes == 0 ? EINVAL : ERANGE;
        return NULL;
    }
    return strcpy(buffer, directory);
}

// ---- pipes -------------------------------------------------------------------------------------

struct piping {
    u64 ends[2];
};

static s64 call_pipe(cap_t server, void *argument)
{
    struct piping *piping = argument;
    return fs_pipe(server, &piping->ends[0], &piping->ends[1]);
}

int pipe(int fds[2])
{
    return pipe2(fds, 0);
}

int pipe2(int fds[2], int flags)
{
    static const int modes[2] = {O_RDONLY, O_WRONLY};
    struct service *service = service_get(ROOT_SERVICE);
    struct fd_file *files[2];
    struct piping piping;
    if ((flags & ~(O_CLOEXEC | O_NONBLOCK)) != 0)
        return result_of(E_INVAL);
    s64 status = service == NULL ? E_NOMEM : service_do(service, call_pipe, &piping);
    if (status != 0)
        return result_of(status);
    for (u32 i = 0; i < 2; i++)
        files[i] = file_new(service, piping.ends[i], FS_KIND_PIPE, modes[i] | (flags & O_NONBLOCK));
    if (files[0] != NULL && files[1] != NULL)
        pipe_own(files[0], files[1]);
    for (u32 i = 0; i < 2; i++) {
        fds[i] = files[i] == NULL ? -ENOMEM : fd_install_new(files[i], 0, flags);
        if (fds[i] < 0 && i == 1 && fds[0] >= 0)
            close(fds[0]);
    }
    if (fds[0] >= 0 && fds[1] >= 0)
        return 0;
    return (int)posix_result(fds[0] < 0 ? fds[0] : fds[1]);
}

// ---- mounts ------------------------------------------------------------------------------------

struct mounting {
    const char *point, *service;
    u32 index;
    char *text;
    size_t bytes;
};

static s64 call_mount(cap_t server, void *argument)
{
    const struct mounting *mounting = argument;
    return fs_mount(server, mounting->point, mounting->service);
}

static s64 call_mounts(cap_t server, void *argument)
{
    struct mounting *mounting = argument;
    return fs_mounts(server, mounting->index, mounting->text, mounting->bytes);
}

static int at_root(service_call call, struct mounting *mounting)
{
    struct service *root = service_get(ROOT_SERVICE);
    return result_of(root == NULL ? E_NOMEM : service_do(root, call, mounting));
}

int mount_service(const char *point, const char *service)
{
    int result = at_root(call_mount, &(struct mounting){.point = point, .service = service});
    mounts_invalidate();
    return result;
}

int unmount_service(const char *point)
{
    return mount_service(point, "");
}

int mount_entry(unsigned index, char *text, size_t bytes)
{
    return at_root(call_mounts, &(struct mounting){.index = index, .text = text, .bytes = bytes});
}
