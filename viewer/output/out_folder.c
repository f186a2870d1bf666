// SPDX-License-Identifier: MIT
// A folder that replaces another only when it may.
#include "output/out_folder.h"
#include "output/out_file.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(const char *path, int error)
{
    return fail(KOV_FAILED, "cannot make the folder %s: %s", path, strerror(error));
}

// ---- what is in a folder -----------------------------------------------------------------------

static bool is_itself(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

// Returns whether all names in a folder pass; true if there is no such folder.
static bool all_are(const char *path, bool (*passes)(const char *name))
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool all = folder != NULL || errno == ENOENT;
    while (folder != NULL && all && (entry = readdir(folder)) != NULL)
        all = is_itself(entry->d_name) || passes(entry->d_name);
    if (folder != NULL)
        closedir(folder);
    return all;
}

static bool nothing_passes(const char *name)
{
    (void)name;
    return false;
}

static bool is_recording(const char *path)
{
    char *metadata = path_beside(path, "", "/metadata");
    bool is = access(metadata, F_OK) == 0;
    free(metadata);
    return is;
}

static void remove_parts(const char *path, bool (*is_part)(const char *name))
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (is_part(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
}

// ---- opening -----------------------------------------------------------------------------------

// Opens a folder for this kov alone. Returns -1 with errno; EWOULDBLOCK: another kov has it.
static int open_alone(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return fd; // not every file system has locks
    close(fd);
    errno = EWOULDBLOCK;
    return -1;
}

// Locks the folder that is written.
static int take(struct out_folder *out)
{
    out->fd = open_alone(out->place);
    if (out->fd >= 0)
        return KOV_OK;
    int code = errno == EWOULDBLOCK ? fail(KOV_FAILED, "another kov is writing %s", out->path)
                                    : cannot(out->path, errno);
    if (out->made)
        rmdir(out->place);
    return code;
}

// Finds out whether the recording that is there, and the one before it, may be moved and removed.
static int check_old(const struct out_folder *out)
{
    if (path_is_written(out->target))
        return fail(KOV_FAILED, "another kov is writing %s", out->path);
    char *old = path_beside(out->target, "", ".old");
    bool removable = all_are(old, out->is_part);
    free(old);
    return removable ? KOV_OK
                     : fail(KOV_FAILED,
                            "%s.old is there already, with something that is no recording's; move "
                            "it, or name another with -o",
                            out->path);
}

// Makes a folder beside the recording that is there. What a killed kov has left in it is of no use.
static int make_draft(struct out_folder *out)
{
    int code = check_old(out);
    if (code != KOV_OK)
        return code;
    out->place = path_beside(out->target, ".", ".new");
    if (mkdir(out->place, 0777) != 0 && errno != EEXIST)
        return cannot(out->place, errno);
    code = take(out);
    if (code != KOV_OK)
        return code;
    out->made = true;
    remove_parts(out->place, out->is_part);
    if (all_are(out->place, nothing_passes))
        return KOV_OK;
    close(out->fd);
    return fail(KOV_FAILED, "%s is there, with something that is no recording's; move it",
                out->place);
}

int out_folder_open(struct out_folder *out, const char *path, bool (*is_part)(const char *name))
{
    *out = (struct out_folder){.path = path, .is_part = is_part};
    out->made = mkdir(path, 0777) == 0;
    int code = KOV_OK;
    if (!out->made && errno != EEXIST)
        code = cannot(path, errno);
    else if (out->made || all_are(path, nothing_passes))
        out->place = memory_copy_text(path);
    else if (!is_recording(path))
        code = fail(KOV_FAILED,
                    "%s is there already and is no recording or empty folder; name another with -o",
                    path);
    else if ((out->target = realpath(path, NULL)) == NULL)
        code = cannot(path, errno);
    if (code == KOV_OK)
        code = out->target != NULL ? make_draft(out) : take(out);
    if (code == KOV_OK)
        return KOV_OK;
    free(out->target);
    free(out->place);
    *out = (struct out_folder){0};
    return code;
}

// ---- placing -----------------------------------------------------------------------------------

// The order leaves all data whole, in a folder of its own, whenever kov is killed.
static int swap(const struct out_folder *out, const char *old)
{
    remove_parts(old, out->is_part);
    if (rmdir(old) != 0 && errno != ENOENT)
        return fail(KOV_FAILED, "cannot remove %s: %s", old, strerror(errno));
    if (rename(out->target, old) != 0)
        return fail(KOV_FAILED, "cannot move %s: %s", out->path, strerror(errno));
    if (rename(out->place, out->target) == 0)
        return KOV_OK;
    int error = errno;
    rename(old, out->target);
    return fail(KOV_FAILED, "cannot write %s: %s", out->path, strerror(error));
}

int out_folder_place(struct out_folder *out)
{
    if (out->target == NULL)
        return KOV_OK;
    char *old = path_beside(out->target, "", ".old");
    int code = swap(out, old);
    free(old);
    if (code != KOV_OK)
        return code;
    free(out->place);
    out->place = out->target;
    out->target = NULL;
    return KOV_OK;
}

void out_folder_close(struct out_folder *out, bool kept)
{
    if (out->place == NULL)
        return;
    if (!kept) {
        remove_parts(out->place, out->is_part);
        if (out->made)
            rmdir(out->place);
    }
    close(out->fd);
    free(out->place);
    free(out->target);
    out->place = out->target = NULL;
}
