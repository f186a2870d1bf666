// SPDX-License-Identifier: MIT
// The tree of names. A path is walked name by name.
#include "tree.h"

#include "kept.h"

#include <string.h>

#define NODES_MAX 100000 // files and directories

struct tree tree;

struct mutex *directory_lock = &tree.lock;

// ---- walking -----------------------------------------------------------------------------------

// Takes the next name of a path: sets *name to its start, and moves *path behind it. Returns its
// bytes, 0 at the end, or E_INVAL.
static s64 next_name(const char **path, const char **name)
{
    const char *at = *path;
    while (*at == '/')
        at++;
    *name = at;
    for (;; at++) {
        while ((u8)*at > '/') // most characters need this one comparison
            at++;
        if (*at == '/' || *at == '\0')
            break;
    }
    u64 bytes = (u64)(at - *name);
    *path = at;
    if (bytes > FS_NAME_MAX || (bytes == 1 && **name == '.') ||
        (bytes == 2 && (*name)[0] == '.' && (*name)[1] == '.'))
        return E_INVAL;
    return (s64)bytes;
}

s64 tree_walk(const char *path, struct place *place)
{
    if (path[0] != '/')
        return E_INVAL;
    place->directory = tree.top;
    place->node = &tree.top->node;
    const char *name, *last = path;
    u64 last_bytes = 0;
    s64 bytes;
    while ((bytes = next_name(&path, &name)) > 0) {
        if (place->node == NULL)
            return E_NOENT;
        if (place->node->mount != NULL)
            return E_AGAIN;
        place->directory = directory_of(place->node);
        if (place->directory == NULL)
            return E_NOTDIR;
        last = name;
        last_bytes = (u64)bytes;
        place->node = directory_find(place->directory, name, last_bytes);
    }
    if (bytes < 0)
        return bytes;
    if (place->node != NULL)
        return place->node->mount != NULL ? E_AGAIN : 0;
    memcpy(place->name, last, last_bytes);
    place->name[last_bytes] = '\0';
    return 0;
}

bool place_is_root(const struct place *place)
{
    return place->node == &tree.top->node;
}

bool tree_lies_below(const struct directory *directory, const struct node *node)
{
    while (directory != NULL && &directory->node != node)
        directory = directory->node.parent;
    return directory != NULL;
}

// ---- names -------------------------------------------------------------------------------------

void tree_changed(const struct directory *directory)
{
    if (directory->node.kept)
        kept_changed();
}

void tree_link(struct directory *directory, struct node *node)
{
    node->kept = directory->node.kept;
    directory_add(directory, node);
    node_put(node);
    tree_changed(directory);
    if (node->kind == FS_KIND_DIRECTORY)
        tree.directories++;
    else
        tree.files++;
}

void tree_unlink(struct node *node)
{
    if (node->kind == FS_KIND_DIRECTORY)
        tree.directories--;
    else
        tree.files--;
    tree_changed(node->parent);
    directory_remove(node);
}

bool tree_take_room(const struct directory *directory)
{
    return tree.files + tree.directories < NODES_MAX &&
           (!directory->node.kept || kept_reserve(KEPT_NAME_BYTES));
}

void tree_return_room(const struct directory *directory)
{
    if (directory->node.kept)
        kept_release(KEPT_NAME_BYTES);
}
