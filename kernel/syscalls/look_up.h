// SPDX-License-Identifier: MIT
// Looks up what the capabilities of a system call name, for the generated code around calls
// (syscalls.def). Each returns the object with a reference, to be given back by HELD, or NULL and
// *error. E_NOENT: there is nothing; E_INVAL: it is something else; or an error that is named.
// Thread context of the calling process, no lock held.
#ifndef KERNEL_SYSCALLS_LOOK_UP_H
#define KERNEL_SYSCALLS_LOOK_UP_H

#include <kernel/address_space.h>
#include <kernel/capability.h>
#include <kernel/process.h>

static inline struct process *look_up_process(cap_t cap, s64 *error)
{
    return capability_get_process(process_capabilities(process_current()), cap, error);
}

// Returns the caller itself, where another could be named; never NULL.
static inline struct process *look_up_caller(void)
{
    process_hold(process_current());
    return process_current();
}

// Returns a process that has not been started, and will not be before it is given back. E_BUSY: it
// has been.
struct process *look_up_loading(cap_t cap, s64 *error);
static inline void loading_put_held(struct process **process)
{
    if (*process != NULL) {
        process_end_loading(*process);
        process_put(*process);
    }
}

static inline struct fcm *look_up_memory(cap_t cap, s64 *error)
{
    return capability_get_memory(process_capabilities(process_current()), cap, error);
}
static inline void memory_put_held(struct fcm **memory)
{
    if (*memory != NULL)
        fcm_put_quietly(*memory);
}

// Also returns memory that the capability gives for reading alone.
static inline struct fcm *look_up_readable(cap_t cap, s64 *error)
{
    bool readable;
    return capability_get_readable(process_capabilities(process_current()), cap, &readable, error);
}
static inline void readable_put_held(struct fcm **memory)
{
    memory_put_held(memory);
}

// Returns a file that the caller serves. E_PERM: another does.
struct file *look_up_served(cap_t cap, s64 *error);
static inline void served_put_held(struct file **file)
{
    if (*file != NULL)
        file_put_served(*file);
}

// Returns an endpoint that the caller serves. E_PERM: another does, or nobody any more.
struct endpoint *look_up_own(cap_t cap, s64 *error);
static inline void own_put_held(struct endpoint **endpoint)
{
    endpoint_put_held(endpoint);
}

static inline struct monitor *look_up_monitor(cap_t cap, s64 *error)
{
    return capability_get_monitor(process_capabilities(process_current()), cap, error);
}

#endif
