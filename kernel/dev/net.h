// SPDX-License-Identifier: MIT
// NetInterface: the network device as a clustered object.
#ifndef KERNEL_DEV_NET_H
#define KERNEL_DEV_NET_H

#include <co/object.h>
#include <orrery/sys.h>

struct net_interface;
struct process;

// Each does what the sys_net_ call of its name does. send, receive and arm: one at a time, by the
// owner.
struct net_interface_ops {
    struct co_ops base;
    s64 (*send)(struct net_interface *self, u64 frame, u64 bytes);
    s64 (*receive)(struct net_interface *self, struct sys_net_frames *frames, u64 count);
    s64 (*arm)(struct net_interface *self); // the next frame interrupts
    s64 (*stat)(struct net_interface *self, struct sys_net_stat *stat);
};

struct net_interface {
    CO_REP(struct net_interface_ops);
};

#endif
