// SPDX-License-Identifier: MIT
// The FileSystem: names in a tree of directories. One lock guards the tree; nothing that waits happens under it.
#include "filesystem.h"

#include "kept.h"

#include <cpio/cpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 100000 // names

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
    struct mutex lock;
    struct directory *top;
    u64 files, directories;
    struct {
        char point[FS_NAME_MAX + 1];
        struct node *node; // held
    } mounts[FS_MOUNTS_MAX];
    u32 mount_count;
} fs;

struct mutex *directory_lock = &fs.lock;

// ---- walking -----------------------------------------------------------------------------------

// One name of a path: its start in *path, which moves behind it. Bytes of it, 0 at the end; E_INVAL.
static s64 next_name(const char **path, const char **name)
{
    *path += strspn(*path, "/");
    *name = *path;
    u64 bytes = strcspn(*path, "/");
    *path += bytes;
    if (bytes > FS_NAME_MAX || (bytes == 1 && **name == '.') ||
        (bytes == 2 && (*name)[0] == '.' && (*name)[1] == '.'))
        return E_INVAL;
    return (s64)bytes;
}

static s64 enter(struct node *node, struct directory **directory)
{
    if (node->mount != NULL)
        return E_AGAIN;
    *directory = directory_of(node);
    return *directory != NULL ? 0 : E_NOTDIR;
}

struct place {
    struct directory *directory; // the path's last but one
    char name[FS_NAME_MAX + 1];  // its last; "" for "/" itself
    struct node *node;           // what is there, or NULL
};

// The lock is held.
static s64 walk(const char *path, struct place *place)
{
    if (path[0] != '/')
        return E_INVAL;
    *place = (struct place){.directory = fs.top, .node = &fs.top->node};
    for (;;) {
        const char *name;
        s64 bytes = next_name(&path, &name);
        if (bytes <= 0)
            return bytes < 0                                           ? bytes
                   : place->node != NULL && place->node->mount != NULL ? E_AGAIN
                                                                       : 0;
        if (place->node == NULL)
            return E_NOENT;
        s64 status = enter(place->node, &place->directory);
        if (status != 0)
            return status;
        memcpy(place->name, name, (u64)bytes);
        place->name[bytes] = '\0';
        place->node = directory_find(place->directory, name, (u64)bytes);
    }
}

static bool is_root(const struct place *place)
{
    return place->name[0] == '\0';
}

static void changed(const struct directory *directory)
{
    if (directory->node.kept)
        kept_changed();
}

// A new node gets its name, and what take_room took for it. The reference of its creation goes.
static void link_new(struct directory *directory, struct node *node)
{
    node->kept = directory->node.kept;
    directory_add(directory, node);
    node_put(node);
    changed(directory);
    if (node->kind == FS_KIND_DIRECTORY)
        fs.directories++;
    else
        fs.files++;
}

static void unlink_node(struct node *node)
{
    if (node->kind == FS_KIND_DIRECTORY)
        fs.directories--;
    else
        fs.files--;
    changed(node->parent);
    directory_remove(node);
}

// Room for one more name in a directory.
static bool take_room(const struct directory *directory)
{
    return fs.files + fs.directories < NODES_MAX &&
           (!directory->node.kept || kept_reserve(KEPT_NAME_BYTES));
}

static void return_room(const struct directory *directory)
{
    if (directory->node.kept)
        kept_release(KEPT_NAME_BYTES);
}

// ---- methods -----------------------------------------------------------------------------------

static CO_METHOD s64 do_find(struct filesystem *self, const char *path, struct node **node)
{
    CO_HOME(self);
    struct place place;
    mutex_lock(&fs.lock);
    s64 status = walk(path, &place);
    if (status == 0 && place.node == NULL)
        status = E_NOENT;
    if (status == 0) {
        node_hold(place.node);
        *node = place.node;
    }
    mutex_unlock(&fs.lock);
    return status;
}

static s64 open_place(const struct place *place, bool create, bool exclusive, struct node **node)
{
    if (place->node != NULL && create && exclusive)
        return E_EXIST;
    if (place->node == NULL) {
        if (!create)
            return E_NOENT;
        if (!take_room(place->directory))
            return E_LIMIT;
        struct node *file = memory_file_create(place->name);
        if (file == NULL) {
            return_room(place->directory);
            return E_NOMEM;
        }
        link_new(place->directory, file);
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
    mutex_lock(&fs.lock);
    s64 status = walk(path, &place);
    if (status == 0)
        status = open_place(&place, create, exclusive, node);
    mutex_unlock(&fs.lock);
    return status;
}

static s64 add_directory(const struct place *place)
{
    if (place->node != NULL)
        return E_EXIST;
    if (!take_room(place->directory))
        return E_LIMIT;
    struct directory *directory = directory_create(place->name);
    if (directory == NULL) {
        return_room(place->directory);
        return E_NOMEM;
    }
    link_new(place->directory, &directory->node);
    return 0;
}

static CO_METHOD s64 do_make_directory(struct filesystem *self, const char *path)
{
    CO_HOME(self);
    struct place place;
    mutex_lock(&fs.lock);
    s64 status = walk(path, &place);
    if (status == 0)
        status = add_directory(&place);
    mutex_unlock(&fs.lock);
    return status;
}

static s64 may_remove(const struct place *place)
{
    if (place->node == NULL)
        return E_NOENT;
    if (is_root(place))
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
    mutex_lock(&fs.lock);
    s64 status = walk(path, &place);
    if (status == 0)
        status = may_remove(&place);
    if (status == 0)
        unlink_node(place.node);
    mutex_unlock(&fs.lock);
    return status;
}

static bool lies_below(const struct directory *directory, const struct node *node)
{
    while (directory != NULL && &directory->node != node)
        directory = directory->node.parent;
    return directory != NULL;
}

// What is mounted below keeps its path.
static bool mounted_below(const struct node *node)
{
    for (u32 i = 0; i < fs.mount_count; i++) {
        if (lies_below(fs.mounts[i].node->parent, node))
            return true;
    }
    return false;
}

static s64 may_rename(const struct place *from, const struct place *to)
{
    if (from->node == NULL)
        return E_NOENT;
    if (is_root(from) || is_root(to) || mounted_below(from->node))
        return E_BUSY;
    if (from->node->fixed || (to->node != NULL && to->node->fixed))
        return E_PERM;
    if (lies_below(to->directory, from->node))
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
    char *name = strdup(to->name);
    if (name == NULL)
        return E_NOMEM;
    if (to->node != NULL)
        unlink_node(to->node);
    changed(to->directory);
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
    mutex_lock(&fs.lock);
    s64 status = walk(from, &from_place);
    if (status == 0)
        status = walk(to, &to_place);
    if (status == 0)
        status = rename_places(&from_place, &to_place);
    mutex_unlock(&fs.lock);
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
        out[0] = fs.top->node.root.coid;
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
    .size = sizeof(fs),
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
    mutex_lock(&fs.lock);
    s64 status = walk(path, &place);
    if (status == 0)
        status = place.node != NULL ? E_EXIST : 0;
    if (status == 0)
        link_new(place.directory, node);
    mutex_unlock(&fs.lock);
    return status;
}

s64 filesystem_list(struct node *node, u64 cursor, u64 *next, void *to, u64 room, u64 *bytes)
{
    struct directory *directory = directory_of(node);
    if (directory == NULL)
        return E_NOTDIR;
    if (room < sizeof(struct fs_entry) + FS_NAME_MAX + 1)
        return E_INVAL;
    mutex_lock(&fs.lock);
    *bytes = directory_list(directory, cursor, next, to, room);
    mutex_unlock(&fs.lock);
    return 0;
}

bool filesystem_orphan(const struct node *node)
{
    return node->parent == NULL && node != &fs.top->node;
}

void filesystem_usage(struct fs_usage *usage)
{
    usage->files = fs.files;
    usage->directories = fs.directories;
    usage->bytes = memory_files_bytes();
    usage->limit = memory_files_limit_get();
}

// ---- mounts ------------------------------------------------------------------------------------

static s64 add_mount(const char *point, const char *service)
{
    struct place place;
    s64 status = walk(point, &place);
    if (status != 0)
        return status == E_AGAIN ? E_EXIST : status;
    if (place.node == NULL)
        return E_NOENT;
    if (directory_of(place.node) == NULL)
        return E_NOTDIR;
    if (is_root(&place))
        return E_INVAL;
    if (fs.mount_count == FS_MOUNTS_MAX)
        return E_LIMIT;
    place.node->mount = strdup(service);
    if (place.node->mount == NULL)
        return E_NOMEM;
    node_hold(place.node);
    strcpy(fs.mounts[fs.mount_count].point, point);
    fs.mounts[fs.mount_count++].node = place.node;
    return 0;
}

static s64 remove_mount(const char *point)
{
    for (u32 i = 0; i < fs.mount_count; i++) {
        if (strcmp(fs.mounts[i].point, point) != 0)
            continue;
        struct node *node = fs.mounts[i].node;
        free(node->mount);
        node->mount = NULL;
        node_put(node);
        fs.mounts[i] = fs.mounts[--fs.mount_count];
        return 0;
    }
    return E_NOENT;
}

// The point's text is what clients compare paths with, so it must be normal.
static bool normal(const char *path)
{
    u64 length = strlen(path);
    return path[0] == '/' && length > 1 && path[length - 1] != '/' && strstr(path, "//") == NULL &&
           strchr(path, ' ') == NULL;
}

s64 filesystem_mount(const char *point, const char *service)
{
    if (!normal(point) || strchr(service, ' ') != NULL)
        return E_INVAL;
    mutex_lock(&fs.lock);
    s64 status = service[0] != '\0' ? add_mount(point, service) : remove_mount(point);
    mutex_unlock(&fs.lock);
    return status;
}

s64 filesystem_mounts(u32 index, char *entry, u64 room)
{
    s64 status = E_NOENT;
    mutex_lock(&fs.lock);
    if (index < fs.mount_count) {
        int bytes =
            snprintf(entry, room, "%s %s", fs.mounts[index].point, fs.mounts[index].node->mount);
        status = (u64)bytes < room ? 0 : E_INVAL;
    }
    mutex_unlock(&fs.lock);
    return status;
}

// ---- start -------------------------------------------------------------------------------------

// Folders that the archive does not name before what lies in them are made.
static s64 make_parents(char *path)
{
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        s64 status = filesystem_make_directory(path);
        *at = '/';
        if (status != 0 && status != E_EXIST)
            return status;
    }
    return 0;
}

static s64 add_file(const char *path, const struct cpio *archive, const struct cpio_entry *entry,
                    cap_t memory)
{
    struct place place;
    s64 status = walk(path, &place);
    if (status != 0)
        return status;
    if (place.node != NULL)
        return E_EXIST;
    struct node *node = initrd_file_create(place.name, archive->data + entry->offset, entry->bytes,
                                           entry->offset, memory);
    if (node == NULL)
        return E_NOMEM;
    link_new(place.directory, node);
    return 0;
}

static s64 add_entry(const struct cpio *archive, const struct cpio_entry *entry, cap_t memory)
{
    char path[CPIO_NAME_MAX + 2];
    snprintf(path, sizeof(path), "/%s", entry->name);
    s64 status = make_parents(path);
    if (status != 0)
        return status;
    status =
        entry->directory ? filesystem_make_directory(path) : add_file(path, archive, entry, memory);
    return status == E_EXIST ? 0 : status;
}

static s64 load(struct cpio *archive, cap_t memory)
{
    struct cpio_entry entry;
    s64 status;
    while ((status = cpio_next(archive, &entry)) > 0) {
        status = add_entry(archive, &entry, memory);
        if (status == E_NOMEM)
            return status;
    }
    return status;
}

// The node that follows in the order: a directory, what is in it, what is behind it.
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
    mutex_lock(&fs.lock);
    for (struct node *node = &fs.top->node; node != NULL; node = following(node))
        node->fixed = true;
    mutex_unlock(&fs.lock);
}

s64 filesystem_create(const u8 *archive, u64 bytes, cap_t memory, bool *damaged)
{
    fs.top = directory_create("");
    if (fs.top == NULL)
        return E_NOMEM;
    s64 coid = co_create_shared(&class, &fs.root, &fs.rep.co);
    if (coid < 0)
        return coid;
    struct cpio cpio = {.data = archive, .bytes = bytes};
    s64 status = archive == NULL ? 0 : load(&cpio, memory);
    *damaged = status == E_PROTO;
    return status == E_PROTO ? 0 : status;
}
