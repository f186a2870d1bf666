// SPDX-License-Identifier: MIT
// Processes that this one has started, until somebody has been told of their end.
#include "blocked_threads.h"
#include "process.h"

#include <user/thread.h>

struct child {
    struct child *next;
    u32 pid;
    s32 status;
    bool ended;
};

static struct user_spin lock;
static struct child *children;
static u64 endings; // how many have ended: what waiters wait on
static void (*on_child)(u32 pid, s32 status);
static bool told; // the thread that calls on_child exists

static struct child **find(u32 pid)
{
    struct child **link = &children;
    while (*link && (*link)->pid != pid)
        link = &(*link)->next;
    return link;
}

s64 children_add(u32 pid)
{
    struct child *child = user_alloc(sizeof *child);
    if (!child)
        return E_NOMEM;
    child->pid = pid;
    u32 before = user_disable();
    user_spin_lock(&lock);
    child->next = children;
    children = child;
    user_spin_unlock(&lock);
    user_enable(before);
    return 0;
}

static struct child *unlink_child(struct child **link)
{
    struct child *child = *link;
    if (child)
        *link = child->next;
    return child;
}

void children_remove(u32 pid)
{
    u32 before = user_disable();
    user_spin_lock(&lock);
    struct child *child = unlink_child(find(pid));
    user_spin_unlock(&lock);
    user_enable(before);
    if (child)
        user_free(child, sizeof *child);
}

// EVENT_CHILD.
static void child_ended(const struct event *event)
{
    user_spin_lock(&lock);
    struct child *child = *find((u32)event->id);
    if (child) {
        child->ended = true;
        child->status = (s32)event->badge;
        __atomic_fetch_add(&endings, 1, __ATOMIC_RELEASE);
    }
    user_spin_unlock(&lock);
    blocked_threads_wake(&endings, UINT64_MAX);
}

static s64 begin(void)
{
    return user_on_event(EVENT_CHILD, child_ended);
}
USER_INIT(3, begin);

// Takes an ended child with this pid (0: any) out of the list. Returns 0, E_AGAIN (none has ended)
// or E_NOENT.
static s64 take(u32 pid, struct child **taken)
{
    struct child **link = &children;
    s64 result = E_NOENT;
    while (*link) {
        if (!pid || (*link)->pid == pid) {
            result = E_AGAIN;
            if ((*link)->ended)
                break;
        }
        link = &(*link)->next;
    }
    *taken = unlink_child(link);
    return *taken ? 0 : result;
}

static s64 wait_for(u32 pid, s32 *status, u64 deadline, bool even_if_none)
{
    for (;;) {
        struct child *child;
        u64 seen = __atomic_load_n(&endings, __ATOMIC_ACQUIRE);
        u32 before = user_disable();
        user_spin_lock(&lock);
        s64 result = take(pid, &child);
        user_spin_unlock(&lock);
        user_enable(before);
        if (result == 0) {
            u32 ended = child->pid;
            if (status)
                *status = child->status;
            user_free(child, sizeof *child);
            return ended;
        }
        if (result == E_NOENT && !even_if_none)
            return E_NOENT;
        if (blocked_threads_wait(&endings, seen, deadline) == E_TIMEOUT)
            return E_TIMEOUT;
    }
}

s64 process_wait(u32 pid, s32 *status, u64 deadline)
{
    return wait_for(pid, status, deadline, false);
}

static s64 tell(void *argument)
{
    (void)argument;
    for (;;) {
        s32 status;
        s64 pid = wait_for(0, &status, THREAD_FOREVER, true);
        void (*function)(u32, s32) = __atomic_load_n(&on_child, __ATOMIC_ACQUIRE);
        if (function)
            function((u32)pid, status);
    }
    return 0;
}

s64 process_on_child(void (*function)(u32 pid, s32 status))
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    attributes.name = "children";
    attributes.priority = THREAD_PRIORITY_LIBRARY;
    attributes.detached = true;
    __atomic_store_n(&on_child, function, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&told, true, __ATOMIC_ACQ_REL))
        return 0;
    return thread_create(NULL, &attributes, tell, NULL);
}
