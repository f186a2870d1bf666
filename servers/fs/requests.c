// SPDX-License-Identifier: MIT
// The functions behind ipc/fs.idl.
#include "filesystem.h"
#include "mount_table.h"
#include "opening.h"
#include "records.h"
#include "share.h"
#include "store.h"

#include <ipc/fs.h>
#include <orrery/memory.h>
#include <string.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/process.h>

#define OPEN_FLAGS                                                                                 \
    (FS_READ | FS_WRITE | FS_CREATE | FS_EXCLUSIVE | FS_TRUNCATE | FS_APPEND | FS_DIRECTORY)

// ---- opening and closing ------------------------------------------------------------------------

static s64 may_open(const struct node *node, u32 flags)
{
    bool directory = node->kind == FS_KIND_DIRECTORY;
    if ((flags & FS_DIRECTORY) != 0 && !directory)
        return E_NOTDIR;
    if ((flags & FS_WRITE) != 0 && directory)
        return E_ISDIR;
    if ((flags & FS_WRITE) != 0 && !node->writable)
        return E_PERM;
    return 0;
}

static s64 open_node(struct node *node, u32 flags, u32 pid, u64 *file, struct fs_stat *info)
{
    s64 status = may_open(node, flags);
    if (status == 0 && (flags & FS_TRUNCATE) != 0)
        status = CO_CALL(struct server_file, node->root.coid, truncate, 0);
    if (status != 0) {
        node_put(node);
        return status;
    }
    node_stat(node, info);
    return opening_create(node, flags & (FS_READ | FS_WRITE | FS_APPEND), pid, file);
}

s64 fs_server_open(struct ipc_caller *caller, const char *path, u32 flags, u64 *file,
                   struct fs_stat *info)
{
    bool write = (flags & FS_WRITE) != 0;
    if ((flags & ~OPEN_FLAGS) != 0 || (flags & (FS_READ | FS_WRITE)) == 0 ||
        (!write && (flags & FS_TRUNCATE) != 0))
        return E_INVAL;
    struct node *node;
    s64 status =
        filesystem_open(path, (flags & FS_CREATE) != 0, (flags & FS_EXCLUSIVE) != 0, &node);
    return status != 0 ? status : open_node(node, flags, caller->pid, file, info);
}

s64 fs_server_close(struct ipc_caller *caller, u64 file)
{
    HELD(opening)
    struct opening *opening = records_any() ? opening_get(file, caller->pid) : NULL;
    s64 status = handle_close(&open_files, file, caller->pid);
    if (opening == NULL)
        return status;
    if (opening->node != NULL && status == 0)
        records_close(opening->node, caller->pid);
    return status;
}

// Notes that a file gets another handle, which may go to another process. From here on nobody
// writes it alone.
static void pass(u64 file, u32 pid)
{
    HELD(opening) struct opening *opening = opening_get(file, pid);
    if (opening == NULL)
        return;
    if (opening->node != NULL) {
        __atomic_store_n(&opening->passed, true, __ATOMIC_SEQ_CST);
        share_revoke(opening->node);
    }
}

s64 fs_server_duplicate(struct ipc_caller *caller, u64 file, u64 *copy)
{
    pass(file, caller->pid);
    return handle_duplicate(&open_files, file, caller->pid, copy);
}

s64 fs_server_give(struct ipc_caller *caller, u64 file, u32 child)
{
    pass(file, caller->pid);
    return handle_give(&open_files, file, caller->pid, child);
}

// ---- contents ----------------------------------------------------------------------------------

// Reads at an offset or at the opening's position. A transfer at the position holds the opening's
// lock, so that those of two processes that share it do not mix.
static s64 read_file(struct opening *opening, u64 offset, void *data, u64 room)
{
    coid_t coid = opening->node->root.coid;
    if (offset != FS_CURRENT)
        return CO_CALL(struct server_file, coid, read, offset, data, room);
    mutex_lock(&opening->lock);
    s64 done = CO_CALL(struct server_file, coid, read, opening->position, data, room);
    if (done > 0)
        opening->position += (u64)done;
    mutex_unlock(&opening->lock);
    return done;
}

static s64 write_at_end(struct opening *opening, const void *data, u64 bytes)
{
    coid_t coid = opening->node->root.coid;
    s64 end = CO_CALL(struct server_file, coid, bytes);
    if (end < 0)
        return end;
    s64 done = CO_CALL(struct server_file, coid, write, (u64)end, data, bytes);
    if (done > 0)
        opening->position = (u64)end + (u64)done;
    return done;
}

static s64 write_file(struct opening *opening, u64 offset, const void *data, u64 bytes)
{
    static struct mutex appending; // makes finding the end and writing there one step
    coid_t coid = opening->node->root.coid;
    if (offset != FS_CURRENT)
        return CO_CALL(struct server_file, coid, write, offset, data, bytes);
    s64 done;
    mutex_lock(&opening->lock);
    if ((opening->flags & FS_APPEND) != 0) {
        mutex_lock(&appending);
        done = write_at_end(opening, data, bytes);
        mutex_unlock(&appending);
    } else {
        done = CO_CALL(struct server_file, coid, write, opening->position, data, bytes);
        if (done > 0)
            opening->position += (u64)done;
    }
    mutex_unlock(&opening->lock);
    return done;
}

static s64 read_opening(struct opening *opening, u64 call, u64 offset, u32 flags, void *data,
                        u64 room, u64 *done)
{
    if ((opening->flags & FS_READ) == 0)
        return E_PERM;
    if (opening->pipe != NULL)
        return offset != FS_CURRENT
                   ? E_INVAL
                   : pipe_read(opening->pipe, call, data, room, (flags & FS_NO_WAIT) != 0, done);
    s64 bytes = read_file(opening, offset, data, room);
    *done = bytes > 0 ? (u64)bytes : 0;
    return bytes < 0 ? bytes : 0;
}

s64 fs_server_read(struct ipc_caller *caller, u64 file, u64 offset, u32 flags, void *data,
                   u64 data_room, u64 *data_bytes)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    return read_opening(opening, caller->call, offset, flags, data, data_room, data_bytes);
}

static s64 write_opening(struct opening *opening, u64 call, u64 offset, u32 flags, const void *data,
                         u64 bytes, u64 *written)
{
    if ((opening->flags & FS_WRITE) == 0)
        return E_PERM;
    if (opening->pipe != NULL)
        return offset != FS_CURRENT ? E_INVAL
                                    : pipe_write(opening->pipe, call, data, bytes,
                                                 (flags & FS_NO_WAIT) != 0, written);
    s64 done = write_file(opening, offset, data, bytes);
    *written = done > 0 ? (u64)done : 0;
    return done < 0 ? done : 0;
}

s64 fs_server_write(struct ipc_caller *caller, u64 file, u64 offset, u32 flags, const void *data,
                    u64 data_bytes, u64 *written)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    return write_opening(opening, caller->call, offset, flags, data, data_bytes, written);
}

static s64 base_of(struct opening *opening, u32 whence, s64 *base)
{
    switch (whence) {
    case FS_SEEK_START:
        *base = 0;
        return 0;
    case FS_SEEK_CURRENT:
        *base = (s64)opening->position;
        return 0;
    case FS_SEEK_END:
        *base = CO_CALL(struct server_file, opening->node->root.coid, bytes);
        return *base < 0 ? *base : 0;
    default:
        return E_INVAL;
    }
}

static s64 seek(struct opening *opening, s64 offset, u32 whence, u64 *position)
{
    s64 base, target;
    if (opening->pipe != NULL)
        return E_NOTSUP;
    mutex_lock(&opening->lock);
    s64 status = base_of(opening, whence, &base);
    if (status == 0 && (__builtin_add_overflow(base, offset, &target) || target < 0))
        status = E_INVAL;
    if (status == 0)
        *position = opening->position = (u64)target;
    mutex_unlock(&opening->lock);
    return status;
}

s64 fs_server_seek(struct ipc_caller *caller, u64 file, s64 offset, u32 whence, u64 *position)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    return seek(opening, offset, whence, position);
}

s64 fs_server_truncate(struct ipc_caller *caller, u64 file, u64 bytes)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    s64 status = E_PERM;
    if (opening->node != NULL && (opening->flags & FS_WRITE) != 0)
        status = CO_CALL(struct server_file, opening->node->root.coid, truncate, bytes);
    return status;
}

s64 fs_server_sync(struct ipc_caller *caller, u64 file)
{
    struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    opening_put(opening);
    return store_save();
}

// ---- about files --------------------------------------------------------------------------------

s64 fs_server_stat(struct ipc_caller *caller, const char *path, struct fs_stat *info)
{
    (void)caller;
    struct node *node;
    s64 status = filesystem_find(path, &node);
    if (status != 0)
        return status;
    node_stat(node, info);
    node_put(node);
    return 0;
}

s64 fs_server_file_stat(struct ipc_caller *caller, u64 file, struct fs_stat *info)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    if (opening->node != NULL)
        node_stat(opening->node, info);
    else
        *info = (struct fs_stat){.bytes = pipe_bytes(opening->pipe),
                                 .kind = FS_KIND_PIPE,
                                 .writable = (opening->flags & FS_WRITE) != 0};
    return 0;
}

s64 fs_server_list(struct ipc_caller *caller, u64 file, u64 cursor, u64 *next, void *entries,
                   u64 entries_room, u64 *entries_bytes)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    s64 status = E_NOTDIR;
    if (opening->node != NULL)
        status = filesystem_list(opening->node, cursor, next, entries, entries_room, entries_bytes);
    return status;
}

// ---- contents as memory -------------------------------------------------------------------------

// Makes the capability that an answer takes along. No mapping of it ever gets more than it allows.
// It is a copy, because the file's own may go before the answer is sent. What can be written can be
// read, so an opening for writing alone gets none.
static s64 hand_out(cap_t memory, bool write, cap_t *copy)
{
    s64 made = write ? sys_cap_copy(memory) : sys_memory_readable(memory);
    if (made < 0)
        return E_LIMIT;
    *copy = (cap_t)made;
    return 0;
}

// For reading alone: what a client stored there would reach the file at some later time, and undo
// what was written meanwhile.
static s64 map_opening(const struct opening *opening, u64 *offset, u64 *bytes, cap_t *memory)
{
    cap_t own;
    if (opening->node == NULL)
        return E_NOTSUP;
    if ((opening->flags & FS_READ) == 0)
        return E_PERM;
    coid_t coid = opening->node->root.coid;
    s64 status = CO_CALL(struct server_file, coid, map, offset, &own);
    if (status != 0)
        return status;
    s64 length = CO_CALL(struct server_file, coid, bytes);
    *bytes = length > 0 ? (u64)length : 0;
    return hand_out(own, false, memory);
}

s64 fs_server_map(struct ipc_caller *caller, u64 file, u64 *offset, u64 *bytes, cap_t *memory)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    s64 status = map_opening(opening, offset, bytes, memory);
    caller->drop_answer = status == 0;
    return status;
}

// Gives an opening its file's memory, and the caller a capability of it. Kept files are written by
// calls alone (renew).
static s64 share_opening(struct opening *opening, u64 uses, struct fs_sharing *sharing,
                         cap_t *memory)
{
    struct share *share;
    if (opening->node == NULL || (opening->flags & FS_READ) == 0)
        return E_NOTSUP;
    s64 status = CO_CALL(struct server_file, opening->node->root.coid, share, uses, &share);
    if (status != 0)
        return status;
    bool write = (opening->flags & FS_WRITE) != 0 && !opening->node->kept;
    status = hand_out(share->memory, write, memory);
    if (status != 0) {
        share_put(share);
        return status;
    }
    mutex_lock(&opening->lock);
    struct share *before = opening->share;
    opening->share = share;
    *sharing = (struct fs_sharing){.bytes = share->bytes,
                                   .states = share_states_id(),
                                   .index = share->index,
                                   .ticket = opening->ticket};
    mutex_unlock(&opening->lock);
    if (before != NULL)
        share_put(before);
    return 0;
}

s64 fs_server_share(struct ipc_caller *caller, u64 file, u64 uses, struct fs_sharing *sharing,
                    cap_t *memory)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    s64 status = share_opening(opening, uses, sharing, memory);
    caller->drop_answer = status == 0;
    return status;
}

s64 fs_server_share_states(struct ipc_caller *caller, cap_t *memory)
{
    (void)caller;
    return share_states(memory);
}

// Checks that an opening may go on to use its memory, with its lock held. Kept files are written by
// calls only, so that saving misses nothing.
static s64 renew(struct opening *opening, u32 flags)
{
    struct node *node = opening->node;
    bool write = (flags & FS_WRITE) != 0;
    if (node == NULL)
        return E_AGAIN;
    if (write && (opening->flags & FS_WRITE) == 0)
        return E_PERM;
    if (write && node->kept)
        return E_NOTSUP;
    if (!write)
        return opening->share != NULL && opening->share == node->share ? 0 : E_AGAIN;
    bool sole = !__atomic_load_n(&opening->passed, __ATOMIC_SEQ_CST);
    return share_grant(node, opening->share, opening->ticket, sole);
}

s64 fs_server_renew(struct ipc_caller *caller, u64 file, u32 flags)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    mutex_lock(&opening->lock);
    s64 status = renew(opening, flags);
    mutex_unlock(&opening->lock);
    return status;
}

s64 fs_server_ready(struct ipc_caller *caller, u64 file, u32 *bits)
{
    HELD(opening) struct opening *opening = opening_get(file, caller->pid);
    if (opening == NULL)
        return E_STALE;
    *bits = opening->pipe != NULL ? pipe_ready(opening->pipe, opening->end)
                                  : FS_READY_READ | FS_READY_WRITE;
    return 0;
}

// ---- names -------------------------------------------------------------------------------------

s64 fs_server_make_directory(struct ipc_caller *caller, const char *path)
{
    (void)caller;
    return filesystem_make_directory(path);
}

s64 fs_server_remove(struct ipc_caller *caller, const char *path)
{
    (void)caller;
    return filesystem_remove(path);
}

s64 fs_server_rename(struct ipc_caller *caller, const char *from, const char *to)
{
    (void)caller;
    return filesystem_rename(from, to);
}

s64 fs_server_mount(struct ipc_caller *caller, const char *point, const char *service)
{
    if (!process_has_right(caller->pid, RIGHT_SERVER))
        return E_PERM;
    return mount_table_set(point, service);
}

s64 fs_server_mounts(struct ipc_caller *caller, u32 index, char *entry, u64 entry_room)
{
    (void)caller;
    return mount_table_get(index, entry, entry_room);
}

s64 fs_server_usage(struct ipc_caller *caller, struct fs_usage *usage)
{
    (void)caller;
    filesystem_usage(usage);
    usage->open_files = openings_count();
    return 0;
}

// ---- pipes -------------------------------------------------------------------------------------

s64 fs_server_pipe(struct ipc_caller *caller, u64 *read_end, u64 *write_end)
{
    struct pipe *pipe = pipe_create();
    if (pipe == NULL)
        return E_LIMIT;
    s64 status = opening_create_pipe(pipe, PIPE_READ, caller->pid, read_end);
    if (status != 0) {
        pipe_close(pipe, PIPE_WRITE);
        return status;
    }
    status = opening_create_pipe(pipe, PIPE_WRITE, caller->pid, write_end);
    if (status != 0)
        handle_close(&open_files, *read_end, caller->pid);
    return status;
}
