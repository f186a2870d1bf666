// SPDX-License-Identifier: MIT
// Files and directories of the fs server: clustered objects of one interface, ServerFile, in a tree
// of directories. The FileSystem's lock (filesystem.h) guards the tree. Each file's own lock guards
// its contents. Any thread may call what is declared here.
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
    // Read and write from an offset (in bytes) on. They return the bytes moved, or an error:
    // E_ISDIR for a directory, E_PERM or E_LIMIT from write.
    s64 (*read)(struct server_file *self, u64 offset, void *to, u64 bytes);
    s64 (*write)(struct server_file *self, u64 offset, const void *from, u64 bytes);
    // Sets the length. Returns 0, E_ISDIR, E_PERM or E_LIMIT.
    s64 (*truncate)(struct server_file *self, u64 bytes);
    // Returns the length of a file, or the number of entries of a directory.
    s64 (*bytes)(struct server_file *self);
    // Sets *memory to a memory object of the file, whose bytes from *offset on are the contents.
    // Returns 0 or an error: E_ISDIR, E_NOTSUP, E_NOMEM, ….
    s64 (*map)(struct server_file *self, u64 *offset, cap_t *memory);
    // Sets *share to the contents as memory (share.h), held for the caller. uses: how often the
    // caller has read or written. Returns 0, E_AGAIN if that is too few for the file's length,
    // E_NOTSUP or E_LIMIT.
    s64 (*share)(struct server_file *self, u64 uses, struct share **share);
};

struct server_file {
    CO_REP(struct server_file_ops);
};

// The first member of all implementations.
struct node {
    struct co_root root; // first
    struct server_file rep;
    u64 id;
    u64 time; // of the last write: nanoseconds since 1970
    u32 kind; // FS_KIND_*
    bool writable;
    bool kept;    // was created in a kept directory (kept.h)
    bool fixed;   // keeps its name: it existed at the start
    bool mapped;  // somebody maps it, through the kernel (backing.h)
    bool written; // its memory has, or may have, been written by a user (share.h)
    u32 openings;
    struct share *share; // its contents as memory, or NULL
    u32 references;      // openings, mappings, and 1 while it has a name
    struct directory *parent;
    struct node *next, *previous; // in its directory, in order of creation
    u64 order;                    // the cursor of a listing: grows along next
    struct node *same_bucket;     // entries.c
    u64 hash;                     // of directory and name; entries.c
    u64 name_bytes;               // while it is in a directory; entries.c
    char *name;                   // "" for the root; stays after the file is removed
    char *mount;                  // of a directory: the service that is mounted here, or NULL
};

struct node *node_of(struct server_file *file);

// Fills in a zeroed node with a copy of name, and creates its object. Returns 0 or an error: then
// the caller frees the node's memory.
s64 node_create(struct node *node, struct co_class *class, u32 kind, bool writable,
                const char *name);
// Take and give back a reference. When the last one goes the object is destroyed: the class's
// `destroy` frees the node.
void node_hold(struct node *node);
void node_put(struct node *node);
// Frees what node_create allocated, and the node. For `destroy` of classes.
void node_free(struct node *node);
void node_stat(struct node *node, struct fs_stat *info);
// The method `share` of implementations without shared memory. Returns E_NOTSUP.
s64 node_share_nothing(struct server_file *self, u64 uses, struct share **share);

// ---- implementations (each returns NULL if there is no memory) ----------------------------------

// Creates a file whose contents lie in the initial file system, offset bytes from its start.
// archive: its memory object, or 0.
struct node *initrd_file_create(const char *name, const u8 *contents, u64 bytes, u64 offset,
                                cap_t archive);
// Creates a file in this server's memory.
struct node *memory_file_create(const char *name);
// Creates a file that reads as empty and takes everything.
struct node *null_file_create(const char *name);

// ---- directories --------------------------------------------------------------------------------

struct directory {
    struct node node; // first
    struct node *first, *last;
    struct node *listed; // the last node of the last listing, or NULL: the next one goes on there
    u64 next_order;
    u64 entries;
};

// The lock of all directories, which is the FileSystem's. A scan of their objects takes it. Callers
// of the functions below that take a directory hold it.
extern struct mutex *directory_lock;

struct directory *directory_create(const char *name); // NULL: out of memory
struct directory *directory_of(struct node *node);    // NULL: the node is no directory
// Returns the node with a name of so many bytes, or NULL.
struct node *directory_find(struct directory *directory, const char *name, u64 bytes);
// Gives a node its only name, and takes a reference for it.
void directory_add(struct directory *directory, struct node *node);
// Takes the name of a node away, and puts that reference.
void directory_remove(struct node *node);
// Puts records (struct fs_entry) of the entries after the cursor into to. Returns their bytes.
// *next: the cursor for the next call.
u64 directory_list(struct directory *directory, u64 cursor, u64 *next, void *to, u64 room);

#endif
