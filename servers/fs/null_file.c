// SPDX-License-Identifier: MIT
// /dev/null: a ServerFile that reads as empty and takes everything.
#include "node.h"

#include <stdlib.h>

static CO_METHOD s64 null_read(struct server_file *self, u64 offset, void *to, u64 bytes)
{
    CO_HOME(self);
    (void)offset, (void)to, (void)bytes;
    return 0;
}

static CO_METHOD s64 null_write(struct server_file *self, u64 offset, const void *from, u64 bytes)
{
    CO_HOME(self);
    (void)offset, (void)from;
    return (s64)bytes;
}

static CO_METHOD s64 null_truncate(struct server_file *self, u64 bytes)
{
    CO_HOME(self);
    (void)bytes;
    return 0;
}

static CO_METHOD s64 null_bytes(struct server_file *self)
{
    CO_HOME(self);
    return 0;
}

static CO_METHOD s64 null_map(struct server_file *self, u64 *offset, cap_t *memory)
{
    CO_HOME(self);
    (void)offset, (void)memory;
    return E_NOTSUP;
}

static const struct server_file_ops ops = {
    .base = CO_LEAF,
    .read = null_read,
    .write = null_write,
    .truncate = null_truncate,
    .bytes = null_bytes,
    .map = null_map,
    .share = node_share_nothing,
};

static void destroy(struct co_root *root)
{
    node_free((struct node *)root);
}

static struct co_class class = {
    .name = "ServerFile",
    .implementation = "ServerFileNull",
    .size = sizeof(struct node),
    .ops = &ops.base,
    .destroy = destroy,
};

struct node *null_file_create(const char *name)
{
    struct node *node = calloc(1, sizeof(*node));
    if (node == NULL)
        return NULL;
    if (node_create(node, &class, FS_KIND_FILE, true, name) == 0)
        return node;
    free(node);
    return NULL;
}
