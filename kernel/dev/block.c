// SPDX-License-Identifier: MIT
// BlockDevice over the disk, and the sys_block_ calls.
#include "block.h"

#include "virtio_block.h"

#include <co/manager.h>
#include <kernel/console.h>
#include <kernel/startup.h>
#include <kernel/wait.h>

static struct virtio_device {
    struct co_root root;
    struct block_device rep;
    struct sys_block_info info;
    struct mutex mutex; // one call at a time
} device = {.mutex = MUTEX_INIT("block device", MUTEX_DEVICE)};

static coid_t device_coid; // 0: the machine has none

static CO_METHOD s64 virtio_device_read(struct block_device *self, u64 offset, void *buffer,
                                        u64 bytes)
{
    CO_HOME(self);
    return virtio_block_read(offset, buffer, bytes);
}

static CO_METHOD s64 virtio_device_write(struct block_device *self, u64 offset, const void *buffer,
                                         u64 bytes)
{
    CO_HOME(self);
    return virtio_block_write(offset, buffer, bytes);
}

static CO_METHOD s64 virtio_device_flush(struct block_device *self)
{
    CO_HOME(self);
    return virtio_block_flush();
}

static const struct block_device_ops virtio_device_ops = {
    .base = CO_LEAF,
    .read = virtio_device_read,
    .write = virtio_device_write,
    .flush = virtio_device_flush,
};

static struct co_class virtio_device_class = {
    .name = "BlockDevice",
    .implementation = "BlockDeviceVirtio",
    .size = sizeof(struct virtio_device),
    .ops = &virtio_device_ops.base,
};

void block_init(void)
{
    s64 status = virtio_block_start(&device.info);
    if (status == E_NOENT)
        return;
    if (status == 0)
        status = co_create_shared(&virtio_device_class, &device.root, &device.rep.co);
    if (status > 0) {
        device_coid = (coid_t)status;
        status = co_add_service(device_coid);
    }
    if (status < 0)
        kprintf("block: the disk does not start: %s\n", orrery_strerror(status));
}

// Begins a call: checks the range and takes the mutex.
static s64 enter(u64 offset, u64 bytes)
{
    if (device_coid == 0)
        return E_NOENT;
    if (offset % BLOCK_SECTOR != 0 || bytes % BLOCK_SECTOR != 0 || bytes > BLOCK_TRANSFER_MAX ||
        offset > device.info.bytes || bytes > device.info.bytes - offset)
        return E_INVAL;
    mutex_lock(&device.mutex);
    return 0;
}

static s64 leave(s64 result)
{
    mutex_unlock(&device.mutex);
    return result;
}

s64 sys_block_info(struct sys_block_info *info)
{
    if (device_coid == 0)
        return E_NOENT;
    *info = device.info;
    return 0;
}

s64 sys_block_read(u64 offset, void *buffer, u64 bytes)
{
    s64 error = enter(offset, bytes);
    if (error != 0)
        return error;
    if (bytes > 0)
        error = CO_CALL(struct block_device, device_coid, read, offset, buffer, bytes);
    return leave(error != 0 ? error : (s64)bytes);
}

s64 sys_block_write(u64 offset, const void *buffer, u64 bytes)
{
    if (device_coid != 0 && device.info.read_only)
        return E_PERM;
    s64 error = enter(offset, bytes);
    if (error != 0)
        return error;
    if (bytes > 0)
        error = CO_CALL(struct block_device, device_coid, write, offset, buffer, bytes);
    return leave(error != 0 ? error : (s64)bytes);
}

s64 sys_block_flush(void)
{
    s64 error = enter(0, 0);
    return error != 0 ? error : leave(CO_CALL(struct block_device, device_coid, flush));
}
