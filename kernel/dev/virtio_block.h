// SPDX-License-Identifier: MIT
// The disk (virtio-blk-pci, legacy): one, found by the device tree. Not reentrant:
// one request at a time. block.c makes it a BlockDevice and serialises the calls.
#ifndef KERNEL_DEV_VIRTIO_BLOCK_H
#define KERNEL_DEV_VIRTIO_BLOCK_H

#include <orrery/sys.h>

// Starts the device. E_NOENT: there is none; E_NOMEM; E_IO: it refuses. Set-up, once: it calls the
// firmware.
int virtio_block_start(struct sys_block_info *info);

// Perform one request. bytes: at most BLOCK_TRANSFER_MAX. offset and bytes: multiples of
// BLOCK_SECTOR, and inside of the device. Return 0 or E_IO; E_TIMEOUT if there was no answer, and
// E_IO for good after that, since the device may still use the memory. Thread context, sleeps.
s64 virtio_block_read(u64 offset, void *buffer, u64 bytes);
s64 virtio_block_write(u64 offset, const void *buffer, u64 bytes);
s64 virtio_block_flush(void); // what was written survives the machine

#endif
