// SPDX-License-Identifier: MIT
// Where a command writes: a file, or stdout. A failed command leaves what was there before.
#include "output/out_file.h"
#include "output/document.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int out_file_check(const char **path)
{
    if (*path != NULL && strcmp(*path, "-") == 0)
        *path = NULL;
    if (*path == NULL && output_form() != OUTPUT_TABLES)
        return fail(KOV_USAGE, "--%s tells what was written to a file: give --output FILE too",
                    output_form() == OUTPUT_JSON ? "json" : "csv");
    return KOV_OK;
}

char *path_beside(const char *path, const char *before, const char *behind)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t size = strlen(path) + strlen(before) + strlen(behind) + 1;
    char *text = memory_get(size);
    snprintf(text, size, "%.*s%s%s%s", (int)(name - path), path, before, name, behind);
    return text;
}

// Returns false if the file is not, or no longer, the one at the path.
static bool is_at(int fd, const char *path)
{
    struct stat file, there;
    return fstat(fd, &file) == 0 && stat(path, &there) == 0 && file.st_dev == there.st_dev &&
           file.st_ino == there.st_ino;
}

// Opens the draft, for this kov alone: two may not write the same one. Its name begins with a dot,
// so that readers of a folder with a trace do not take it for a stream.
static int open_draft(const char *draft, const char *path, FILE **file)
{
    int fd = open(draft, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 || !is_at(fd, draft))) {
        close(fd);
        return fail(KOV_FAILED, "another kov is writing %s", path);
    }
    *file = fd >= 0 && ftruncate(fd, 0) == 0 ? fdopen(fd, "wb") : NULL;
    if (*file != NULL)
        return KOV_OK;
    int code = fail(KOV_FAILED, "cannot write %s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return code;
}

bool path_is_written(const char *path)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return is;
}

int out_file_open(struct out_file *out, const char *path)
{
    struct stat there;
    *out = (struct out_file){.file = stdout, .path = path};
    if (path == NULL)
        return KOV_OK;
    bool exists = stat(path, &there) == 0;
    if (exists && (!S_ISREG(there.st_mode) || access(path, W_OK) != 0)) {
        out->file = fopen(path, "wbe");
        return out->file != NULL ? KOV_OK
                                 : fail(KOV_FAILED, "cannot write %s: %s", path, strerror(errno));
    }
    if (exists && path_is_written(path))
        return fail(KOV_FAILED, "another kov is writing %s", path);
    out->target = exists ? realpath(path, NULL) : memory_copy_text(path);
    if (out->target == NULL)
        return fail(KOV_FAILED, "cannot write %s: %s", path, strerror(errno));
    out->draft = path_beside(out->target, ".", ".new");
    int code = open_draft(out->draft, path, &out->file);
    if (code != KOV_OK) {
        free(out->target);
        free(out->draft);
    }
    return code;
}

// Returns false, with errno, if the file cannot be moved out of the way. There may be none.
static bool move_old(const char *path, const char *old)
{
    return rename(path, old) == 0 || errno == ENOENT;
}

int out_file_place(struct out_file *out, bool keep_old)
{
    if (out->draft == NULL)
        return KOV_OK;
    char *old = path_beside(out->target, "", ".old");
    int error = 0;
    if (keep_old && !move_old(out->target, old)) {
        error = errno;
    } else if (rename(out->draft, out->target) != 0) {
        error = errno;
        if (keep_old)
            rename(old, out->target);
    }
    free(old);
    if (error != 0)
        return fail(KOV_FAILED, "cannot write %s: %s", out->path, strerror(error));
    free(out->draft);
    out->draft = NULL;
    return KOV_OK;
}

int out_file_close(struct out_file *out, int code)
{
    bool failed = fflush(out->file) != 0 || ferror(out->file) != 0;
    int error = errno;
    if (code == KOV_OK && failed)
        code = fail(KOV_FAILED, "cannot write all of %s: %s",
                    out->path == NULL ? "the output" : out->path, strerror(error));
    if (code == KOV_OK)
        code = out_file_place(out, false);
    if (out->draft != NULL)
        unlink(out->draft);
    // Only now another kov may take the draft's name: closing gives up the lock.
    if (out->path != NULL && fclose(out->file) != 0 && code == KOV_OK)
        code = fail(KOV_FAILED, "cannot write all of %s: %s", out->path, strerror(errno));
    free(out->draft);
    free(out->target);
    *out = (struct out_file){0};
    return code;
}
