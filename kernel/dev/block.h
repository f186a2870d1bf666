// SPDX-License-Identifier: MIT
// BlockDevice: the disk as a clustered object.
#ifndef KERNEL_DEV_BLOCK_H
#define KERNEL_DEV_BLOCK_H

#include <co/object.h>
#include <orrery/sys.h>

struct block_device;

// Each does what the sys_block_ call of its name does, with arguments that have been checked. One
// at a time.
struct block_device_ops {
    struct co_ops base;
    s64 (*read)(struct block_device *self, u64 offset, void *buffer, u64 bytes);
    s64 (*write)(struct block_device *self, u64 offset, const void *buffer, u64 bytes);
    s64 (*flush)(struct block_device *self);
};

struct block_device {
    CO_REP(struct block_device_ops);
};

#endif
