// SPDX-License-Identifier: MIT
// The system calls of orrery/memory.h on regions and memory objects.
#include "file.h"
#include "space.h"

#include <boot/initrd.h>
#include <kernel/capability.h>
#include <kernel/process.h>
#include <orrery/errors.h>
#include <orrery/user.h>

#include "../proc/process.h"

static struct address_space *own_space(void)
{
    return process_space(process_current());
}

static struct capability_table *own_capabilities(void)
{
    return process_capabilities(process_current());
}

// The caller's space, or that of a child that has not started; the latter with a reference in *held.
static s64 space_of(cap_t process, struct address_space **space, struct capability *held)
{
    held->type = CAPABILITY_NONE;
    if (process == 0) {
        *space = own_space();
        return 0;
    }
    s64 error = capability_get(own_capabilities(), process, CAPABILITY_PROCESS, held);
    if (error != 0)
        return error;
    struct process *child = held->object;
    *space = process_space(child);
    if (child->state == PROCESS_NEW)
        return 0;
    capability_release(held);
    return E_PERM;
}

static bool needs_memory(const struct sys_region *region)
{
    return region->kind == REGION_SHARED || region->kind == REGION_PRIVATE;
}

s64 sys_region_create(cap_t process, struct sys_region *region)
{
    struct address_space *space;
    struct capability child, memory = {.type = CAPABILITY_NONE};
    s64 error = space_of(process, &space, &child);

    if (error == 0 && needs_memory(region))
        error = capability_get(own_capabilities(), region->memory, CAPABILITY_MEMORY, &memory);
    if (error == 0)
        error = space_region_create(space, region, memory.object);
    if (memory.type != CAPABILITY_NONE)
        capability_release(&memory);
    if (child.type != CAPABILITY_NONE)
        capability_release(&child);
    return error;
}

s64 sys_region_destroy(u64 address)
{
    return space_region_destroy(own_space(), address);
}

s64 sys_region_resize(u64 address, u64 bytes)
{
    return space_region_resize(own_space(), address, bytes);
}

s64 sys_region_protect(u64 address, u64 bytes, u32 prot)
{
    return space_region_protect(own_space(), address, bytes, prot);
}

s64 sys_region_commit(u64 address, u64 bytes, u32 prot)
{
    return space_region_commit(own_space(), address, bytes, prot);
}

s64 sys_region_decommit(u64 address, u64 bytes)
{
    return space_region_decommit(own_space(), address, bytes);
}

s64 sys_text_patch(u64 address, u32 old, u32 new)
{
    return space_text_patch(own_space(), address, old, new);
}

s64 sys_region_list(u32 pid, u64 *cursor, void *buffer, u64 bytes)
{
    struct process *caller = process_current();

    if (pid == 0 || pid == process_pid(caller))
        return space_region_list(own_space(), cursor, buffer, bytes);
    if (!(process_rights(caller) & RIGHT_MONITOR))
        return E_PERM;
    struct process *process = process_get(pid);
    if (process == NULL)
        return E_NOENT;
    s64 written = space_region_list(process_space(process), cursor, buffer, bytes);
    process_put(process);
    return written;
}

// ---- memory objects ------------------------------------------------------------------------------

// Gives the caller a capability for an FCM, and takes over the reference.
static s64 hand_out(struct fcm *fcm)
{
    struct capability capability = {.type = CAPABILITY_MEMORY, .object = fcm};

    if (fcm == NULL)
        return E_NOMEM;
    s64 cap = capability_add(own_capabilities(), &capability);
    if (cap < 0)
        fcm_put(fcm);
    return cap;
}

s64 sys_memory_new(const char *name, u64 bytes)
{
    if (bytes == 0 || bytes % PAGE_SIZE != 0 || bytes > USER_END)
        return E_INVAL;
    return hand_out(fcm_create_anonymous(name, bytes, true));
}

// Its server's own use of a file is not news to the server.
static bool is_served_by_caller(struct fcm *fcm)
{
    return fcm_is_file(fcm) && file_of(fcm)->server == process_pid(process_current());
}

s64 sys_memory_bytes(cap_t memory)
{
    struct capability capability;
    s64 error = capability_get(own_capabilities(), memory, CAPABILITY_MEMORY, &capability);

    if (error != 0)
        return error;
    struct fcm *fcm = capability.object;
    u64 bytes = fcm_bytes(fcm);
    if (is_served_by_caller(fcm))
        fcm_put_quietly(fcm);
    else
        fcm_put(fcm);
    return (s64)bytes;
}

s64 sys_initrd(void)
{
    u64 physical, bytes;

    if (!initrd_range(&physical, &bytes))
        return E_NOENT;
    return hand_out(fcm_create_physical("initrd", physical, bytes));
}

// ---- files ---------------------------------------------------------------------------------------

s64 sys_file_create(cap_t endpoint, u64 token, const char *name, u64 bytes)
{
    struct capability capability;

    if (bytes > USER_END)
        return E_INVAL;
    if (pager_start() != 0)
        return E_NOMEM;
    s64 error = capability_get(own_capabilities(), endpoint, CAPABILITY_ENDPOINT, &capability);
    if (error != 0)
        return error;
    struct fr *fr = fr_create(&capability, token);
    if (fr == NULL) {
        capability_release(&capability);
        return E_NOMEM;
    }
    struct file *file = file_create(name, bytes, process_pid(process_current()), fr);
    if (file == NULL)
        fr_destroy(fr);
    return hand_out(file != NULL ? &file->fcm : NULL);
}

// A file that the caller serves, with a reference to be given back by fcm_put_quietly.
static s64 served_file(cap_t cap, struct file **file)
{
    struct capability capability;
    s64 error = capability_get(own_capabilities(), cap, CAPABILITY_MEMORY, &capability);

    if (error != 0)
        return error;
    struct fcm *fcm = capability.object;
    *file = file_of(fcm);
    if (is_served_by_caller(fcm))
        return 0;
    capability_release(&capability);
    return fcm_is_file(fcm) ? E_PERM : E_INVAL;
}

s64 sys_file_supply(cap_t cap, u64 offset, const void *from, s64 status)
{
    struct file *file;

    if (offset % PAGE_SIZE != 0 || status > 0 || (status == 0 && from == NULL))
        return E_INVAL;
    s64 error = served_file(cap, &file);
    if (error != 0)
        return error;
    error = file_supply(file, offset / PAGE_SIZE, from, status);
    fcm_put_quietly(&file->fcm);
    return error;
}

s64 sys_file_take(cap_t cap, u64 offset, void *to)
{
    struct file *file;

    if (offset % PAGE_SIZE != 0 || offset >= USER_END)
        return E_INVAL;
    s64 error = served_file(cap, &file);
    if (error != 0)
        return error;
    error = file_take(file, offset / PAGE_SIZE, to);
    fcm_put_quietly(&file->fcm);
    return error;
}

s64 sys_file_resize(cap_t cap, u64 bytes, bool invalidate)
{
    struct file *file;

    if (bytes > USER_END)
        return E_INVAL;
    s64 error = served_file(cap, &file);
    if (error != 0)
        return error;
    file_resize(file, bytes, invalidate);
    fcm_put_quietly(&file->fcm);
    return 0;
}
