// SPDX-License-Identifier: MIT
// The initial file system: a cpio archive (newc) that firmware has loaded. Its pages are never
// given out.
#ifndef KERNEL_INITRD_H
#define KERNEL_INITRD_H

#include <orrery/types.h>

// Sets its physical address and size, as firmware gave them; set-up. bytes 0: there is none.
void initrd_init(u64 physical, u64 bytes);
// Returns false if there is none. The archive begins at a page boundary.
bool initrd_range(u64 *physical, u64 *bytes);
// Finds the contents of a file of the archive, by its path without a leading slash. Returns 0.
// E_NOENT. E_INVAL: not a proper archive. The contents lie in the kernel's linear map, at any
// alignment.
s64 initrd_find(const char *path, const void **contents, u64 *bytes);

#endif
