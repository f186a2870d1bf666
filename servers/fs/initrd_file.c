// SPDX-License-Identifier: MIT
// ServerFile over the initial file system: its contents stay in the archive. A file that begins on
// a page of the archive is mapped straight from the archive's memory object. So programs run on
// even if this server ends.
#include "backing.h"
#include "node.h"
#include "pages.h"

#include <stdlib.h>
#include <string.h>

struct initrd_file {
    struct node node; // first
    const u8 *contents;
    u64 bytes;
    u64 offset; // in the archive
    cap_t archive;
    struct backing backing; // for a file that does not begin on a page
};

static struct initrd_file *file_of(struct server_file *self)
{
    return (struct initrd_file *)self->co.root;
}

static CO_METHOD s64 initrd_read(struct server_file *self, u64 offset, void *to, u64 bytes)
{
    CO_HOME(self);
    const struct initrd_file *file = file_of(self);
    if (offset >= file->bytes)
        return 0;
    if (bytes > file->bytes - offset)
        bytes = file->bytes - offset;
    memcpy(to, file->contents + offset, bytes);
    return (s64)bytes;
}

static CO_METHOD s64 initrd_write(struct server_file *self, u64 offset, const void *from, u64 bytes)
{
    CO_HOME(self);
    (void)offset, (void)from, (void)bytes;
    return E_PERM;
}

static CO_METHOD s64 initrd_truncate(struct server_file *self, u64 bytes)
{
    CO_HOME(self);
    (void)bytes;
    return E_PERM;
}

static CO_METHOD s64 initrd_bytes(struct server_file *self)
{
    CO_HOME(self);
    return (s64)file_of(self)->bytes;
}

static CO_METHOD s64 initrd_map(struct server_file *self, u64 *offset, cap_t *memory)
{
    CO_HOME(self);
    struct initrd_file *file = file_of(self);
    if (file->archive == 0 || file->offset % PAGE != 0) {
        *offset = 0;
        return backing_map(&file->backing, &file->node, memory);
    }
    *offset = file->offset;
    *memory = file->archive;
    return 0;
}

static const struct server_file_ops ops = {
    .base = CO_LEAF,
    .read = initrd_read,
    .write = initrd_write,
    .truncate = initrd_truncate,
    .bytes = initrd_bytes,
    .map = initrd_map,
    .share = node_share_nothing,
};

static void destroy(struct co_root *root)
{
    backing_end(&((struct initrd_file *)root)->backing);
    node_free((struct node *)root);
}

static struct co_class class = {
    .name = "ServerFile",
    .implementation = "ServerFileInitrd",
    .size = sizeof(struct initrd_file),
    .ops = &ops.base,
    .destroy = destroy,
};

struct node *initrd_file_create(const char *name, const u8 *contents, u64 bytes, u64 offset,
                                cap_t archive)
{
    struct initrd_file *file = calloc(1, sizeof(*file));
    if (file == NULL)
        return NULL;
    file->contents = contents;
    file->bytes = bytes;
    file->offset = offset;
    file->archive = archive;
    if (node_create(&file->node, &class, FS_KIND_FILE, false, name) == 0)
        return &file->node;
    free(file);
    return NULL;
}
