// SPDX-License-Identifier: MIT
// Snapshots on the disk: two slots, each a header and an archive, written in turn,
// so that one is whole at any time.
// This is their format, big endian also on a host that reads it (kov); nothing that is read is
// trusted.
#ifndef FS_SNAPSHOT_H
#define FS_SNAPSHOT_H

#include <orrery/types.h>

#define SNAPSHOT_SLOTS 2
#define SNAPSHOT_HEADER_BYTES 4096 // before the archive; it fits into the first 512
#define SNAPSHOT_SLOT_MIN 65536    // bytes: on a smaller disk there are none

struct snapshot {
    u64 generation; // the greater the newer
    u64 bytes;      // of the archive
    u64 checksum;   // of the archive
};

enum snapshot_state {
    SNAPSHOT_EMPTY,   // nothing has ever been written there
    SNAPSHOT_GOOD,    // the header is; the archive's checksum is to be compared still
    SNAPSHOT_DAMAGED, // it was a header once
    SNAPSHOT_FOREIGN, // something else, or made for a disk of another size
};

// Bytes of a slot (a multiple of 4,096) on a disk of that size; 0: too small.
u64 snapshot_slot_bytes(u64 disk_bytes);
// Finds any change of eight bytes, and others but one of 2^64.
u64 snapshot_checksum(const void *data, u64 bytes);
void snapshot_write(u8 header[SNAPSHOT_HEADER_BYTES], const struct snapshot *snapshot,
                    u64 slot_bytes);
// *snapshot only when good.
enum snapshot_state snapshot_read(const u8 header[SNAPSHOT_HEADER_BYTES], u64 slot_bytes,
                                  struct snapshot *snapshot);
// These snapshot->bytes are what the header tells of.
bool snapshot_matches(const struct snapshot *snapshot, const void *archive);

#endif
