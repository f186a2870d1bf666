// SPDX-License-Identifier: MIT
// NetInterface over the Ethernet device, and the sys_net_ calls. It has one owner: the process that
// opened it, until that ends.
#include "net.h"

#include "lan.h"

#include <co/manager.h>
#include <kernel/process.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <string.h>

static struct lan_interface {
    struct co_root root;
    struct net_interface rep;
    struct spinlock lock;    // guards the next three
    struct process *process; // held
    u64 kick_bits;
    u32 kick_cpu;
    bool busy; // atomic: a call of the owner is under way; the device serves one at a time
    u8 mac[6];
} interface = {.lock = SPINLOCK_INIT("net", RANK_SERVICE)};

static coid_t interface_coid; // 0 until first open

// Interrupt context.
static void wake_owner(void *argument)
{
    (void)argument;
    spin_lock(&interface.lock);
    struct dispatcher *dispatcher = NULL;
    if (interface.process != NULL && interface.kick_bits != 0)
        dispatcher = process_dispatcher(interface.process, interface.kick_cpu);
    if (dispatcher != NULL)
        dispatcher_kick(dispatcher, interface.kick_bits);
    spin_unlock(&interface.lock);
}

static CO_METHOD s64 lan_interface_send(struct net_interface *self, u64 frame, u64 bytes)
{
    CO_HOME(self);
    return lan_send(frame, bytes);
}

static CO_METHOD s64 lan_interface_receive(struct net_interface *self,
                                           struct sys_net_frames *frames, u64 count)
{
    CO_HOME(self);
    u32 taken = 0;
    s64 bytes = 0;

    while (taken < count && (bytes = lan_receive(frames->addresses[taken])) > 0)
        frames->bytes[taken++] = (u32)bytes;
    return bytes < 0 && taken == 0 ? bytes : taken;
}

static CO_METHOD s64 lan_interface_arm(struct net_interface *self)
{
    CO_HOME(self);
    lan_arm();
    return 0;
}

static CO_METHOD s64 lan_interface_stat(struct net_interface *self, struct sys_net_stat *stat)
{
    CO_HOME(self);
    lan_stat(stat);
    return 0;
}

static coid_t owner_coid(void)
{
    spin_lock(&interface.lock);
    coid_t coid = interface.process != NULL ? process_coid(interface.process) : 0;
    spin_unlock(&interface.lock);
    return coid;
}

static CO_METHOD s64 lan_interface_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return owner_coid() != 0;
}

static CO_METHOD s64 lan_interface_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    coid_t coid = owner_coid();
    if (max == 0 || coid == 0)
        return 0;
    out[0] = coid;
    return 1;
}

static const struct net_interface_ops lan_interface_ops = {
    .base = {.get_num_children = lan_interface_num_children,
             .get_children = lan_interface_children},
    .send = lan_interface_send,
    .receive = lan_interface_receive,
    .arm = lan_interface_arm,
    .stat = lan_interface_stat,
};

static struct co_class lan_interface_class = {
    .name = "NetInterface",
    .implementation = "LanInterface",
    .size = sizeof(struct lan_interface),
    .ops = &lan_interface_ops.base,
};

// Makes the caller's process the owner, if there is none.
static s64 take_over(void)
{
    struct process *process = process_current();

    spin_lock(&interface.lock);
    bool free = interface.process == NULL;
    if (free) {
        process_hold(process);
        interface.process = process;
    }
    interface.kick_bits = 0;
    spin_unlock(&interface.lock);
    return free ? 0 : E_BUSY;
}

static void give_up(void)
{
    spin_lock(&interface.lock);
    struct process *process = interface.process;
    interface.process = NULL;
    spin_unlock(&interface.lock);
    if (process != NULL)
        process_put(process);
}

static void owner_ends(struct process *process)
{
    if (interface.process == process)
        give_up();
}
PROCESS_END_HOOK(owner_ends);

static s64 first_open(void)
{
    s64 error = lan_open(interface.mac, wake_owner, NULL);
    if (error != 0 && error != E_EXIST)
        return error;
    s64 coid = co_create_shared(&lan_interface_class, &interface.root, &interface.rep.co);
    if (coid < 0)
        return coid;
    interface_coid = (coid_t)coid;
    return co_add_service(interface_coid);
}

s64 sys_net_open(u8 mac[6])
{
    s64 error = take_over();
    if (error != 0)
        return error;
    error = interface_coid == 0 ? first_open() : 0;
    if (error != 0)
        give_up();
    else
        memcpy(mac, interface.mac, sizeof(interface.mac));
    return error;
}

// Begins a call of the owner's, one at a time.
static s64 enter(void)
{
    if (interface_coid == 0)
        return E_NOENT;
    if (process_current() != interface.process)
        return E_PERM;
    return __atomic_exchange_n(&interface.busy, true, __ATOMIC_ACQUIRE) ? E_BUSY : 0;
}

static s64 leave(s64 result)
{
    __atomic_store_n(&interface.busy, false, __ATOMIC_RELEASE);
    return result;
}

s64 sys_net_send(u64 frame, u64 bytes)
{
    s64 error = enter();
    if (error != 0)
        return error;
    return leave(CO_CALL(struct net_interface, interface_coid, send, frame, bytes));
}

s64 sys_net_receive(struct sys_net_frames *frames, u64 count)
{
    if (count == 0 || count > SYS_NET_BATCH)
        return E_INVAL;
    s64 error = enter();
    if (error != 0)
        return error;
    return leave(CO_CALL(struct net_interface, interface_coid, receive, frames, count));
}

s64 sys_net_kick(u64 bits)
{
    s64 error = enter();
    if (error != 0)
        return error;
    spin_lock(&interface.lock);
    interface.kick_bits = bits;
    interface.kick_cpu = cpu_id();
    spin_unlock(&interface.lock);
    if (bits != 0)
        error = CO_CALL(struct net_interface, interface_coid, arm);
    return leave(error);
}

s64 sys_net_stat(struct sys_net_stat *stat)
{
    if (interface_coid == 0)
        return E_NOENT;
    return CO_CALL(struct net_interface, interface_coid, stat, stat);
}
