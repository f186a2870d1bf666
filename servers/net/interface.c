// SPDX-License-Identifier: MIT
// Ethernet frames between lwIP and the device. The address is the one that QEMU's user network
// forwards to.
#include "interface.h"

#include <lwip/etharp.h>
#include <lwip/netif.h>
#include <netif/ethernet.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>

static struct netif interface;

// TX_SINGLE_PBUF keeps TCP's frames in one piece; only replies to fragmented pings may be longer
// chains.
static err_t transmit(struct netif *netif, struct pbuf *frame)
{
    u8 joined[1536];
    const void *bytes = frame->payload;

    (void)netif;
    if (frame->len != frame->tot_len) {
        if (frame->tot_len > sizeof(joined))
            return ERR_BUF;
        pbuf_copy_partial(frame, joined, frame->tot_len, 0);
        bytes = joined;
    }
    return sys_net_send(bytes, frame->tot_len) < 0 ? ERR_IF : ERR_OK;
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

s64 interface_start(void)
{
    ip4_addr_t address, mask, gateway;

    s64 error = sys_net_open(interface.hwaddr);
    if (error != 0)
        return error;
    u8 hardware[6];
    memcpy(hardware, interface.hwaddr, sizeof(hardware));
    IP4_ADDR(&address, 10, 0, 2, 15);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 2, 2);
    if (netif_add(&interface, &address, &mask, &gateway, NULL, set_up, ethernet_input) == NULL)
        return E_NOMEM;
    memcpy(interface.hwaddr, hardware, sizeof(hardware));
    interface.hwaddr_len = sizeof(hardware);
    netif_set_default(&interface);
    netif_set_up(&interface);
    return 0;
}

// One frame, straight into a buffer of lwIP's.
static bool receive_one(void)
{
    struct pbuf *frame = pbuf_alloc(PBUF_RAW, PBUF_POOL_BUFSIZE, PBUF_POOL);
    if (frame == NULL)
        return false; // it waits in the device until buffers are freed
    s64 length = sys_net_receive(frame->payload, PBUF_POOL_BUFSIZE);
    if (length <= 0) {
        pbuf_free(frame);
        return false;
    }
    pbuf_realloc(frame, (u16)length);
    if (interface.input(frame, &interface) != ERR_OK)
        pbuf_free(frame);
    return true;
}

u32 interface_receive(u32 limit)
{
    u32 count = 0;
    while (count < limit && receive_one())
        count++;
    return count;
}
