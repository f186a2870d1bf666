// SPDX-License-Identifier: MIT
// The functions behind ipc/fs.idl for /proc. Everything in /proc is read-only.
#include "snapshot.h"

#include <ipc/fs_entry.h>
#include <stdio.h>
#include <string.h>
#include <user/time.h>

// Returns the id of a place: the pid, and in the low byte the file's index, or 0xff for a
// directory.
static u64 id_of(const struct place *place)
{
    if (place->kind != PLACE_FILE)
        return (u64)place->pid << 8 | 0xff;
    const struct proc_file *files = place->pid != 0 ? process_files : machine_files;
    return (u64)place->pid << 8 | (u64)(place->file - files);
}

static u32 kind_of(const struct place *place)
{
    return place->kind == PLACE_FILE ? FS_KIND_FILE : FS_KIND_DIRECTORY;
}

static void fill_stat(const struct place *place, u64 bytes, u64 time, struct fs_stat *info)
{
    *info = (struct fs_stat){
        .id = id_of(place),
        .bytes = bytes,
        .time = time,
        .kind = kind_of(place),
        .links = 1,
    };
}

s64 fs_server_open(struct ipc_caller *caller, const char *path, u32 flags, u64 *file,
                   struct fs_stat *info)
{
    struct place place;
    s64 status = place_find(path, &place);
    if (status != 0)
        return status == E_NOENT && (flags & FS_CREATE) != 0 ? E_PERM : status;
    if ((flags & (FS_WRITE | FS_TRUNCATE)) != 0)
        return place.kind == PLACE_FILE ? E_PERM : E_ISDIR;
    if ((flags & FS_DIRECTORY) != 0 && place.kind == PLACE_FILE)
        return E_NOTDIR;
    status = snapshot_open(&place, caller->pid, file);
    if (status == 0)
        fill_stat(&place, 0, 0, info);
    return status;
}

s64 fs_server_close(struct ipc_caller *caller, u64 file)
{
    return handle_close(&snapshots, file, caller->pid);
}

s64 fs_server_duplicate(struct ipc_caller *caller, u64 file, u64 *copy)
{
    return handle_duplicate(&snapshots, file, caller->pid, copy);
}

s64 fs_server_give(struct ipc_caller *caller, u64 file, u32 child)
{
    return handle_give(&snapshots, file, caller->pid, child);
}

// ---- contents ----------------------------------------------------------------------------------

static u64 copy_part(const struct text *text, u64 offset, void *to, u64 room)
{
    if (offset >= text->length)
        return 0;
    u64 bytes = text->length - offset < room ? text->length - offset : room;
    memcpy(to, text->bytes + offset, bytes);
    return bytes;
}

s64 fs_server_read(struct ipc_caller *caller, u64 file, u64 offset, u32 flags, void *data,
                   u64 data_room, u64 *data_bytes)
{
    (void)flags;
    HELD(snapshot) struct snapshot *snapshot = snapshot_get(file, caller->pid);
    if (snapshot == NULL)
        return E_STALE;
    s64 status = snapshot->place.kind == PLACE_FILE ? 0 : E_ISDIR;
    if (status == 0 && offset != FS_CURRENT) {
        *data_bytes = copy_part(&snapshot->text, offset, data, data_room);
    } else if (status == 0) {
        mutex_lock(&snapshot->lock);
        *data_bytes = copy_part(&snapshot->text, snapshot->position, data, data_room);
        snapshot->position += *data_bytes;
        mutex_unlock(&snapshot->lock);
    }
    return status;
}

static s64 seek(struct snapshot *snapshot, s64 offset, u32 whence, u64 *position)
{
    const s64 bases[] = {[FS_SEEK_START] = 0,
                         [FS_SEEK_CURRENT] = (s64)snapshot->position,
                         [FS_SEEK_END] = (s64)snapshot->text.length};
    s64 target;
    if (whence >= ARRAY_SIZE(bases) || __builtin_add_overflow(bases[whence], offset, &target) ||
        target < 0)
        return E_INVAL;
    *position = snapshot->position = (u64)target;
    return 0;
}

s64 fs_server_seek(struct ipc_caller *caller, u64 file, s64 offset, u32 whence, u64 *position)
{
    HELD(snapshot) struct snapshot *snapshot = snapshot_get(file, caller->pid);
    if (snapshot == NULL)
        return E_STALE;
    mutex_lock(&snapshot->lock);
    s64 status = seek(snapshot, offset, whence, position);
    mutex_unlock(&snapshot->lock);
    return status;
}

s64 fs_server_stat(struct ipc_caller *caller, const char *path, struct fs_stat *info)
{
    (void)caller;
    struct place place;
    struct sys_process_info process;
    s64 status = place_find(path, &place);
    if (status == 0 && place.pid != 0)
        status = sys_process_info(place.pid, &process);
    if (status == 0)
        fill_stat(&place, 0, place.pid != 0 ? time_date_of(process.start_time) : 0, info);
    return status;
}

s64 fs_server_file_stat(struct ipc_caller *caller, u64 file, struct fs_stat *info)
{
    HELD(snapshot) struct snapshot *snapshot = snapshot_get(file, caller->pid);
    if (snapshot == NULL)
        return E_STALE;
    fill_stat(&snapshot->place, snapshot->text.length, snapshot->time, info);
    return 0;
}

// ---- listings ----------------------------------------------------------------------------------

// A cursor of the root counts the files listed so far. From FIRST_PID on it is FIRST_PID + the last
// pid listed.
#define FIRST_PID 0x100

struct listing {
    u8 *to;
    u64 room, used, cursor;
    bool full;
};

static bool add_entry(struct listing *listing, const struct place *place, const char *name)
{
    u64 bytes = fs_entry_put(listing->to + listing->used, listing->room - listing->used,
                             id_of(place), kind_of(place), name);
    listing->full = bytes == 0;
    listing->used += bytes;
    return bytes != 0;
}

static void list_files(struct listing *listing, u32 pid, const struct proc_file *files, u32 count)
{
    while (listing->cursor < count) {
        const struct proc_file *file = &files[listing->cursor];
        const struct place place = {.kind = PLACE_FILE, .pid = pid, .file = file};
        if (!add_entry(listing, &place, file->name))
            return;
        listing->cursor++;
    }
}

// Puts the lowest pid above pids[0] into pids[1]. The kernel lists processes in no promised order,
// so each entry needs a whole pass.
static s64 find_next(const struct sys_process_info *info, void *context)
{
    u32 *pids = context;
    if (info->pid > pids[0] && (pids[1] == 0 || info->pid < pids[1]))
        pids[1] = info->pid;
    return 0;
}

static s64 list_processes(struct listing *listing)
{
    if (listing->cursor < FIRST_PID)
        listing->cursor = FIRST_PID;
    for (;;) {
        char name[16];
        u32 pids[2] = {(u32)(listing->cursor - FIRST_PID), 0};
        s64 status = processes_each(find_next, pids);
        if (status < 0 || pids[1] == 0)
            return status;
        const struct place place = {.kind = PLACE_PROCESS, .pid = pids[1]};
        snprintf(name, sizeof(name), "%u", pids[1]);
        if (!add_entry(listing, &place, name))
            return 0;
        listing->cursor = FIRST_PID + (u64)pids[1];
    }
}

static s64 list_place(const struct place *place, struct listing *listing)
{
    switch (place->kind) {
    case PLACE_ROOT:
        if (listing->cursor < FIRST_PID)
            list_files(listing, 0, machine_files, machine_file_count);
        return listing->full ? 0 : list_processes(listing);
    case PLACE_PROCESS:
        list_files(listing, place->pid, process_files, process_file_count);
        return 0;
    default:
        return E_NOTDIR;
    }
}

s64 fs_server_list(struct ipc_caller *caller, u64 file, u64 cursor, u64 *next, void *entries,
                   u64 entries_room, u64 *entries_bytes)
{
    HELD(snapshot) struct snapshot *snapshot = snapshot_get(file, caller->pid);
    if (snapshot == NULL)
        return E_STALE;
    struct listing listing = {.to = entries, .room = entries_room, .cursor = cursor};
    s64 status = list_place(&snapshot->place, &listing);
    if (status == 0 && listing.full && listing.used == 0)
        status = E_INVAL; // room is too small for one entry
    *next = listing.cursor;
    *entries_bytes = listing.used;
    return status;
}

s64 fs_server_ready(struct ipc_caller *caller, u64 file, u32 *bits)
{
    (void)caller, (void)file;
    *bits = FS_READY_READ;
    return 0;
}

s64 fs_server_usage(struct ipc_caller *caller, struct fs_usage *usage)
{
    (void)caller;
    *usage = (struct fs_usage){.files = machine_file_count, .open_files = snapshots.used};
    return 0;
}

// ---- refused requests --------------------------------------------------------------------------

s64 fs_server_write(struct ipc_caller *caller, u64 file, u64 offset, u32 flags, const void *data,
                    u64 data_bytes, u64 *written)
{
    (void)caller, (void)file, (void)offset, (void)flags, (void)data, (void)data_bytes,
        (void)written;
    return E_PERM;
}

s64 fs_server_truncate(struct ipc_caller *caller, u64 file, u64 bytes)
{
    (void)caller, (void)file, (void)bytes;
    return E_PERM;
}

s64 fs_server_sync(struct ipc_caller *caller, u64 file)
{
    (void)caller, (void)file;
    return 0;
}

s64 fs_server_make_directory(struct ipc_caller *caller, const char *path)
{
    (void)caller, (void)path;
    return E_PERM;
}

s64 fs_server_remove(struct ipc_caller *caller, const char *path)
{
    (void)caller, (void)path;
    return E_PERM;
}

s64 fs_server_rename(struct ipc_caller *caller, const char *from, const char *to)
{
    (void)caller, (void)from, (void)to;
    return E_PERM;
}

s64 fs_server_map(struct ipc_caller *caller, u64 file, u64 *offset, u64 *bytes, cap_t *memory)
{
    (void)caller, (void)file, (void)offset, (void)bytes, (void)memory;
    return E_NOTSUP;
}

s64 fs_server_share(struct ipc_caller *caller, u64 file, u64 uses, struct fs_sharing *sharing,
                    cap_t *memory)
{
    (void)caller, (void)file, (void)uses, (void)sharing, (void)memory;
    return E_NOTSUP;
}

s64 fs_server_share_states(struct ipc_caller *caller, cap_t *memory)
{
    (void)caller, (void)memory;
    return E_NOTSUP;
}

s64 fs_server_renew(struct ipc_caller *caller, u64 file, u32 flags)
{
    (void)caller, (void)file, (void)flags;
    return E_AGAIN;
}

s64 fs_server_lock(struct ipc_caller *caller, u64 file, u32 kind, u64 start, u64 last, u32 flags)
{
    (void)caller, (void)file, (void)kind, (void)start, (void)last, (void)flags;
    return E_NOTSUP;
}

s64 fs_server_lock_test(struct ipc_caller *caller, u64 file, u32 kind, u64 start, u64 last,
                        struct fs_record *record)
{
    (void)caller, (void)file, (void)kind, (void)start, (void)last, (void)record;
    return E_NOTSUP;
}

s64 fs_server_pipe(struct ipc_caller *caller, u64 *read_end, u64 *write_end)
{
    (void)caller, (void)read_end, (void)write_end;
    return E_NOTSUP;
}

s64 fs_server_mount(struct ipc_caller *caller, const char *point, const char *service)
{
    (void)caller, (void)point, (void)service;
    return E_NOTSUP;
}

s64 fs_server_mounts(struct ipc_caller *caller, u32 index, char *entry, u64 entry_room)
{
    (void)caller, (void)index, (void)entry, (void)entry_room;
    return E_NOENT;
}
