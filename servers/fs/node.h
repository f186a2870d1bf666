// SPDX-License-Identifier: MIT
// Files and directories of the fs server: clustered objects of one interface, ServerFile,
// in a tree of directories.
// The tree is guarded by the FileSystem's lock (filesystem.h); contents by each file's own.
#ifndef FS_NODE_H
#define FS_NODE_H

#include <co/object.h>
#include <ipc/fs.h>
#include <user/lock.h>

struct directory;
struct server_file;
struct share;

struct server_file_ops {
    struct co_ops base;
    // Bytes moved, or an error. A directory: E_ISDIR.
    s64 (*read)(struct server_file *self, u64 offset, void *to, u64 bytes);
    s64 (*write)(struct server_file *self, u64 offset, const void *from,
                 u64 bytes);                              // E_PERM, E_LIMIT
    s64 (*truncate)(struct server_file *self, u64 bytes); // E_PERM, E_LIMIT
    s64 (*bytes)(struct server_file *self);
    // A memory object that shows the contents from *offset on, held by the file: E_ISDIR,
    // E_NOMEM, ….
    s64 (*map)(struct server_file *self, u64 *offset, cap_t *memory);
    // The contents as memory (share.h), held for the caller; after so many uses. E_AGAIN: too few
    // for its size; E_NOTSUP, E_LIMIT.
    s64 (*share)(struct server_file *self, u64 uses, struct share **share);
};

struct server_file {
    CO_REP(struct server_file_ops);
};

// What all implementations begin with.
struct node {
    struct co_root root; // first
    struct server_file rep;
    u64 id;
    u64 time; // last written: date, in nanoseconds since 1970
    u32 kind; // FS_KIND_*
    bool writable;
    bool kept;    // lies in a kept directory, or did (kept.h)
    bool fixed;   // keeps its name: what was there at the start
    bool mapped;  // somebody maps it, through the kernel (backing.h)
    bool written; // or may be, in its memory (share.h)
    u32 openings;
    struct share *share; // its contents as memory, or NULL
    u32 references;      // openings, mappings, and 1 while it has a name
    struct directory *parent;
    struct node *next, *previous; // in its directory, in order of creation
    u64 order;                    // the cursor of a listing: grows along next
    struct node *same_bucket;     // entries.c
    u64 hash;                     // of directory and name; entries.c
    u64 name_bytes;               // while it has a directory; entries.c
    char *name;                   // "": the root; stays when the file is removed
    char *mount;                  // a directory's: the service that has been mounted here
};

struct node *node_of(struct server_file *file);

// Fills in a node of zeroes, and creates its object.
// On error the memory is the caller's still. name is copied.
s64 node_create(struct node *node, struct co_class *class, u32 kind, bool writable,
                const char *name);
// References: the last one gone, the object is destroyed, and its class's destroy frees it.
void node_hold(struct node *node);
void node_put(struct node *node);
void node_free(struct node *node); // for classes' destroy: what node_create made, and the node
void node_stat(struct node *node, struct fs_stat *info);

// ---- implementations ----------------------------------------------------------------------------

// A file in the initial file system, contents where they lie. archive: its memory object, or 0.
struct node *initrd_file_create(const char *name, const u8 *contents, u64 bytes, u64 offset,
                                cap_t archive);
// A file in this server's memory. NULL: out of memory.
struct node *memory_file_create(const char *name);
// Reads as empty, takes everything.
struct node *null_file_create(const char *name);

// ---- directories --------------------------------------------------------------------------------

struct directory {
    struct node node; // first
    struct node *first, *last;
    struct node *listed; // where the last listing ended: the next one goes on there; or NULL
    u64 next_order;
    u64 entries;
};

// The lock that guards all directories (the FileSystem's): taken by their scan.
extern struct mutex *directory_lock;

struct directory *directory_create(const char *name); // NULL: out of memory
struct directory *directory_of(struct node *node);    // NULL: it is none
struct node *directory_find(struct directory *directory, const char *name, u64 bytes);
// The node's only name; takes over no reference: it has its own.
void directory_add(struct directory *directory, struct node *node);
void directory_remove(struct node *node); // puts the name's reference
// Records of the entries after cursor: bytes; *next is the cursor of what follows.
u64 directory_list(struct directory *directory, u64 cursor, u64 *next, void *to, u64 room);

#endif
