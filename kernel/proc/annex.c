// SPDX-License-Identifier: MIT
// The ProcessAnnex, a service under the Kernel object: the table of processes. Each CPU has a
// representative of its own for look-ups by number; changes go through the root's lock.
#include "annex.h"

#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <orrery/errors.h>

#include "process.h"
#include "services.h"

struct annex;

struct annex_ops {
    struct co_ops base;
    s64 (*add)(struct annex *self, struct process *process);
    s64 (*remove)(struct annex *self, struct process *process);
    s64 (*find)(struct annex *self, u32 pid, struct process **found);
    s64 (*next)(struct annex *self, u64 *place, struct process **found);
    s64 (*next_child)(struct annex *self, u32 parent, u32 new_parent, struct process **found);
};

struct annex {
    CO_REP(struct annex_ops);
    u64 finds;
};

CO_CHECK_INTERFACE(struct annex_ops);

static struct annex annexes[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t annex;
static struct spinlock lock = SPINLOCK_INIT("process annex", RANK_SERVICE);
static struct process *slots[PROCESS_MAX]; // a process is at its pid modulo the size
static u64 taken[PROCESS_MAX / 64];        // a bit a slot: who looks at all passes the free ones
static u32 last_pid;
static u32 count;

// Returns the process with that number, or NULL if there is none. The caller holds the lock.
static struct process *in_table(u32 pid)
{
    struct process *process = slots[pid % PROCESS_MAX];

    return process != NULL && process->pid == pid ? process : NULL;
}

struct process *const *annex_table(void)
{
    return slots;
}

// Sets what is in a slot. The caller holds the lock.
static void set_slot(u32 slot, struct process *process)
{
    u64 bit = 1UL << slot % 64;

    slots[slot] = process;
    taken[slot / 64] = process != NULL ? taken[slot / 64] | bit : taken[slot / 64] & ~bit;
}

// Returns the first slot from this one on that is taken, or PROCESS_MAX. The caller holds the lock.
static u32 next_taken(u64 from)
{
    u64 mask = UINT64_MAX << from % 64;

    for (u64 word = from / 64; word < ARRAY_SIZE(taken); word++, mask = UINT64_MAX) {
        if ((taken[word] & mask) != 0)
            return (u32)(word * 64) + (u32)__builtin_ctzl(taken[word] & mask);
    }
    return PROCESS_MAX;
}

// Makes a process a child of `parent`, if that exists. The caller holds the lock.
static void join_parent(struct process *process, u32 parent)
{
    struct process *to = in_table(parent);

    process->parent = parent;
    if (to == NULL)
        return;
    process->next_child = to->first_child;
    process->child_link = &to->first_child;
    if (process->next_child != NULL)
        process->next_child->child_link = &process->next_child;
    to->first_child = process;
}

// Takes a process off its parent's children. The caller holds the lock.
static void leave_parent(struct process *process)
{
    if (process->child_link == NULL)
        return;
    *process->child_link = process->next_child;
    if (process->next_child != NULL)
        process->next_child->child_link = process->child_link;
    process->child_link = NULL;
}

static CO_METHOD s64 annex_rep_add(struct annex *self, struct process *process)
{
    CO_HOME(self);
    s64 result = E_LIMIT;

    spin_lock(&lock);
    if (count < (process->rights != 0 ? PROCESS_MAX : PROCESS_MAX - PROCESS_RESERVED)) {
        do
            last_pid++;
        while (last_pid == 0 || slots[last_pid % PROCESS_MAX] != NULL);
        process->pid = last_pid;
        set_slot(last_pid % PROCESS_MAX, process);
        join_parent(process, process->parent);
        count++;
        result = 0;
    }
    spin_unlock(&lock);
    return result;
}

static CO_METHOD s64 remove(struct annex *self, struct process *process)
{
    CO_HOME(self);
    spin_lock(&lock);
    set_slot(process->pid % PROCESS_MAX, NULL);
    leave_parent(process);
    while (process->first_child != NULL) // made while it ended
        leave_parent(process->first_child);
    count--;
    spin_unlock(&lock);
    return 0;
}

// Puts a process of the table, with a reference, into *found. The caller holds the lock.
static void give(struct process *process, struct process **found)
{
    process_hold(process);
    *found = process;
}

static CO_METHOD s64 annex_find(struct annex *self, u32 pid, struct process **found)
{
    CO_HOME(self);
    self->finds++;
    spin_lock(&lock);
    struct process *process = in_table(pid);
    if (process != NULL)
        give(process, found);
    spin_unlock(&lock);
    return 0;
}

static CO_METHOD s64 next(struct annex *self, u64 *place, struct process **found)
{
    CO_HOME(self);
    spin_lock(&lock);
    u32 slot = next_taken(*place);
    if (slot < PROCESS_MAX)
        give(slots[slot], found);
    *place = (u64)slot + 1;
    spin_unlock(&lock);
    return 0;
}

static CO_METHOD s64 next_child(struct annex *self, u32 parent, u32 new_parent,
                                struct process **found)
{
    CO_HOME(self);
    spin_lock(&lock);
    const struct process *old = in_table(parent);
    struct process *child = old != NULL ? old->first_child : NULL;
    if (child != NULL) {
        leave_parent(child);
        join_parent(child, new_parent);
        give(child, found);
    }
    spin_unlock(&lock);
    return 0;
}

static CO_METHOD s64 annex_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return count;
}

static CO_METHOD s64 annex_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    u32 written = 0;

    spin_lock(&lock);
    for (u32 slot = next_taken(0); slot < PROCESS_MAX && written < max;
         slot = next_taken((u64)slot + 1))
        out[written++] = slots[slot]->root.coid;
    spin_unlock(&lock);
    return written;
}

static const struct annex_ops ops = {{annex_get_num_children, annex_get_children},
                                     annex_rep_add,
                                     remove,
                                     annex_find,
                                     next,
                                     next_child};
static struct co_class class = {
    .name = "ProcessAnnex",
    .implementation = "ProcessTable",
    .size = sizeof(root) + sizeof(annexes[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = annexes,
    .static_rep_size = sizeof(annexes[0]),
};

void annex_init(void)
{
    annex = service_create(&class, &root, NULL);
}

s64 annex_add(struct process *process)
{
    return CO_CALL(struct annex, annex, add, process);
}

void annex_remove(struct process *process)
{
    CO_CALL(struct annex, annex, remove, process);
}

struct process *process_get(u32 pid)
{
    struct process *found = NULL;

    CO_CALL(struct annex, annex, find, pid, &found);
    return found;
}

struct process *annex_next(u64 *place)
{
    struct process *found = NULL;

    CO_CALL(struct annex, annex, next, place, &found);
    return found;
}

struct process *annex_next_child(u32 parent, u32 new_parent)
{
    struct process *found = NULL;

    CO_CALL(struct annex, annex, next_child, parent, new_parent, &found);
    return found;
}
