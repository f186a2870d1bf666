// SPDX-License-Identifier: MIT
// The common part of files and directories.
#include "node.h"

#include "kept.h"

#include <stdlib.h>
#include <string.h>
#include <user/time.h>

static u64 last_id;

struct node *node_of(struct server_file *file)
{
    return (struct node *)file->co.root;
}

s64 node_create(struct node *node, struct co_class *class, u32 kind, bool writable,
                const char *name)
{
    node->name = strdup(name);
    if (node->name == NULL)
        return E_NOMEM;
    node->kind = kind;
    node->writable = writable;
    node->references = 1;
    node->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    node->time = time_date();
    s64 coid = co_create_shared(class, &node->root, &node->rep.co);
    if (coid < 0)
        free(node->name);
    return coid < 0 ? coid : 0;
}

void node_hold(struct node *node)
{
    __atomic_add_fetch(&node->references, 1, __ATOMIC_RELAXED);
}

void node_put(struct node *node)
{
    if (__atomic_sub_fetch(&node->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (node->kept) { // frees its room on the disk at once; the object goes when no CPU uses it
        s64 bytes = 0;
        if (node->kind == FS_KIND_FILE)
            bytes = CO_CALL(struct server_file, node->root.coid, bytes);
        kept_release(KEPT_NAME_BYTES + (bytes > 0 ? (u64)bytes : 0));
    }
    co_destroy(node->root.coid);
}

void node_free(struct node *node)
{
    free(node->name);
    free(node->mount);
    free(node);
}

CO_METHOD s64 node_share_nothing(struct server_file *self, u64 uses, struct share **share)
{
    CO_HOME(self);
    (void)uses, (void)share;
    return E_NOTSUP;
}

void node_stat(struct node *node, struct fs_stat *info)
{
    s64 bytes = CO_CALL(struct server_file, node->root.coid, bytes);
    *info = (struct fs_stat){
        .id = node->id,
        .bytes = bytes > 0 ? (u64)bytes : 0,
        .time = node->time,
        .kind = node->kind,
        .writable = node->writable,
        .links = node->parent != NULL || node->name[0] == '\0', // the root has no name
    };
}
