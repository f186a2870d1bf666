// SPDX-License-Identifier: MIT
// The FileSystem: names in a tree of directories. One lock guards the tree. Nothing waits while it
// is held.
#include "filesystem.h"

#include "mount_table.h"
#include "pages.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

struct filesystem;

struct filesystem_ops {
    struct co_ops base;
    s64 (*find)(struct filesystem *self, const char *path, struct node **node);
    s64 (*open)(struct filesystem *self, const char *path, bool create, bool exclusive,
                struct node **node);
    s64 (*make_directory)(struct filesystem *self, const char *path);
    s64 (*remove)(struct filesystem *self, const char *path);
    s64 (*rename)(struct filesystem *self, const char *from, const char *to);
};

struct filesystem {
    CO_REP(struct filesystem_ops);
};

static struct {
    struct co_root root;
    struct filesystem rep;
} fs;

// ---- methods -----------------------------------------------------------------------------------

static CO_METHOD s64 do_find(struct filesystem *self, const char *path, struct node **node)
{
    CO_HOME(self);
    struct place place;
    mutex_lock(&tree.lock);
    s64 status = tree_walk(path, &place);
    if (status == 0 && place.node == NULL)
        status = E_NOENT;
    if (status == 0) {
        node_hold(place.node);
        *node = place.node;
    }
    mutex_unlock(&tree.lock);
    return status;
}

static s64 open_place(const struct place *place, bool create, bool exclusive, struct node **node)
{
    if (place->node != NULL && create && exclusive)
        return E_EXIST;
    if (place->node == NULL) {
        if (!create)
            return E_NOENT;
        if (!place->directory->node.writable)
            return E_PERM;
        if (!tree_take_room(place->directory))
            return E_LIMIT;
        struct node *file = memory_file_create(place->name);
        if (file == NULL) {
            tree_return_room(place->directory);
            return E_NOMEM;
        }
        tree_link(place->directory, file);
        *node = file;
    } else {
        *node = place->node;
    }
    node_hold(*node);
    return 0;
}

static CO_METHOD s64 do_open(struct filesystem *self, const char *path, bool create, bool exclusive,
                             struct node **node)
{
    CO_HOME(self);
    struct place place;
    mutex_lock(&tree.lock);
    s64 status = tree_walk(path, &place);
    if (status == 0)
        status = open_place(&place, create, exclusive, node);
    mutex_unlock(&tree.lock);
    return status;
}

static s64 add_directory(const struct place *place)
{
    if (place->node != NULL)
        return E_EXIST;
    if (!place->directory->node.writable)
        return E_PERM;
    if (!tree_take_room(place->directory))
        return E_LIMIT;
    struct directory *directory = directory_create(place->name);
    if (directory == NULL) {
        tree_return_room(place->directory);
        return E_NOMEM;
    }
    tree_link(place->directory, &directory->node);
    return 0;
}

static CO_METHOD s64 do_make_directory(struct filesystem *self, const char *path)
{
    CO_HOME(self);
    struct place place;
    mutex_lock(&tree.lock);
    s64 status = tree_walk(path, &place);
    if (status == 0)
        status = add_directory(&place);
    mutex_unlock(&tree.lock);
    return status;
}

static s64 may_remove(const struct place *place)
{
    if (place->node == NULL)
        return E_NOENT;
    if (place_is_root(place))
        return E_BUSY;
    if (place->node->fixed)
        return E_PERM;
    const struct directory *directory = directory_of(place->node);
    if (directory != NULL && directory->entries > 0)
        return E_NOTEMPTY;
    return 0;
}

static CO_METHOD s64 do_remove(struct filesystem *self, const char *path)
{
    CO_HOME(self);
    struct place place;
    mutex_lock(&tree.lock);
    s64 status = tree_walk(path, &place);
    if (status == 0)
        status = may_remove(&place);
    if (status == 0)
        tree_unlink(place.node);
    mutex_unlock(&tree.lock);
    return status;
}

static s64 may_rename(const struct place *from, const struct place *to)
{
    if (from->node == NULL)
        return E_NOENT;
    if (place_is_root(from) || place_is_root(to) || mount_table_below(from->node))
        return E_BUSY;
    if (from->node->fixed || (to->node != NULL && to->node->fixed))
        return E_PERM;
    if (tree_lies_below(to->directory, from->node))
        return E_INVAL;
    if (from->node->kept != to->directory->node.kept)
        return E_NOTSUP;
    if (to->node == NULL || to->node == from->node)
        return 0;
    const struct directory *directory = directory_of(to->node);
    if ((directory != NULL) != (directory_of(from->node) != NULL))
        return directory != NULL ? E_ISDIR : E_NOTDIR;
    return directory != NULL && directory->entries > 0 ? E_NOTEMPTY : 0;
}

static s64 rename_places(const struct place *from, const struct place *to)
{
    s64 status = may_rename(from, to);
    if (status != 0 || to->node == from->node)
        return status;
    char *name = strdup(to->node != NULL ? to->node->name : to->name);
    if (name == NULL)
        return E_NOMEM;
    if (to->node != NULL)
        tree_unlink(to->node);
    tree_changed(to->directory);
    node_hold(from->node);
    directory_remove(from->node);
    free(from->node->name);
    from->node->name = name;
    directory_add(to->directory, from->node);
    node_put(from->node);
    return 0;
}

static CO_METHOD s64 do_rename(struct filesystem *self, const char *from, const char *to)
{
    CO_HOME(self);
    struct place from_place, to_place;
    mutex_lock(&tree.lock);
    s64 status = tree_walk(from, &from_place);
    if (status == 0)
        status = tree_walk(to, &to_place);
    if (status == 0)
        status = rename_places(&from_place, &to_place);
    mutex_unlock(&tree.lock);
    return status;
}

static CO_METHOD s64 get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return 1;
}

static CO_METHOD s64 get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    if (max > 0)
        out[0] = tree.top->node.root.coid;
    return max > 0;
}

static const struct filesystem_ops ops = {
    .base = {.get_num_children = get_num_children, .get_children = get_children},
    .find = do_find,
    .open = do_open,
    .make_directory = do_make_directory,
    .remove = do_remove,
    .rename = do_rename,
};

static struct co_class class = {
    .name = "FileSystem",
    .implementation = "FileSystemMemory",
    .size = sizeof(fs) + sizeof(tree),
    .ops = &ops.base,
};

coid_t filesystem_coid(void)
{
    return fs.root.coid;
}

s64 filesystem_find(const char *path, struct node **node)
{
    return CO_CALL(struct filesystem, fs.root.coid, find, path, node);
}

s64 filesystem_open(const char *path, bool create, bool exclusive, struct node **node)
{
    return CO_CALL(struct filesystem, fs.root.coid, open, path, create, exclusive, node);
}

s64 filesystem_make_directory(const char *path)
{
    return CO_CALL(struct filesystem, fs.root.coid, make_directory, path);
}

s64 filesystem_remove(const char *path)
{
    return CO_CALL(struct filesystem, fs.root.coid, remove, path);
}

s64 filesystem_rename(const char *from, const char *to)
{
    return CO_CALL(struct filesystem, fs.root.coid, rename, from, to);
}

s64 filesystem_add(const char *path, struct node *node)
{
    struct place place;
    mutex_lock(&tree.lock);
    s64 status = tree_walk(path, &place);
    if (status == 0)
        status = place.node != NULL ? E_EXIST : 0;
    if (status == 0)
        tree_link(place.directory, node);
    mutex_unlock(&tree.lock);
    return status;
}

s64 filesystem_list(struct node *node, u64 cursor, u64 *next, void *to, u64 room, u64 *bytes)
{
    struct directory *directory = directory_of(node);
    if (directory == NULL)
        return E_NOTDIR;
    if (room < sizeof(struct fs_entry) + FS_NAME_MAX + 1)
        return E_INVAL;
    mutex_lock(&tree.lock);
    *bytes = directory_list(directory, cursor, next, to, room);
    mutex_unlock(&tree.lock);
    return 0;
}

void filesystem_usage(struct fs_usage *usage)
{
    usage->files = tree.files;
    usage->directories = tree.directories;
    usage->bytes = memory_files_bytes();
    usage->limit = memory_files_limit_get();
}

// ---- start -------------------------------------------------------------------------------------

// Returns the node after this one, in the order: a directory, its contents, its next sibling.
static struct node *following(struct node *node)
{
    const struct directory *directory = directory_of(node);
    if (directory != NULL && directory->first != NULL)
        return directory->first;
    while (node->next == NULL && node->parent != NULL)
        node = &node->parent->node;
    return node->next;
}

void filesystem_fix(void)
{
    mutex_lock(&tree.lock);
    for (struct node *node = &tree.top->node; node != NULL; node = following(node))
        node->fixed = true;
    mutex_unlock(&tree.lock);
}

s64 filesystem_create(void)
{
    tree.top = directory_create("");
    if (tree.top == NULL)
        return E_NOMEM;
    s64 coid = co_create_shared(&class, &fs.root, &fs.rep.co);
    return coid < 0 ? coid : 0;
}
