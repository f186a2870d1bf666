// SPDX-License-Identifier: MIT
// Directories: ServerFiles that name others. The FileSystem's lock guards them.
#include "entries.h"
#include "node.h"
#include "share.h"

#include <ipc/fs_entry.h>
#include <stdlib.h>

struct directory *directory_of(struct node *node)
{
    return node->kind == FS_KIND_DIRECTORY ? (struct directory *)node : NULL;
}

static struct directory *self_of(struct co_rep *self)
{
    return (struct directory *)self->root;
}

// ---- methods -----------------------------------------------------------------------------------

static CO_METHOD s64 directory_read(struct server_file *self, u64 offset, void *to, u64 bytes)
{
    CO_HOME(self);
    (void)offset, (void)to, (void)bytes;
    return E_ISDIR;
}

static CO_METHOD s64 directory_write(struct server_file *self, u64 offset, const void *from,
                                     u64 bytes)
{
    CO_HOME(self);
    (void)offset, (void)from, (void)bytes;
    return E_ISDIR;
}

static CO_METHOD s64 directory_truncate(struct server_file *self, u64 bytes)
{
    CO_HOME(self);
    (void)bytes;
    return E_ISDIR;
}

static CO_METHOD s64 directory_bytes(struct server_file *self)
{
    CO_HOME(self);
    return (s64)self_of(&self->co)->entries;
}

static CO_METHOD s64 directory_map(struct server_file *self, u64 *offset, cap_t *memory)
{
    CO_HOME(self);
    (void)offset, (void)memory;
    return E_ISDIR;
}

static CO_METHOD s64 directory_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return (s64)self_of(self)->entries;
}

static CO_METHOD s64 directory_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    u32 count = 0;
    mutex_lock(directory_lock);
    for (struct node *node = self_of(self)->first; node != NULL && count < max; node = node->next)
        out[count++] = node->root.coid;
    mutex_unlock(directory_lock);
    return count;
}

static const struct server_file_ops ops = {
    .base = {.get_num_children = directory_get_num_children,
             .get_children = directory_get_children},
    .read = directory_read,
    .write = directory_write,
    .truncate = directory_truncate,
    .bytes = directory_bytes,
    .map = directory_map,
    .share = node_share_nothing,
};

static void destroy(struct co_root *root)
{
    node_free((struct node *)root);
}

static struct co_class class = {
    .name = "Directory",
    .implementation = "DirectoryMemory",
    .size = sizeof(struct directory),
    .ops = &ops.base,
    .destroy = destroy,
};

struct directory *directory_create(const char *name)
{
    struct directory *directory = calloc(1, sizeof(*directory));
    if (directory == NULL)
        return NULL;
    if (node_create(&directory->node, &class, FS_KIND_DIRECTORY, true, name) == 0)
        return directory;
    free(directory);
    return NULL;
}

// ---- entries -----------------------------------------------------------------------------------

struct node *directory_find(struct directory *directory, const char *name, u64 bytes)
{
    return entries_find(directory, name, bytes);
}

void directory_add(struct directory *directory, struct node *node)
{
    node_hold(node);
    node->parent = directory;
    node->next = NULL;
    node->previous = directory->last;
    node->order = ++directory->next_order;
    if (directory->last != NULL)
        directory->last->next = node;
    else
        directory->first = node;
    directory->last = node;
    directory->entries++;
    entries_add(node);
    share_named(node);
}

void directory_remove(struct node *node)
{
    struct directory *directory = node->parent;
    entries_remove(node);
    if (node->previous != NULL)
        node->previous->next = node->next;
    else
        directory->first = node->next;
    if (node->next != NULL)
        node->next->previous = node->previous;
    else
        directory->last = node->previous;
    if (directory->listed == node)
        directory->listed = node->previous;
    directory->entries--;
    node->parent = NULL;
    node->next = node->previous = NULL;
    share_named(node);
    node_put(node);
}

u64 directory_list(struct directory *directory, u64 cursor, u64 *next, void *to, u64 room)
{
    // Most listings go on where the last one ended.
    struct node *node = directory->listed;
    node = node != NULL && node->order <= cursor ? node->next : directory->first;
    while (node != NULL && node->order <= cursor)
        node = node->next;
    u64 done = 0;
    *next = cursor;
    for (; node != NULL; node = node->next) {
        u64 bytes = fs_entry_put((u8 *)to + done, room - done, node->id, node->kind, node->name);
        if (bytes == 0)
            break;
        done += bytes;
        *next = node->order;
        directory->listed = node;
    }
    return done;
}
