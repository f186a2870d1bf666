// SPDX-License-Identifier: MIT
// Ethernet frames between lwIP and the device. The address is the one that QEMU's user network
// forwards to.
#include "ethernet.h"

#include "server.h"

#include <co/manager.h>
#include <lwip/etharp.h>
#include <lwip/netif.h>
#include <netif/ethernet.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/scheduler.h>

struct interface_rep;

struct interface_ops {
    struct co_ops base;
    s64 (*send)(struct interface_rep *self, struct pbuf *frame);
    s64 (*receive)(struct interface_rep *self); // frames; 0: nothing there; E_NOMEM: no room
};

struct interface_rep {
    CO_REP(struct interface_ops);
};

static struct {
    struct co_root root;
    struct interface_rep rep;
    struct netif netif;
    struct sys_net_frames frames;      // the payloads of the next, …
    struct pbuf *rooms[SYS_NET_BATCH]; // which wait for frames, …
    u32 room_count;                    // so many
    u64 kick;                          // bit of EVENT_KICK
    bool due;                          // atomic: frames may have come
    u32 (*count_children)(void);
    u32 (*list_children)(coid_t *out, u32 max);
} interface;

_Static_assert(PBUF_POOL_BUFSIZE >= SYS_NET_ROOM_BYTES, "a frame fits into one buffer");

// TX_SINGLE_PBUF keeps TCP's frames in one piece; only replies to fragmented pings may be longer
// chains.
static CO_METHOD s64 lwip_interface_send(struct interface_rep *self, struct pbuf *frame)
{
    CO_HOME(self);
    u8 joined[1536];
    const void *bytes = frame->payload;

    if (frame->len != frame->tot_len) {
        if (frame->tot_len > sizeof(joined))
            return E_INVAL;
        pbuf_copy_partial(frame, joined, frame->tot_len, 0);
        bytes = joined;
    }
    return sys_net_send((u64)bytes, frame->tot_len);
}

// Makes room for frames. When lwIP has no more buffers, they wait in the device until some are
// freed.
static void make_room(void)
{
    while (interface.room_count < SYS_NET_BATCH) {
        struct pbuf *room = pbuf_alloc(PBUF_RAW, PBUF_POOL_BUFSIZE, PBUF_POOL);
        if (room == NULL)
            return;
        interface.frames.addresses[interface.room_count] = (u64)room->payload;
        interface.rooms[interface.room_count++] = room;
    }
}

// Closes the gap: the first ones have been used.
static void close_up(u32 used)
{
    interface.room_count -= used;
    for (u32 i = 0; i < interface.room_count; i++) {
        interface.rooms[i] = interface.rooms[i + used];
        interface.frames.addresses[i] = interface.frames.addresses[i + used];
    }
}

// Frames come straight into buffers of lwIP's.
static CO_METHOD s64 lwip_interface_receive(struct interface_rep *self)
{
    CO_HOME(self);
    make_room();
    if (interface.room_count == 0)
        return E_NOMEM;
    s64 count = sys_net_receive(&interface.frames, interface.room_count);
    if (count <= 0)
        return 0;
    for (u32 i = 0; i < count; i++) {
        struct pbuf *frame = interface.rooms[i];
        pbuf_realloc(frame, (u16)interface.frames.bytes[i]);
        if (interface.netif.input(frame, &interface.netif) != ERR_OK)
            pbuf_free(frame);
    }
    close_up((u32)count);
    return count;
}

static CO_METHOD s64 lwip_interface_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return interface.count_children();
}

static CO_METHOD s64 lwip_interface_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return interface.list_children(out, max);
}

static const struct interface_ops lwip_interface_ops = {
    .base = {.get_num_children = lwip_interface_num_children,
             .get_children = lwip_interface_children},
    .send = lwip_interface_send,
    .receive = lwip_interface_receive,
};

static struct co_class lwip_interface_class = {
    .name = "NetInterface",
    .implementation = "LwipInterface",
    .size = sizeof(interface),
    .ops = &lwip_interface_ops.base,
};

static err_t transmit(struct netif *netif, struct pbuf *frame)
{
    (void)netif;
    s64 sent = CO_CALL(struct interface_rep, interface.root.coid, send, frame);
    return sent < 0 ? ERR_IF : ERR_OK;
}

static err_t set_up(struct netif *netif)
{
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->mtu = 1500;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_LINK_UP;
    netif->output = etharp_output;
    netif->linkoutput = transmit;
    return ERR_OK;
}

static s64 make_object(void)
{
    s64 coid = co_create_shared(&lwip_interface_class, &interface.root, &interface.rep.co);
    return coid < 0 ? coid : co_add_service((coid_t)coid);
}

// Disabled, in the thread that the event found.
static void frames_came(void)
{
    __atomic_store_n(&interface.due, true, __ATOMIC_RELEASE);
    server_wake();
}

s64 ethernet_start(u32 (*count_children)(void), u32 (*list_children)(coid_t *out, u32 max))
{
    ip4_addr_t address, mask, gateway;
    u8 mac[6];

    interface.count_children = count_children;
    interface.list_children = list_children;
    s64 bit = user_on_kick(frames_came);
    if (bit < 0)
        return bit;
    interface.kick = 1ul << bit;
    interface.due = true; // nobody has asked to be told yet
    s64 error = sys_net_open(mac);
    error = error ? error : make_object();
    if (error != 0)
        return error;
    IP4_ADDR(&address, 10, 0, 2, 15);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 2, 2);
    struct netif *netif = &interface.netif;
    if (netif_add(netif, &address, &mask, &gateway, NULL, set_up, ethernet_input) == NULL)
        return E_NOMEM;
    memcpy(netif->hwaddr, mac, sizeof(mac));
    netif->hwaddr_len = sizeof(mac);
    netif_set_default(netif);
    netif_set_up(netif);
    return 0;
}

bool ethernet_due(void)
{
    return __atomic_load_n(&interface.due, __ATOMIC_ACQUIRE);
}

// Receives at most limit frames. Returns 0 if none are left, or E_NOMEM if lwIP has no room for
// those that are.
static s64 receive_some(u32 limit)
{
    s64 taken = 1;

    for (u32 count = 0; count < limit && taken > 0; count += (u32)taken)
        taken = CO_CALL(struct interface_rep, interface.root.coid, receive);
    return taken;
}

// Frames that come before the device is asked to tell do not: so it is looked at once more.
bool ethernet_receive(u32 limit)
{
    if (!ethernet_due())
        return false;
    s64 left = receive_some(limit);
    if (left != 0)
        return left > 0;
    __atomic_store_n(&interface.due, false, __ATOMIC_RELEASE);
    sys_net_kick(interface.kick);
    left = receive_some(limit);
    if (left != 0)
        __atomic_store_n(&interface.due, true, __ATOMIC_RELEASE);
    return left > 0;
}
