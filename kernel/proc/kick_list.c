// SPDX-License-Identifier: MIT
// Processes that are told of something by an EVENT_KICK.
#include <kernel/kick_list.h>

#include <kernel/percpu.h>
#include <kernel/process.h>
#include <orrery/errors.h>

// Returns the entry of a process, or a free one for NULL. Returns NULL if there is none. The caller
// holds the lock.
static struct kick_listener *kick_list_find(struct kick_list *list, const struct process *process)
{
    for (u32 i = 0; i < KICK_LIST_PROCESSES; i++) {
        if (list->all[i].process == process)
            return &list->all[i];
    }
    return NULL;
}

s64 kick_list_ask(struct kick_list *list, u64 bits)
{
    struct process *process = process_current();

    if (process == NULL)
        return E_NOTSUP;
    spin_lock(&list->lock);
    struct kick_listener *listener = kick_list_find(list, process);
    if (listener == NULL && (listener = kick_list_find(list, NULL)) != NULL) {
        process_hold(process);
        listener->process = process;
    }
    if (listener != NULL) {
        listener->cpu = cpu_id();
        listener->bits = bits;
    }
    spin_unlock(&list->lock);
    return listener != NULL ? 0 : E_LIMIT;
}

// Kicks a process that has not been told yet. The caller holds the lock.
static void kick_list_tell_one(struct kick_listener *listener)
{
    struct dispatcher *dispatcher = process_dispatcher(listener->process, listener->cpu);
    u64 bits = listener->bits;

    listener->bits = 0;
    if (bits != 0 && dispatcher != NULL)
        dispatcher_kick(dispatcher, bits);
}

void kick_list_tell(struct kick_list *list)
{
    spin_lock(&list->lock);
    for (u32 i = 0; i < KICK_LIST_PROCESSES; i++) {
        if (list->all[i].process != NULL)
            kick_list_tell_one(&list->all[i]);
    }
    spin_unlock(&list->lock);
}

void kick_list_remove(struct kick_list *list, const struct process *process)
{
    struct process *held = NULL;

    spin_lock(&list->lock);
    struct kick_listener *own = kick_list_find(list, process);
    if (own != NULL) {
        held = own->process;
        *own = (struct kick_listener){0};
    }
    spin_unlock(&list->lock);
    if (held != NULL)
        process_put(held);
}
