// SPDX-License-Identifier: MIT
// virtio-blk by its legacy interface. Registers are in I/O space, reached by hypercall, and little
// endian. The ring and the device's configuration have the guest's byte order. The device uses real
// addresses.
#include "virtio_block.h"

#include <kernel/firmware.h>
#include <kernel/hcall.h>
#include <kernel/memory.h>
#include <kernel/points.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/monitors.h>
#include <string.h>
#include <trace/events.h>

#define VENDOR 0x1af4
#define DEVICE 0x1001

// PCI configuration space.
#define PCI_COMMAND 0x04
#define PCI_COMMAND_IO 1
#define PCI_COMMAND_MASTER 4
#define PCI_BAR0 0x10
#define PCI_SPACE_MASK 0x03000000 // of a range's first cell
#define PCI_SPACE_IO 0x01000000
#define PORT 0x1000 // where we put the registers: nothing else is in I/O space

// Registers.
#define REG_HOST_FEATURES 0
#define REG_GUEST_FEATURES 4
#define REG_QUEUE_PAGE 8
#define REG_QUEUE_SIZE 12
#define REG_QUEUE_SELECT 14
#define REG_QUEUE_NOTIFY 16
#define REG_STATUS 18
#define REG_CAPACITY 20 // sectors, eight bytes

#define STATUS_ACKNOWLEDGE 1
#define STATUS_DRIVER 2
#define STATUS_RUNS 4
#define STATUS_FAILED 128

#define FEATURE_READ_ONLY (1u << 5)
#define FEATURE_FLUSH (1u << 9)

// The ring (virtio 0.9.5 §2.3).
#define QUEUE_MAX 1024
#define DESCRIPTOR_NEXT 1
#define DESCRIPTOR_WRITE 2 // by the device
#define AVAILABLE_NO_INTERRUPT 1

#define REQUEST_READ 0
#define REQUEST_WRITE 1
#define REQUEST_FLUSH 4

#define SPIN_US 50
#define PAUSE_US 100
#define PATIENCE_US 30000000

struct descriptor {
    u64 address;
    u32 bytes;
    u16 flags, next;
};

struct available {
    u16 flags, index;
    u16 ring[];
};

struct used {
    u16 flags, index;
};

// What the device reads and writes besides the data.
struct request {
    u32 type, reserved;
    u64 sector;
    u8 status; // 0: done
};

static struct {
    u64 registers; // real address
    u32 queue_size;
    struct descriptor *descriptors; // the ring's memory begins with them
    struct available *available;
    volatile struct used *used;
    struct request *request;
    u8 *data;
    bool can_flush, broken;
} disk;

// ---- registers ---------------------------------------------------------------------------------

static u64 register_load(u32 at, u32 bytes)
{
    u64 out[4] = {0};
    hcall(H_LOGICAL_CI_LOAD, (const u64[8]){bytes, disk.registers + at}, out);
    return out[0];
}

static void register_store(u32 at, u32 bytes, u64 value)
{
    HCALL(H_LOGICAL_CI_STORE, bytes, disk.registers + at, value);
}

static u32 load32(u32 at)
{
    return __builtin_bswap32((u32)register_load(at, 4));
}

static void store32(u32 at, u32 value)
{
    register_store(at, 4, __builtin_bswap32(value));
}

static u16 load16(u32 at)
{
    return __builtin_bswap16((u16)register_load(at, 2));
}

static void store16(u32 at, u16 value)
{
    register_store(at, 2, __builtin_bswap16(value));
}

static u64 read_capacity(void)
{
    u64 sectors = 0;
    for (u32 i = 0; i < 8; i++)
        sectors = sectors << 8 | (register_load(REG_CAPACITY + i, 1) & 0xff);
    return sectors;
}

// ---- finding it --------------------------------------------------------------------------------

static of_node find_bus(void)
{
    for (of_node node = of_child(of_find("/")); node != 0; node = of_peer(node)) {
        char type[16] = "";
        if (of_property(node, "device_type", type, sizeof(type) - 1) > 0 &&
            strcmp(type, "pci") == 0)
            return node;
    }
    return 0;
}

static of_node find_device(of_node bus)
{
    for (of_node node = of_child(bus); node != 0; node = of_peer(node)) {
        u32 vendor, device;
        if (of_property_u32(node, "vendor-id", &vendor) == 0 &&
            of_property_u32(node, "device-id", &device) == 0 && vendor == VENDOR &&
            device == DEVICE)
            return node;
    }
    return 0;
}

// Finds the bus's I/O space in real memory. ranges has seven cells an entry: bus address, ours,
// size.
static int find_io_space(of_node bus)
{
    u32 ranges[7 * 8];
    s64 bytes = of_property(bus, "ranges", ranges, sizeof(ranges));
    for (u32 i = 0; bytes > 0 && i < ARRAY_SIZE(ranges) && (i + 7) * 4 <= (u64)bytes; i += 7) {
        if ((ranges[i] & PCI_SPACE_MASK) != PCI_SPACE_IO)
            continue;
        u64 bus_address = (u64)ranges[i + 1] << 32 | ranges[i + 2];
        disk.registers = ((u64)ranges[i + 3] << 32 | ranges[i + 4]) - bus_address + PORT;
        return 0;
    }
    return E_IO;
}

static s64 config_write(u32 device, const u32 bus[2], u32 at, u32 bytes, u32 value)
{
    const u32 arguments[] = {device | at, bus[0], bus[1], bytes, value};
    return rtas_call("ibm,write-pci-config", 5, arguments, 0, NULL);
}

static int virtio_find(void)
{
    u32 number[2], address;
    of_node bus = find_bus();
    of_node node = bus == 0 ? 0 : find_device(bus);

    if (node == 0)
        return E_NOENT;
    if (of_property(bus, "reg", number, sizeof(number)) < (s64)sizeof(number) ||
        of_property_u32(node, "reg", &address) != 0 || find_io_space(bus) != 0)
        return E_IO;
    address &= 0xffff00; // bus, device, function
    if (config_write(address, number, PCI_BAR0, 4, PORT) != 0 ||
        config_write(address, number, PCI_COMMAND, 2, PCI_COMMAND_IO | PCI_COMMAND_MASTER) != 0)
        return E_IO;
    return 0;
}

// ---- starting it -------------------------------------------------------------------------------

static int make_queue(void)
{
    store16(REG_QUEUE_SELECT, 0);
    disk.queue_size = load16(REG_QUEUE_SIZE);
    if (disk.queue_size < 3 || disk.queue_size > QUEUE_MAX)
        return E_IO;
    u64 used_at = ALIGN_UP(disk.queue_size * sizeof(struct descriptor) + sizeof(struct available) +
                               (disk.queue_size + 1) * sizeof(u16),
                           PAGE_SIZE);
    u64 bytes = used_at + sizeof(struct used) + disk.queue_size * 8 + sizeof(u16);
    u8 *ring = pages_alloc_zeroed(pages_order(bytes));
    disk.request = pages_alloc_zeroed(0);
    disk.data = pages_alloc_zeroed(pages_order(BLOCK_TRANSFER_MAX));
    if (ring == NULL || disk.request == NULL || disk.data == NULL)
        return E_NOMEM; // at set-up: nobody could go on with what is left
    disk.descriptors = (struct descriptor *)ring;
    disk.available = (struct available *)(ring + disk.queue_size * sizeof(struct descriptor));
    disk.used = (struct used *)(ring + used_at);
    disk.available->flags = AVAILABLE_NO_INTERRUPT;
    store32(REG_QUEUE_PAGE, (u32)(virt_to_phys(ring) >> PAGE_SHIFT));
    return 0;
}

int virtio_block_start(struct sys_block_info *info)
{
    int error = virtio_find();
    if (error != 0)
        return error;
    register_store(REG_STATUS, 1, 0); // reset
    register_store(REG_STATUS, 1, STATUS_ACKNOWLEDGE | STATUS_DRIVER);
    u32 features = load32(REG_HOST_FEATURES);
    disk.can_flush = (features & FEATURE_FLUSH) != 0;
    store32(REG_GUEST_FEATURES, features & (FEATURE_FLUSH | FEATURE_READ_ONLY));
    error = make_queue();
    u32 status = error == 0 ? STATUS_RUNS : STATUS_FAILED;
    register_store(REG_STATUS, 1, STATUS_ACKNOWLEDGE | STATUS_DRIVER | status);
    *info = (struct sys_block_info){.bytes = read_capacity() * BLOCK_SECTOR,
                                    .read_only = (features & FEATURE_READ_ONLY) != 0};
    return error;
}

// ---- requests ----------------------------------------------------------------------------------

static void barrier(void)
{
    __asm__ volatile("sync" ::: "memory");
}

// Waits until the device has used as many requests as we made available. Returns the result of the
// last.
static s64 await(u16 index)
{
    u64 start = timebase();
    while (disk.used->index != index) {
        u64 waited = timebase() - start;
        if (waited > microseconds_to_ticks(PATIENCE_US))
            return E_TIMEOUT;
        if (waited > microseconds_to_ticks(SPIN_US))
            thread_sleep(microseconds_to_ticks(PAUSE_US));
        else
            __asm__ volatile("or 31,31,31");
    }
    barrier();
    return disk.request->status == 0 ? 0 : E_IO;
}

static u64 monitored_as(u32 type)
{
    return type == REQUEST_READ    ? 0
           : type == REQUEST_WRITE ? SYS_MONITOR_BLOCK_WRITE
                                   : SYS_MONITOR_BLOCK_FLUSH;
}

static s64 perform(u32 type, u64 offset, u64 bytes)
{
    u16 count = 0;

    if (disk.broken)
        return E_IO;
    *disk.request = (struct request){.type = type, .sector = offset / BLOCK_SECTOR, .status = 0xff};
    u64 request = virt_to_phys(disk.request);
    disk.descriptors[count++] = (struct descriptor){
        .address = request, .bytes = offsetof(struct request, status), .flags = DESCRIPTOR_NEXT};
    if (bytes > 0)
        disk.descriptors[count++] = (struct descriptor){
            .address = virt_to_phys(disk.data),
            .bytes = (u32)bytes,
            .flags = (u16)(DESCRIPTOR_NEXT | (type == REQUEST_READ ? DESCRIPTOR_WRITE : 0)),
        };
    disk.descriptors[count++] = (struct descriptor){
        .address = request + offsetof(struct request, status),
        .bytes = 1,
        .flags = DESCRIPTOR_WRITE,
    };
    for (u16 i = 0; i + 1 < count; i++)
        disk.descriptors[i].next = (u16)(i + 1);
    u16 index = disk.available->index;
    disk.available->ring[index % disk.queue_size] = 0; // every chain begins with descriptor 0
    barrier();
    trace_block_begin(type, offset, bytes);
    HAPPENS(block, monitored_as(type), bytes);
    *(volatile u16 *)&disk.available->index = ++index;
    barrier();
    store16(REG_QUEUE_NOTIFY, 0);
    s64 status = await(index);
    trace_block_end(type, status);
    HAPPENS(block, monitored_as(type) | SYS_MONITOR_BLOCK_ENDS, status == 0 ? bytes : (u64)status);
    disk.broken = status == E_TIMEOUT;
    return status;
}

s64 virtio_block_read(u64 offset, void *buffer, u64 bytes)
{
    s64 status = perform(REQUEST_READ, offset, bytes);
    if (status == 0)
        memcpy(buffer, disk.data, bytes);
    return status;
}

s64 virtio_block_write(u64 offset, const void *buffer, u64 bytes)
{
    if (disk.broken)
        return E_IO;
    memcpy(disk.data, buffer, bytes);
    return perform(REQUEST_WRITE, offset, bytes);
}

s64 virtio_block_flush(void)
{
    return disk.can_flush ? perform(REQUEST_FLUSH, 0, 0) : 0;
}
