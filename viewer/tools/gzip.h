// SPDX-License-Identifier: MIT
// Bytes packed as gzip does.
#ifndef KOV_GZIP_H
#define KOV_GZIP_H

#include "tools/memory.h"

// Appends data, packed, to `packed`. At most 2 GB.
void gzip_pack(const u8 *data, size_t size, struct bytes *packed);

#endif
