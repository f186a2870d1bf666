// SPDX-License-Identifier: MIT
// NetInterface over the Ethernet device, and the sys_net_ calls. One thread owns it: the one that
// opened it; its interrupts come to that thread's CPU.
#include "net.h"

#include "lan.h"

#include <co/manager.h>
#include <kernel/thread.h>

static struct lan_interface {
    struct co_root root;
    struct net_interface rep;
    struct thread *owner;
} interface;

static coid_t interface_coid; // 0 until open

static void wake_owner(void *argument)
{
    struct lan_interface *owned = argument;
    thread_unpark(owned->owner);
}

static CO_METHOD s64 lan_interface_send(struct net_interface *self, const void *frame, u64 bytes)
{
    CO_HOME(self);
    return lan_send(frame, bytes);
}

static CO_METHOD s64 lan_interface_receive(struct net_interface *self, void *buffer, u64 bytes)
{
    CO_HOME(self);
    return lan_receive(buffer, bytes);
}

static CO_METHOD s64 lan_interface_notify(struct net_interface *self)
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

static CO_METHOD s64 lan_interface_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return interface.owner != NULL;
}

static CO_METHOD s64 lan_interface_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    if (max == 0 || interface.owner == NULL)
        return 0;
    out[0] = thread_coid(interface.owner);
    return 1;
}

static const struct net_interface_ops lan_interface_ops = {
    .base = {.get_num_children = lan_interface_num_children,
             .get_children = lan_interface_children},
    .send = lan_interface_send,
    .receive = lan_interface_receive,
    .notify = lan_interface_notify,
    .stat = lan_interface_stat,
};

static struct co_class lan_interface_class = {
    .name = "NetInterface",
    .implementation = "LanInterface",
    .size = sizeof(struct lan_interface),
    .ops = &lan_interface_ops.base,
};

s64 sys_net_open(u8 mac[6])
{
    if (interface_coid != 0)
        return E_BUSY;
    interface.owner = thread_current();
    s64 error = lan_open(mac, wake_owner, &interface);
    if (error != 0)
        return error;
    s64 coid = co_create_shared(&lan_interface_class, &interface.root, &interface.rep.co);
    if (coid < 0)
        return coid;
    interface_coid = (coid_t)coid;
    return co_add_service(interface_coid);
}

static s64 check_owner(void)
{
    if (interface_coid == 0)
        return E_NOENT;
    return thread_current() == interface.owner ? 0 : E_PERM;
}

s64 sys_net_send(const void *frame, u64 bytes)
{
    s64 error = check_owner();
    return error ? error : CO_CALL(struct net_interface, interface_coid, send, frame, bytes);
}

s64 sys_net_receive(void *buffer, u64 bytes)
{
    s64 error = check_owner();
    return error ? error : CO_CALL(struct net_interface, interface_coid, receive, buffer, bytes);
}

s64 sys_net_notify(void)
{
    s64 error = check_owner();
    return error ? error : CO_CALL(struct net_interface, interface_coid, notify);
}

s64 sys_net_stat(struct sys_net_stat *stat)
{
    if (interface_coid == 0)
        return E_NOENT;
    return CO_CALL(struct net_interface, interface_coid, stat, stat);
}
