// SPDX-License-Identifier: MIT
// The system calls of orrery/memory.h on regions and memory objects.
#include <kernel/capability.h>
#include <kernel/initrd.h>
#include <kernel/process.h>
#include <orrery/errors.h>
#include <orrery/user.h>
#include <syscalls/look_up.h>
#include <syscalls/objects.h>

#include "file.h"
#include "pm.h"
#include "space.h"

static struct address_space *own_space(void)
{
    return process_space(process_current());
}

static bool needs_memory(const struct sys_region *region)
{
    return region->kind == REGION_SHARED || region->kind == REGION_PRIVATE;
}

s64 call_region_create(struct process *process, struct sys_region *region)
{
    struct capability_table *table = process_capabilities(process_current());
    bool readable = false;
    s64 error = 0;
    HELD(memory)
    struct fcm *memory = needs_memory(region)
                             ? capability_get_readable(table, region->memory, &readable, &error)
                             : NULL;

    if (error != 0)
        return error;
    if (!memory_for_caller())
        return E_NOMEM;
    return space_region_create(process_space(process), region, memory, readable);
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
    HELD(process) struct process *process = process_get(pid);
    if (process == NULL)
        return E_NOENT;
    return space_region_list(process_space(process), cursor, buffer, bytes);
}

// ---- memory objects -----------------------------------------------------------------------------

s64 fcm_hand_out(struct fcm *fcm)
{
    if (fcm == NULL)
        return E_NOMEM;
    HELD(capability) struct capability capability = {.type = CAPABILITY_MEMORY, .object = fcm};
    return capability_add(process_capabilities(process_current()), &capability);
}

s64 sys_memory_new(const char *name, u64 bytes)
{
    if (bytes == 0 || bytes % PAGE_SIZE != 0 || bytes > USER_END)
        return E_INVAL;
    return fcm_hand_out(memory_for_caller() ? fcm_create_anonymous(name, bytes, true) : NULL);
}

s64 call_memory_bytes(struct fcm *memory)
{
    return (s64)fcm_bytes(memory);
}

// Anonymous memory in the caller's account.
static bool is_own(const struct fcm *memory)
{
    struct pm *pm = pm_of_caller();
    bool own = memory->pm == pm && fcm_is_anonymous(memory);

    pm_put(pm);
    return own;
}

s64 call_memory_seal(struct fcm *memory)
{
    if (!is_own(memory))
        return E_PERM;
    __atomic_store_n(&memory->read_only, true, __ATOMIC_RELEASE);
    return 0;
}

s64 call_memory_watch(struct fcm *memory, struct endpoint *endpoint, u64 token)
{
    if (!is_own(memory))
        return E_PERM;
    struct fr *fr = pager_start() == 0 ? fr_create(endpoint, token) : NULL;
    if (fr == NULL)
        return E_NOMEM;
    if (fcm_watch(memory, fr))
        return 0;
    fr_destroy(fr);
    return E_EXIST;
}

// The look-up's reference takes the place of the capability's.
s64 sys_memory_leave(cap_t memory)
{
    struct capability_table *table = process_capabilities(process_current());
    s64 error;
    struct fcm *fcm = capability_get_memory(table, memory, &error);

    if (fcm == NULL)
        return error;
    error = is_own(fcm) ? capability_remove(table, memory) : E_PERM;
    if (error == 0)
        return !fcm_leave(fcm);
    fcm_put_quietly(fcm);
    return error;
}

s64 call_memory_readable(struct fcm *memory)
{
    HELD(capability) struct capability capability = {.type = CAPABILITY_READABLE, .object = memory};

    fcm_hold(memory);
    return capability_add(process_capabilities(process_current()), &capability);
}

s64 sys_initrd(void)
{
    u64 physical, bytes;

    if (!initrd_range(&physical, &bytes))
        return E_NOENT;
    return fcm_hand_out(fcm_create_physical("initrd", physical, bytes));
}

// ---- files --------------------------------------------------------------------------------------

s64 call_file_create(struct endpoint *endpoint, u64 token, const char *name, u64 bytes)
{
    if (bytes > USER_END)
        return E_INVAL;
    if (!memory_for_caller() || pager_start() != 0)
        return E_NOMEM;
    struct fr *fr = fr_create(endpoint, token);
    if (fr == NULL)
        return E_NOMEM;
    struct file *file = file_create(name, bytes, process_pid(process_current()), fr);
    if (file == NULL) {
        fr_destroy(fr);
        return E_NOMEM;
    }
    return fcm_hand_out(&file->fcm);
}

s64 call_file_supply(struct file *file, u64 offset, const void *from, s64 status)
{
    if (offset % PAGE_SIZE != 0 || status > 0 || (status == 0 && from == NULL))
        return E_INVAL;
    return file_supply(file, offset / PAGE_SIZE, from, status);
}

s64 call_file_take(struct file *file, u64 offset, void *to)
{
    if (offset % PAGE_SIZE != 0 || offset >= USER_END)
        return E_INVAL;
    return file_take(file, offset / PAGE_SIZE, to);
}

s64 call_file_resize(struct file *file, u64 bytes, bool invalidate)
{
    if (bytes > USER_END)
        return E_INVAL;
    file_resize(file, bytes, invalidate);
    return 0;
}
