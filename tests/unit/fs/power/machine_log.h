// SPDX-License-Identifier: MIT
// Recordings of a machine's disk by QEMU's driver blklogwrites, in the format of Linux's
// dm-log-writes. Little endian.
#ifndef TESTS_UNIT_FS_MACHINE_LOG_H
#define TESTS_UNIT_FS_MACHINE_LOG_H

#include "medium.h"

// Reads the log of a disk of so many bytes that began blank. What the program power-writer noted in
// the last sector becomes marks. Returns false, with a word on stderr, if it is no such log.
bool machine_log_read(const char *path, u64 disk_bytes, struct recording *to);

#endif
