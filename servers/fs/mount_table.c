// SPDX-License-Identifier: MIT
// The mount table. A directory's node names the service that is mounted there. The table holds
// these nodes.
#include "mount_table.h"

#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static s64 add_mount(const char *point, const char *service)
{
    struct place place;
    s64 status = tree_walk(point, &place);
    if (status != 0)
        return status == E_AGAIN ? E_EXIST : status;
    if (place.node == NULL)
        return E_NOENT;
    if (directory_of(place.node) == NULL)
        return E_NOTDIR;
    if (place_is_root(&place))
        return E_INVAL;
    if (tree.mount_count == FS_MOUNTS_MAX)
        return E_LIMIT;
    place.node->mount = strdup(service);
    if (place.node->mount == NULL)
        return E_NOMEM;
    node_hold(place.node);
    strcpy(tree.mounts[tree.mount_count].point, point);
    tree.mounts[tree.mount_count++].node = place.node;
    return 0;
}

static s64 remove_mount(const char *point)
{
    for (u32 i = 0; i < tree.mount_count; i++) {
        if (strcmp(tree.mounts[i].point, point) != 0)
            continue;
        struct node *node = tree.mounts[i].node;
        free(node->mount);
        node->mount = NULL;
        node_put(node);
        tree.mounts[i] = tree.mounts[--tree.mount_count];
        return 0;
    }
    return E_NOENT;
}

// Returns true if clients can compare paths with the text of a mount point.
static bool normal(const char *path)
{
    u64 length = strlen(path);
    return path[0] == '/' && length > 1 && path[length - 1] != '/' && strstr(path, "//") == NULL &&
           strchr(path, ' ') == NULL;
}

s64 mount_table_set(const char *point, const char *service)
{
    if (!normal(point) || strchr(service, ' ') != NULL)
        return E_INVAL;
    mutex_lock(&tree.lock);
    s64 status = service[0] != '\0' ? add_mount(point, service) : remove_mount(point);
    mutex_unlock(&tree.lock);
    return status;
}

s64 mount_table_get(u32 index, char *entry, u64 room)
{
    s64 status = E_NOENT;
    mutex_lock(&tree.lock);
    if (index < tree.mount_count) {
        int bytes = snprintf(entry, room, "%s %s", tree.mounts[index].point,
                             tree.mounts[index].node->mount);
        status = (u64)bytes < room ? 0 : E_INVAL;
    }
    mutex_unlock(&tree.lock);
    return status;
}

bool mount_table_below(const struct node *node)
{
    for (u32 i = 0; i < tree.mount_count; i++) {
        if (tree_lies_below(tree.mounts[i].node->parent, node))
            return true;
    }
    return false;
}
