// SPDX-License-Identifier: MIT
// Files' contents as memory: mapping, leases, copying.
#include "direct.h"

#include <fcntl.h>
#include <orrery/memory.h>
#include <stdlib.h>
#include <string.h>
#include <user/time.h>

// ---- states ------------------------------------------------------------------------------------

// The states of all servers that there have been; they stay mapped.
struct states {
    struct states *next;
    const struct service *service;
    u64 id;
    const struct fs_state *at;
};

static struct {
    struct mutex lock;
    struct states *first;
} all_states;

// Maps all pages at once, so that a lack of memory is found here, where calls still are a way out.
// Clears *write if the memory is for reading alone.
static void *map(cap_t memory, u64 bytes, bool *write)
{
    struct sys_region region = {
        .bytes = bytes, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};
    s64 status = *write ? sys_region_create(0, &region) : E_PERM;
    *write = status != E_PERM;
    region.prot = *write ? PROT_R | PROT_W : PROT_R;
    if (status == E_PERM)
        status = sys_region_create(0, &region);
    sys_cap_drop(memory); // the region holds what it needs
    if (status != 0)
        return NULL;
    if (sys_region_commit(region.address, bytes, region.prot) == 0)
        return (void *)(uintptr_t)region.address;
    sys_region_destroy(region.address);
    return NULL;
}

static s64 call_states(cap_t server, u64 handle, void *argument)
{
    (void)handle;
    return fs_share_states(server, argument);
}

static struct states *make_states(const struct fd_file *file, u64 id)
{
    bool write = false;
    cap_t memory;
    struct states *made = malloc(sizeof(*made));
    if (made == NULL)
        return NULL;
    const void *at =
        file_do(file, call_states, &memory) == 0 ? map(memory, FS_STATES_BYTES, &write) : NULL;
    if (at == NULL) {
        free(made);
        return NULL;
    }
    *made = (struct states){.next = all_states.first, .service = file->private, .id = id, .at = at};
    all_states.first = made;
    return made;
}

static const struct fs_state *find_state(const struct fd_file *file, u64 id, u64 index)
{
    if (index >= FS_STATES_BYTES / sizeof(struct fs_state))
        return NULL;
    mutex_lock(&all_states.lock);
    struct states *found = all_states.first;
    while (found != NULL && (found->id != id || found->service != file->private))
        found = found->next;
    if (found == NULL)
        found = make_states(file, id);
    mutex_unlock(&all_states.lock);
    return found != NULL ? &found->at[index] : NULL;
}

// ---- mapping -----------------------------------------------------------------------------------

struct sharing {
    u64 uses;
    struct fs_sharing is;
    cap_t memory;
};

static s64 call_share(cap_t server, u64 handle, void *argument)
{
    struct sharing *sharing = argument;
    return fs_share(server, handle, sharing->uses, &sharing->is, &sharing->memory);
}

static void unmap(struct direct *direct)
{
    if (direct->data != NULL)
        sys_region_destroy((uintptr_t)direct->data);
    direct->data = NULL;
}

void direct_map(struct fd_file *file, struct direct *direct, u64 uses)
{
    struct sharing sharing = {.uses = uses};
    bool write = (file->flags & O_ACCMODE) != O_RDONLY;
    if (file_do(file, call_share, &sharing) != 0)
        return;
    unmap(direct);
    direct->bytes = sharing.is.bytes;
    direct->ticket = sharing.is.ticket;
    direct->lease = direct->write_lease = 0;
    direct->data = map(sharing.memory, direct->bytes, &write);
    direct->never_written = !write;
    direct->state = find_state(file, sharing.is.states, sharing.is.index);
    if (direct->state == NULL)
        unmap(direct);
}

void direct_end(struct direct *direct)
{
    unmap(direct);
    free(direct);
}

// ---- leases ------------------------------------------------------------------------------------

static s64 call_renew(cap_t server, u64 handle, void *argument)
{
    return fs_renew(server, handle, *(const u32 *)argument);
}

// Asks the server whether it still has the file; with FS_WRITE also tells it that the file is
// written. A server that has ended is found out here.
static bool renew(const struct fd_file *file, struct direct *direct, u32 flags)
{
    u64 until = time_after_us(FS_LEASE_US);
    s64 status = file_do(file, call_renew, &flags);
    if (status == 0) {
        direct->lease = until;
        if ((flags & FS_WRITE) != 0)
            direct->write_lease = until;
    } else if (status == E_NOTSUP || status == E_PERM) {
        direct->never_written = true;
    } else {
        unmap(direct);
    }
    return status == 0;
}

// ---- copying -----------------------------------------------------------------------------------

// What a state said at one moment, unless its server is changing it.
struct view {
    u64 sequence, bytes, span;
};

static bool look(const struct direct *direct, struct view *view)
{
    const struct fs_state *state = direct->state;
    view->sequence = __atomic_load_n(&state->sequence, __ATOMIC_ACQUIRE);
    view->bytes = __atomic_load_n(&state->bytes, __ATOMIC_RELAXED);
    view->span = __atomic_load_n(&state->span, __ATOMIC_RELAXED);
    if (view->span > direct->bytes)
        view->span = direct->bytes;
    return (view->sequence & 1) == 0 && view->span != 0;
}

static bool still(const struct direct *direct, const struct view *view)
{
    return __atomic_load_n(&direct->state->sequence, __ATOMIC_RELAXED) == view->sequence;
}

// Takes a view while the lease holds: of a server that has ended no call would come back.
static bool leased_look(struct fd_file *file, struct direct *direct, struct view *view)
{
    return direct->data != NULL && (time_now() < direct->lease || renew(file, direct, FS_READ)) &&
           look(direct, view);
}

s64 direct_read(struct fd_file *file, struct direct *direct, void *to, u64 bytes, u64 offset)
{
    struct view view;
    if (!leased_look(file, direct, &view))
        return DIRECT_OTHERWISE;
    u64 left = offset < view.bytes ? view.bytes - offset : 0;
    u64 part = bytes < left ? bytes : left;
    if (part > 0 && (offset > view.span || part > view.span - offset))
        return DIRECT_OTHERWISE;
    memcpy(to, direct->data + offset, part);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return still(direct, &view) ? (s64)part : DIRECT_OTHERWISE;
}

bool direct_bytes(struct fd_file *file, struct direct *direct, u64 *bytes)
{
    struct view view;
    if (!leased_look(file, direct, &view))
        return false;
    *bytes = view.bytes;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return still(direct, &view);
}

bool direct_stat(struct fd_file *file, struct direct *direct, struct fs_stat *info)
{
    struct view view;
    if (direct->id == 0 || !leased_look(file, direct, &view))
        return false;
    info->id = direct->id;
    info->bytes = view.bytes;
    info->time = __atomic_load_n(&direct->state->time, __ATOMIC_RELAXED);
    info->kind = direct->kind;
    info->writable = direct->writable;
    info->links = (u32)__atomic_load_n(&direct->state->links, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return still(direct, &view);
}

void direct_know(struct direct *direct, const struct fs_stat *info)
{
    direct->id = info->id;
    direct->kind = info->kind;
    direct->writable = info->writable;
}

static bool may_write(const struct direct *direct)
{
    return __atomic_load_n(&direct->state->writer, __ATOMIC_RELAXED) == direct->ticket;
}

// Writes, and then looks whether it still might. Whoever takes the right to write away sees the
// bytes that are there already, or we see that it has gone: then a call writes the same bytes once
// more.
s64 direct_write(struct fd_file *file, struct direct *direct, const void *from, u64 bytes,
                 u64 offset)
{
    struct view view;
    if (direct->data == NULL || direct->never_written ||
        (time_now() >= direct->write_lease && !renew(file, direct, FS_WRITE)))
        return DIRECT_OTHERWISE;
    if (!look(direct, &view) || !may_write(direct))
        return DIRECT_OTHERWISE;
    u64 end = view.bytes < view.span ? view.bytes : view.span;
    if (offset > end || bytes > end - offset)
        return DIRECT_OTHERWISE;
    memcpy((u8 *)(uintptr_t)direct->data + offset, from, bytes);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return may_write(direct) && still(direct, &view) ? (s64)bytes : DIRECT_OTHERWISE;
}
