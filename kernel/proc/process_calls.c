// SPDX-License-Identifier: MIT
// System calls on processes.
#include <kernel/address_space.h>
#include <kernel/capability.h>
#include <kernel/memory.h>
#include <orrery/errors.h>
#include <string.h>
#include <syscalls/objects.h>

#include "annex.h"
#include "dispatcher.h"
#include "process.h"

static bool acceptable(const struct sys_process_new *new)
{
    const struct process *self = process_current();
    u32 most = self->rights & RIGHT_SERVER       ? PROCESS_SERVER
               : self->priority > PROCESS_NORMAL ? self->priority
                                                 : PROCESS_NORMAL;

    return new->name[0] != '\0' && memchr(new->name, '\0', PROCESS_NAME_MAX) !=
                                       NULL &&new->priority >= PROCESS_LOW &&new->priority <= most;
}

s64 sys_process_create(const struct sys_process_new *new)
{
    struct process *creator = process_current();
    s64 result;

    if ((new->rights & ~process_rights(creator)) != 0)
        return E_PERM;
    if (!acceptable(new))
        return E_INVAL;
    if (!memory_for_caller())
        return E_NOMEM;
    struct sys_process_new limited = *new;
    u64 limit = space_limit(creator->space);
    if (limit != 0 && (limited.memory_limit == 0 || limited.memory_limit > limit))
        limited.memory_limit = limit;
    struct process *process = process_create(&limited, creator, &result);
    if (process == NULL)
        return result;
    HELD(capability)
    struct capability capability = {.type = CAPABILITY_PROCESS, .object = process};
    return capability_add(process_capabilities(creator), &capability);
}

s64 call_process_pid(struct process *process)
{
    return process->pid;
}

s64 call_process_write(struct process *process, u64 address, const void *from, u64 bytes)
{
    return space_write(process_space(process), address, from, bytes);
}

s64 call_process_grant(struct process *process, u32 slot, cap_t cap)
{
    s64 error;
    HELD(capability)
    struct capability capability =
        capability_get(process_capabilities(process_current()), cap, &error);

    return error != 0 ? error : capability_put_at(process->capabilities, slot, &capability);
}

s64 call_process_start(struct process *process, const struct sys_process_start *start)
{
    return process_start(process, start);
}

// The first process's end is the machine's: it is nobody's to kill.
static bool may_kill(const struct process *process)
{
    const struct process *self = process_current();

    if (process->pid == FIRST_PID)
        return process == self;
    return process == self || process->parent == self->pid || (self->rights & RIGHT_PROCESS) != 0;
}

s64 sys_process_kill(u32 pid, s32 status)
{
    HELD(process) struct process *process = process_get(pid);

    if (process == NULL || process_ending(process))
        return E_NOENT;
    if (!may_kill(process))
        return E_PERM;
    process_kill(process, status);
    return 0;
}

void sys_exit(s32 status)
{
    process_kill(process_current(), status);
    dispatcher_end();
}

s64 sys_process_list(u64 *cursor, void *buffer, u64 bytes)
{
    struct sys_process_info *out = buffer;
    u64 written = 0;
    struct process *process;

    if (bytes < sizeof(*out))
        return E_INVAL;
    while (bytes - written >= sizeof(*out) && (process = annex_next(cursor)) != NULL) {
        process_info(process, out++);
        process_put(process);
        written += sizeof(*out);
    }
    return (s64)written;
}

s64 sys_process_info(u32 pid, struct sys_process_info *info)
{
    HELD(process) struct process *process = process_get(pid != 0 ? pid : process_current()->pid);

    if (process == NULL)
        return E_NOENT;
    process_info(process, info);
    return 0;
}

s64 sys_process_rights(u32 pid)
{
    HELD(process) struct process *process = process_get(pid != 0 ? pid : process_current()->pid);

    if (process == NULL)
        return E_NOENT;
    return process->state == PROCESS_ENDING ? E_PEER : (s64)process->rights;
}

s64 sys_process_register(const struct sys_process_image *image)
{
    struct process *process = process_current();
    s64 result = 0;

    if (image->upcall_entry < USER_START || image->upcall_entry >= USER_END ||
        (image->upcall_entry & 3) != 0 || image->rseq_start > image->rseq32_start ||
        image->rseq32_start > image->rseq_end || image->rseq_end > USER_END ||
        image->text_start > image->text_end || image->text_end > USER_END ||
        image->unwind_map > USER_END || image->threads > USER_END)
        return E_INVAL;
    spin_lock(&process->lock);
    if (process->image.upcall_entry != 0)
        result = E_EXIST;
    else
        process->image = *image;
    spin_unlock(&process->lock);
    return result;
}
