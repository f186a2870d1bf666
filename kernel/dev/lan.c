// SPDX-License-Identifier: MIT
// spapr-vlan by hypercall. Receive buffers are given to the device one by one, and come back
// through a ring in memory; sending copies at once. The device reaches all of it by DMA through
// TCEs. What it does not do by itself: docs/design/platform.md.
#include "lan.h"

#include <kernel/address_space.h>
#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>
#include <string.h>
#include <trace/events.h>

#include "dma.h"

#define RX_BUFFERS 1024
#define RX_BUFFER_SIZE 2048
#define RX_HANDLE_SIZE 8  // the device puts the frame behind our handle
#define RING_ENTRIES 2048 // more than buffers: the device does not check for overflow
#define RING_BYTES (RING_ENTRIES * sizeof(struct ring_entry))

#define DESCRIPTOR_VALID 0x8000000000000000
#define ENTRY_TOGGLE 0x80
#define ENTRY_VALID 0x40

struct ring_entry {
    u8 control;
    u8 reserved;
    u16 offset; // of the frame in its buffer
    u32 length;
    u64 handle;
};
_Static_assert(sizeof(struct ring_entry) == 16, "the device's layout");

static struct lan {
    u32 unit, irq;
    struct dma_window window;
    u8 *pages[2]; // the device's buffer list and multicast filter
    u8 *buffers;
    u64 buffers_ioba;
    struct ring_entry *ring;
    u8 *sending;
    u64 sending_ioba;
    u32 next;  // ring entry to look at
    u8 toggle; // what its toggle bit is once it is filled
    bool open;
    void (*arrived)(void *);
    void *argument;
    struct sys_net_stat stat;
} lan;

static u64 descriptor(u64 ioba, u64 bytes)
{
    return DESCRIPTOR_VALID | bytes << 32 | ioba;
}

static void lan_interrupt(void *argument)
{
    struct lan *device = argument;

    HCALL(H_VIO_SIGNAL, device->unit, 0);
    device->stat.interrupts++;
    device->arrived(device->argument);
}

static of_node lan_find(void)
{
    for (of_node node = of_child(of_find("/vdevice")); node != 0; node = of_peer(node)) {
        char type[32] = "";
        if (of_property(node, "compatible", type, sizeof(type) - 1) > 0 &&
            strcmp(type, "IBM,l-lan") == 0)
            return node;
    }
    return 0;
}

// Gets the address: six bytes, or eight with the address last.
static int lan_address(of_node node, u8 mac[6])
{
    u8 bytes[8];
    s64 length = of_property(node, "local-mac-address", bytes, sizeof(bytes));
    if (length != 6 && length != 8)
        return E_IO;
    memcpy(mac, bytes + length - 6, 6);
    return 0;
}

static int lan_describe(u8 mac[6])
{
    of_node node = lan_find();
    u32 window[5];

    if (node == 0)
        return E_NOENT;
    if (of_property_u32(node, "reg", &lan.unit) != 0 ||
        of_property_u32(node, "interrupts", &lan.irq) != 0 ||
        of_property(node, "ibm,my-dma-window", window, sizeof(window)) != sizeof(window))
        return E_IO;
    // The window's offset and size are two cells each; this device's are below 4 GB.
    lan.window =
        (struct dma_window){.liobn = window[0], .next = window[2], .end = window[2] + window[4]};
    return lan_address(node, mac);
}

static void lan_free_memory(void)
{
    for (u32 i = 0; i < ARRAY_SIZE(lan.pages); i++)
        if (lan.pages[i] != NULL)
            pages_free(lan.pages[i], 0);
    if (lan.buffers != NULL)
        pages_free(lan.buffers, pages_order(RX_BUFFERS * RX_BUFFER_SIZE));
    if (lan.ring != NULL)
        pages_free(lan.ring, pages_order(RING_BYTES));
    if (lan.sending != NULL)
        pages_free(lan.sending, 0);
    memset(&lan, 0, sizeof(lan));
}

static int lan_alloc_memory(void)
{
    lan.pages[0] = pages_alloc_zeroed(0);
    lan.pages[1] = pages_alloc_zeroed(0);
    lan.buffers = pages_alloc_zeroed(pages_order(RX_BUFFERS * RX_BUFFER_SIZE));
    lan.ring = pages_alloc_zeroed(pages_order(RING_BYTES));
    lan.sending = pages_alloc_zeroed(0);
    bool all = lan.pages[0] && lan.pages[1] && lan.buffers && lan.ring && lan.sending;
    return all ? 0 : E_NOMEM;
}

static int lan_post(u64 handle)
{
    u64 at = handle * RX_BUFFER_SIZE;

    memcpy(lan.buffers + at, &handle, sizeof(handle));
    s64 status = HCALL(H_ADD_LOGICAL_LAN_BUFFER, lan.unit,
                       descriptor(lan.buffers_ioba + at, RX_BUFFER_SIZE));
    return status == H_SUCCESS ? 0 : E_IO;
}

// Maps everything and tells the device where its memory is.
static int lan_attach(const u8 mac[6])
{
    u64 list, filter, ring, address = 0;

    int error = dma_map(&lan.window, lan.pages[0], PAGE_SIZE, &list);
    error = error ? error : dma_map(&lan.window, lan.pages[1], PAGE_SIZE, &filter);
    error = error ? error : dma_map(&lan.window, lan.ring, RING_BYTES, &ring);
    error = error ? error : dma_map(&lan.window, lan.sending, PAGE_SIZE, &lan.sending_ioba);
    error = error
                ? error
                : dma_map(&lan.window, lan.buffers, RX_BUFFERS * RX_BUFFER_SIZE, &lan.buffers_ioba);
    if (error != 0)
        return error;
    for (u32 i = 0; i < 6; i++)
        address = address << 8 | mac[i];
    lan.toggle = ENTRY_TOGGLE;
    if (HCALL(H_REGISTER_LOGICAL_LAN, lan.unit, list, descriptor(ring, RING_BYTES), filter,
              address) != H_SUCCESS)
        return E_IO;
    for (u32 i = 0; i < RX_BUFFERS && error == 0; i++)
        error = lan_post(i);
    error = error ? error : irq_register(lan.irq, cpu_id(), lan_interrupt, &lan);
    if (error != 0)
        HCALL(H_FREE_LOGICAL_LAN, lan.unit);
    return error;
}

int lan_open(u8 mac[6], void (*arrived)(void *), void *argument)
{
    if (lan.open)
        return E_EXIST;
    int error = lan_describe(mac);
    if (error != 0)
        return error;
    error = lan_alloc_memory();
    lan.arrived = arrived;
    lan.argument = argument;
    error = error ? error : lan_attach(mac);
    if (error != 0)
        lan_free_memory();
    lan.open = error == 0;
    return error;
}

s64 lan_send(u64 frame, u64 bytes)
{
    if (bytes < LAN_FRAME_MIN || bytes > LAN_FRAME_MAX)
        return E_INVAL;
    s64 error = copy_from_user(lan.sending, frame, bytes);
    if (error != 0)
        return error;
    if (HCALL(H_SEND_LOGICAL_LAN, lan.unit, descriptor(lan.sending_ioba, bytes)) != H_SUCCESS) {
        lan.stat.send_errors++;
        return E_IO;
    }
    lan.stat.sent_frames++;
    lan.stat.sent_bytes += bytes;
    trace_net_send(bytes);
    return (s64)bytes;
}

static void lan_drop(enum lan_drop reason)
{
    lan.stat.receive_dropped++;
    trace_net_drop(reason);
}

// Takes the next filled entry off the ring. Returns false if there is none.
static bool lan_next(struct ring_entry *entry)
{
    volatile struct ring_entry *from = &lan.ring[lan.next];

    if ((from->control & ENTRY_TOGGLE) != lan.toggle)
        return false;
    __asm__ volatile("lwsync" ::: "memory"); // the device writes the control byte last
    entry->control = from->control;
    entry->offset = from->offset;
    entry->length = from->length;
    entry->handle = from->handle;
    if (++lan.next == RING_ENTRIES) {
        lan.next = 0;
        lan.toggle ^= ENTRY_TOGGLE;
    }
    return true;
}

// Copies a frame out. Returns its length, 0 if it had to be dropped, or E_FAULT.
static s64 lan_take(const struct ring_entry *entry, u64 to)
{
    bool inside = (u64)entry->offset + entry->length <= RX_BUFFER_SIZE;

    if ((entry->control & ENTRY_VALID) == 0 || !inside || entry->offset < RX_HANDLE_SIZE) {
        lan_drop(LAN_DROP_MALFORMED);
        return 0;
    }
    if (entry->length > SYS_NET_ROOM_BYTES) {
        lan_drop(LAN_DROP_TOO_LONG);
        return 0;
    }
    const u8 *frame = lan.buffers + entry->handle * RX_BUFFER_SIZE + entry->offset;
    if (copy_to_user(to, frame, entry->length) != 0) {
        lan_drop(LAN_DROP_FAULT);
        return E_FAULT;
    }
    lan.stat.received_frames++;
    lan.stat.received_bytes += entry->length;
    trace_net_receive(entry->length);
    return entry->length;
}

s64 lan_receive(u64 to)
{
    struct ring_entry entry;

    while (lan_next(&entry)) {
        if (entry.handle >= RX_BUFFERS) {
            lan_drop(LAN_DROP_MALFORMED);
            continue;
        }
        s64 length = lan_take(&entry, to);
        if (lan_post(entry.handle) != 0)
            lan_drop(LAN_DROP_NO_BUFFER);
        if (length != 0)
            return length;
    }
    return 0;
}

void lan_arm(void)
{
    HCALL(H_VIO_SIGNAL, lan.unit, 1);
}

void lan_stat(struct sys_net_stat *stat)
{
    *stat = lan.stat;
}
