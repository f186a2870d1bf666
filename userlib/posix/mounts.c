// SPDX-License-Identifier: MIT
// The mount table of the root file server as this process knows it, and paths looked up through it.
#include "mounts.h"

#include <errno.h>
#include <ipc/fs.h>
#include <stdlib.h>
#include <string.h>
#include <user/lock.h>
#include <user/thread.h>
#include <user/time.h>

#define MOUNTS_MAX 16
#define TRIES 4 // the table may change while we ask
#define FIRST_PAUSE_US 500
#define LONGEST_PAUSE_US 20000

_Static_assert(PATH_BYTES == FS_PATH_MAX + 1 && NAME_BYTES == FS_NAME_MAX, "path_text.h");

struct mount {
    char point[FS_NAME_MAX + 1];
    struct service *service;
};

static struct {
    struct mutex lock;
    bool known;
    u32 count;
    struct mount mounts[MOUNTS_MAX];
    char directory[PATH_BYTES];
} paths = {.directory = "/"};

// ---- services -----------------------------------------------------------------------------------

// Until init has noticed a server's end it still gives out the dead endpoint: hence the pauses.
s64 service_do(struct service *service, service_call call, void *argument)
{
    cap_t server = service_known(service);
    s64 status = server != 0 ? call(server, argument) : E_PEER;
    if (status != E_PEER)
        return status;
    if (server != 0)
        service_lost(service, server);
    u64 deadline = time_after_us(SERVICE_PATIENCE_US), pause = FIRST_PAUSE_US;
    for (;;) {
        status = service_endpoint(service, deadline, &server);
        if (status == 0)
            status = call(server, argument);
        if (status != E_PEER || time_now() >= deadline)
            return status;
        service_lost(service, server);
        thread_sleep_us(pause);
        pause = pause * 2 < LONGEST_PAUSE_US ? pause * 2 : LONGEST_PAUSE_US;
    }
}

// ---- the table ----------------------------------------------------------------------------------

static s64 read_entry(cap_t server, void *argument)
{
    u32 *index = argument;
    char entry[FS_PATH_MAX + 1];
    s64 status = fs_mounts(server, *index, entry, sizeof(entry));
    if (status != 0)
        return status;
    char *space = strchr(entry, ' ');
    if (space == NULL || space - entry > FS_NAME_MAX)
        return E_PROTO;
    *space = '\0';
    struct mount *mount = &paths.mounts[paths.count];
    mount->service = service_get(space + 1);
    if (mount->service == NULL)
        return E_PROTO;
    strcpy(mount->point, entry);
    return 0;
}

// Reads the whole table. The lock is held: whoever asks meanwhile would have to wait for the table
// too.
static s64 read_table(struct service *root)
{
    s64 status = 0;
    paths.count = 0;
    for (u32 index = 0; status == 0 && index < MOUNTS_MAX; index++) {
        status = service_do(root, read_entry, &index);
        if (status == 0)
            paths.count++;
    }
    if (status != 0 && status != E_NOENT)
        return status;
    paths.known = true;
    return 0;
}

void mounts_invalidate(void)
{
    mutex_lock(&paths.lock);
    paths.known = false;
    mutex_unlock(&paths.lock);
}

static const struct mount *mount_of(const char *path, const char **rest)
{
    const struct mount *best = NULL;
    *rest = path;
    for (u32 i = 0; i < paths.count; i++) {
        const char *below = path_below(path, paths.mounts[i].point);
        if (below != NULL &&
            (best == NULL || strlen(paths.mounts[i].point) > strlen(best->point))) {
            best = &paths.mounts[i];
            *rest = below;
        }
    }
    return best;
}

// A service stays once it is there.
static struct service *root_service(void)
{
    static struct service *known;
    struct service *root = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (root == NULL) {
        root = service_get(ROOT_SERVICE);
        __atomic_store_n(&known, root, __ATOMIC_RELEASE);
    }
    return root;
}

// Finds the service that an absolute path belongs to, and the path as that service sees it.
static s64 locate(const char *path, struct service **service, const char **rest)
{
    struct service *root = root_service();
    if (root == NULL)
        return E_NOMEM;
    mutex_lock(&paths.lock);
    s64 status = paths.known ? 0 : read_table(root);
    if (status == 0) {
        const struct mount *mount = mount_of(path, rest);
        *service = mount != NULL ? mount->service : root;
    }
    mutex_unlock(&paths.lock);
    return status;
}

s64 path_resolve(const char *path, char out[PATH_BYTES])
{
    char from[PATH_BYTES];
    if (path[0] == '\0')
        return E_NOENT;
    directory_get(from);
    bool fits = strnlen(path, PATH_BYTES) < PATH_BYTES && path_absolute(from, path, out);
    return fits ? 0 : PATH_TOO_LONG;
}

struct path_request {
    path_call call;
    const char *path;
    void *argument;
};

static s64 call_path(cap_t server, void *argument)
{
    struct path_request *request = argument;
    return request->call(server, request->path, request->argument);
}

// Makes a call on a path that is absolute and normal. Inlined, as most paths are that.
static inline __attribute__((always_inline)) s64 normal_do(const char *path, path_call call,
                                                           void *argument, struct service **service)
{
    struct service *found = NULL;
    struct path_request request = {.call = call, .argument = argument};
    s64 status = 0;
    for (u32 i = 0; i < TRIES; i++) {
        status = locate(path, &found, &request.path);
        if (status == 0)
            status = service_do(found, call_path, &request);
        if (status != E_AGAIN)
            break;
        mounts_invalidate();
    }
    if (service != NULL)
        *service = found;
    return status == E_INVAL && path_has_long_name(path) ? PATH_TOO_LONG : status;
}

static s64 call_kind(cap_t server, const char *path, void *argument)
{
    struct fs_stat info;
    s64 status = fs_stat(server, path, &info);
    if (status == 0)
        *(u32 *)argument = info.kind;
    return status;
}

// Are directories where the path needs them? That is lost when it is made normal. What only has
// slashes behind it may be missing: it may be about to be made.
static s64 check_directories(const char *path)
{
    char part[PATH_BYTES], text[PATH_BYTES];
    u64 at = 0, bytes;
    u32 kind;
    while ((bytes = path_next_directory(path, &at)) != 0) {
        memcpy(part, path, bytes);
        part[bytes] = '\0';
        s64 status = path_resolve(part, text);
        if (status == 0)
            status = normal_do(text, call_kind, &kind, NULL);
        if (status == E_NOENT && path[bytes + strspn(path + bytes, "/")] == '\0')
            return 0;
        if (status != 0)
            return status;
        if (kind != FS_KIND_DIRECTORY)
            return E_NOTDIR;
    }
    return 0;
}

static s64 resolve_and_check(const char *path, char out[PATH_BYTES])
{
    s64 status = path_resolve(path, out);
    return status != 0 ? status : check_directories(path);
}

static __attribute__((noinline)) s64 other_do(const char *path, path_call call, void *argument,
                                              struct service **service)
{
    char text[PATH_BYTES];
    s64 status = resolve_and_check(path, text);
    return status != 0 ? status : normal_do(text, call, argument, service);
}

s64 path_do(const char *path, path_call call, void *argument, struct service **service)
{
    if (!path_is_normal(path))
        return other_do(path, call, argument, service);
    return normal_do(path, call, argument, service);
}

// Finds a path's service, and what the path is for that.
static s64 locate_text(const char *path, char out[PATH_BYTES], struct service **service)
{
    char text[PATH_BYTES];
    const char *rest;
    s64 status = resolve_and_check(path, text);
    if (status == 0 && path_has_long_name(text))
        status = PATH_TOO_LONG;
    if (status == 0)
        status = locate(text, service, &rest);
    if (status == 0)
        strcpy(out, rest);
    return status;
}

s64 path_pair(const char *from, const char *to, char from_text[PATH_BYTES],
              char to_text[PATH_BYTES], struct service **service)
{
    struct service *other;
    s64 status = locate_text(from, from_text, service);
    if (status == 0)
        status = locate_text(to, to_text, &other);
    if (status != 0)
        return status;
    return *service == other ? 0 : E_NOTSUP;
}

// ---- working directory --------------------------------------------------------------------------

void directory_get(char out[PATH_BYTES])
{
    mutex_lock(&paths.lock);
    strcpy(out, paths.directory);
    mutex_unlock(&paths.lock);
}

void directory_set(const char *path)
{
    mutex_lock(&paths.lock);
    strcpy(paths.directory, path);
    mutex_unlock(&paths.lock);
}
