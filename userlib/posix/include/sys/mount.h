// SPDX-License-Identifier: MIT
// The mount table of the root file server (docs/files.md).
#ifndef _SYS_MOUNT_H
#define _SYS_MOUNT_H

#include <stddef.h>

// Gives paths below point, an existing directory, to the named service from now on. Returns 0, or
// -1 and errno.
int mount_service(const char *point, const char *service);
int unmount_service(const char *point);
// Reads the entry with this index as "POINT SERVICE". Returns 0, or -1 and errno (ENOENT: past the
// last).
int mount_entry(unsigned index, char *text, size_t bytes);

#endif
