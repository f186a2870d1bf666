// SPDX-License-Identifier: MIT
// Kept files and directories: their room on the disk, and their tree as an archive.
#include "kept.h"

#include "filesystem.h"

#include <cpio/cpio.h>
#include <stdio.h>
#include <string.h>
#include <user/time.h>

#define PATH_ROOM (CPIO_NAME_MAX + 1)
#define MORE_FACTOR 64 // soon more than any file can grow by

static u64 used, limit, changes;

void kept_limit(u64 bytes)
{
    __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED);
}

bool kept_reserve(u64 bytes)
{
    u64 most = __atomic_load_n(&limit, __ATOMIC_RELAXED);
    u64 before = __atomic_load_n(&used, __ATOMIC_RELAXED);
    do {
        if (before > most || bytes > most - before)
            return bytes == 0;
    } while (!__atomic_compare_exchange_n(&used, &before, before + bytes, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return true;
}

void kept_release(u64 bytes)
{
    __atomic_sub_fetch(&used, bytes, __ATOMIC_RELAXED);
}

void kept_changed(void)
{
    __atomic_add_fetch(&changes, 1, __ATOMIC_RELEASE);
}

u64 kept_changes(void)
{
    return __atomic_load_n(&changes, __ATOMIC_ACQUIRE);
}

// ---- writing -----------------------------------------------------------------------------------

// Writes a node's path below top to the end of room. Returns its start, or NULL if it is too long.
static const char *path_below_top(const struct node *node, const struct directory *top,
                                  char room[PATH_ROOM])
{
    char *at = room + PATH_ROOM - 1;
    *at = '\0';
    for (; node != &top->node; node = &node->parent->node) {
        u64 bytes = strlen(node->name) + (*at != '\0');
        if (bytes > (u64)(at - room))
            return NULL;
        if (*at != '\0')
            *--at = '/';
        at -= strlen(node->name);
        memcpy(at, node->name, strlen(node->name));
    }
    return at;
}

// Adds a file, with room for some bytes more than it has. Returns 0, E_AGAIN if that was not
// enough, because the file has grown meanwhile, or an error. One read takes the contents, so they
// are those of one moment, even if the file is cut and written at the same time.
static s64 try_file(const struct node *node, const char *path, u64 more, struct archive *archive)
{
    u8 *contents;
    s64 bytes = CO_CALL(struct server_file, node->root.coid, bytes);
    if (bytes < 0)
        return bytes;
    u64 room = (u64)bytes + more;
    s64 status = archive_add(archive, path, false, node->time / TIME_SECOND, room, &contents);
    if (status != 0)
        return status;
    s64 done = CO_CALL(struct server_file, node->root.coid, read, 0, contents, room);
    if (done < 0)
        return done;
    if ((u64)done == room) {
        archive_take_back(archive);
        return E_AGAIN;
    }
    archive_shorten(archive, (u64)done);
    return 0;
}

static s64 write_file(const struct node *node, const char *path, struct archive *archive)
{
    s64 status = E_AGAIN;
    for (u64 more = 1; status == E_AGAIN; more *= MORE_FACTOR)
        status = try_file(node, path, more, archive);
    return status;
}

static s64 write_node(const struct node *node, const struct directory *top, struct archive *archive)
{
    char room[PATH_ROOM];
    u8 *contents;
    const char *path = path_below_top(node, top, room);
    if (path == NULL)
        return E_LIMIT;
    if (node->kind != FS_KIND_DIRECTORY)
        return write_file(node, path, archive);
    return archive_add(archive, path, true, node->time / TIME_SECOND, 0, &contents);
}

// Returns the node after this one below top, or NULL. A directory comes before its contents.
static struct node *following(struct node *node, const struct directory *top)
{
    const struct directory *directory = directory_of(node);
    if (directory != NULL && directory->first != NULL)
        return directory->first;
    while (node != &top->node && node->next == NULL)
        node = &node->parent->node;
    return node == &top->node ? NULL : node->next;
}

s64 kept_write(struct directory *top, struct archive *archive)
{
    s64 status = 0;
    mutex_lock(directory_lock);
    for (struct node *node = following(&top->node, top); node != NULL && status == 0;
         node = following(node, top))
        status = node->kept ? write_node(node, top, archive) : 0;
    mutex_unlock(directory_lock);
    return status != 0 ? status : archive_end(archive);
}

// ---- reading -----------------------------------------------------------------------------------

bool kept_valid(const u8 *archive, u64 bytes, u64 *entries)
{
    struct cpio cpio = {.data = archive, .bytes = bytes};
    struct cpio_entry entry;
    s64 more;
    for (*entries = 0; (more = cpio_next(&cpio, &entry)) > 0;)
        ++*entries;
    return more == 0;
}

static s64 fill(struct node *node, const u8 *from, u64 bytes)
{
    s64 part = 1;
    for (u64 done = 0; done < bytes && part > 0; done += (u64)part) {
        part = CO_CALL(struct server_file, node->root.coid, write, done, from + done, bytes - done);
        if (part < 0)
            return part;
    }
    return part > 0 ? 0 : E_LIMIT;
}

static s64 read_file(const char *path, const u8 *from, u64 bytes, u64 seconds)
{
    struct node *node;
    s64 status = filesystem_open(path, true, true, &node);
    if (status != 0)
        return status;
    status = fill(node, from, bytes);
    node->time = seconds * TIME_SECOND;
    node_put(node);
    return status;
}

s64 kept_read(const char *point, const u8 *archive, u64 bytes)
{
    struct cpio cpio = {.data = archive, .bytes = bytes};
    struct cpio_entry entry;
    s64 status = 0, more = 0;
    while (status == 0 && (more = cpio_next(&cpio, &entry)) > 0) {
        char path[FS_NAME_MAX + CPIO_NAME_MAX + 2];
        snprintf(path, sizeof(path), "%s/%s", point, entry.name);
        status = entry.directory
                     ? filesystem_make_directory(path)
                     : read_file(path, archive + entry.offset, entry.bytes, entry.seconds);
    }
    if (status == 0)
        return more;
    return status == E_NOMEM || status == E_LIMIT ? status : E_PROTO;
}

void kept_close(struct directory *top)
{
    mutex_lock(directory_lock);
    for (struct node *node = &top->node; node != NULL; node = following(node, top)) {
        node->writable = false;
        node->fixed = true;
    }
    mutex_unlock(directory_lock);
}
