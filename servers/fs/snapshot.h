// SPDX-License-Identifier: MIT
// The format of snapshots on the disk. There are two slots, written in turn, so that one is whole
// at any time. A slot is a header and an archive. Numbers are big endian, also on a host that reads
// them (kov). Nothing that is read is trusted. Any thread.
#ifndef FS_SNAPSHOT_H
#define FS_SNAPSHOT_H

#include <orrery/types.h>

#define SNAPSHOT_SLOTS 2
#define SNAPSHOT_HEADER_BYTES 4096 // before the archive; only the first 512 are used
#define SNAPSHOT_SLOT_MIN 65536    // bytes; a disk with smaller slots has none

struct snapshot {
    u64 generation; // greater for a newer one
    u64 bytes;      // of the archive; 0: there is none, and no file
    u64 checksum;   // of the archive
    u64 slot_bytes; // of the disk that it was made for
};

enum snapshot_state {
    SNAPSHOT_EMPTY,   // nothing has ever been written there
    SNAPSHOT_GOOD,    // the header is good; the archive's checksum is not compared yet
    SNAPSHOT_DAMAGED, // it was a header once
    SNAPSHOT_FOREIGN, // something else
    SNAPSHOT_RESIZED, // the header is good, and made for a disk of another size
};

// Returns the bytes of a slot (a multiple of 4,096) on a disk of so many bytes. 0: the disk is too
// small.
u64 snapshot_slot_bytes(u64 disk_bytes);
// Returns a checksum. It differs after any change within eight bytes, and after all but one of 2^64
// other changes.
u64 snapshot_checksum(const void *data, u64 bytes);
// Returns the size of a disk with such slots, but for a rest that no slot has.
static inline u64 snapshot_disk_bytes(u64 slot_bytes)
{
    return slot_bytes * SNAPSHOT_SLOTS;
}
// Writes the header that makes a blank disk ours, in its second slot: generation 1, no file. It is
// the same for all disks of a size.
#define SNAPSHOT_FIRST_SLOT 1
void snapshot_write_first(u8 header[SNAPSHOT_HEADER_BYTES], u64 slot_bytes);
// Writes a header.
void snapshot_write(u8 header[SNAPSHOT_HEADER_BYTES], const struct snapshot *snapshot);
// Reads a header. Sets *snapshot if it is good or RESIZED, and else its generation alone, to what
// stands there.
enum snapshot_state snapshot_read(const u8 header[SNAPSHOT_HEADER_BYTES], u64 slot_bytes,
                                  struct snapshot *snapshot);
// Returns true if an archive may begin here, whatever the header before it says.
bool snapshot_begins(const u8 *archive);
// Returns true if an archive of snapshot->bytes has the header's checksum.
bool snapshot_matches(const struct snapshot *snapshot, const void *archive);

#endif
