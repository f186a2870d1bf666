// SPDX-License-Identifier: MIT
// Reads at a place of a file.
#ifndef KOV_TRACE_FILE_H
#define KOV_TRACE_FILE_H

#include <orrery/types.h>

// Returns the number of bytes read, which is less than asked for only at the end. -1 with errno.
s64 file_read(int fd, void *into, size_t bytes, u64 offset);

#endif
