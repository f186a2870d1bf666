// SPDX-License-Identifier: MIT
// The format of snapshots.
#include "snapshot.h"

#include <string.h>

#define MAGIC 0x4f525259534e4150UL // "ORRYSNAP"
#define VERSION 1
#define ENTRY_MAGIC "070701" // of the archive's first entry
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BE64(x) (x)
#else
#define BE64(x) __builtin_bswap64(x)
#endif

#define CHECKSUM_START 0xcbf29ce484222325UL
#define CHECKSUM_FACTOR 0x9e3779b97f4a7c15UL // odd, so that no step loses a bit

struct header {
    u64 magic;
    u64 version;
    u64 generation, bytes, checksum;
    u64 slot_bytes;
    u64 header_checksum; // of the fields above
};
_Static_assert(sizeof(struct header) == 56, "the disk's layout");

u64 snapshot_slot_bytes(u64 disk_bytes)
{
    u64 bytes = disk_bytes / SNAPSHOT_SLOTS & ~(SNAPSHOT_HEADER_BYTES - 1UL);
    return bytes >= SNAPSHOT_SLOT_MIN ? bytes : 0;
}

static bool is_slot_size(u64 bytes)
{
    return bytes >= SNAPSHOT_SLOT_MIN && bytes % SNAPSHOT_HEADER_BYTES == 0 &&
           bytes <= INT64_MAX / SNAPSHOT_SLOTS;
}

static u64 mix(u64 sum, u64 word)
{
    sum = (sum ^ word) * CHECKSUM_FACTOR;
    return sum << 29 | sum >> 35;
}

u64 snapshot_checksum(const void *data, u64 bytes)
{
    const u8 *at = data;
    u64 sum = mix(CHECKSUM_START, bytes);
    for (; bytes >= sizeof(u64); at += sizeof(u64), bytes -= sizeof(u64)) {
        u64 word;
        memcpy(&word, at, sizeof(word));
        sum = mix(sum, BE64(word));
    }
    u64 rest = 0;
    memcpy(&rest, at, bytes);
    return mix(sum, BE64(rest));
}

void snapshot_write(u8 header[SNAPSHOT_HEADER_BYTES], const struct snapshot *snapshot)
{
    struct header made = {.magic = BE64(MAGIC),
                          .version = BE64((u64)VERSION),
                          .generation = BE64(snapshot->generation),
                          .bytes = BE64(snapshot->bytes),
                          .checksum = BE64(snapshot->checksum),
                          .slot_bytes = BE64(snapshot->slot_bytes)};
    made.header_checksum = BE64(snapshot_checksum(&made, offsetof(struct header, header_checksum)));
    memset(header, 0, SNAPSHOT_HEADER_BYTES);
    memcpy(header, &made, sizeof(made));
}

void snapshot_write_first(u8 header[SNAPSHOT_HEADER_BYTES], u64 slot_bytes)
{
    const struct snapshot empty = {
        .generation = 1, .checksum = snapshot_checksum("", 0), .slot_bytes = slot_bytes};
    snapshot_write(header, &empty);
}

static bool all_zero(const u8 *at, u64 bytes)
{
    while (bytes > 0 && *at == 0)
        at++, bytes--;
    return bytes == 0;
}

enum snapshot_state snapshot_read(const u8 header[SNAPSHOT_HEADER_BYTES], u64 slot_bytes,
                                  struct snapshot *snapshot)
{
    struct header read;
    memcpy(&read, header, sizeof(read));
    *snapshot = (struct snapshot){.generation = BE64(read.generation)};
    if (all_zero(header, SNAPSHOT_HEADER_BYTES))
        return SNAPSHOT_EMPTY;
    if (BE64(read.magic) != MAGIC)
        return SNAPSHOT_FOREIGN;
    if (BE64(read.header_checksum) !=
        snapshot_checksum(&read, offsetof(struct header, header_checksum)))
        return SNAPSHOT_DAMAGED;
    if (BE64(read.version) != VERSION)
        return SNAPSHOT_FOREIGN;
    struct snapshot found = {.generation = BE64(read.generation),
                             .bytes = BE64(read.bytes),
                             .checksum = BE64(read.checksum),
                             .slot_bytes = BE64(read.slot_bytes)};
    if (!is_slot_size(found.slot_bytes) || found.generation == UINT64_MAX ||
        found.bytes > found.slot_bytes - SNAPSHOT_HEADER_BYTES)
        return SNAPSHOT_DAMAGED;
    *snapshot = found;
    return found.slot_bytes == slot_bytes ? SNAPSHOT_GOOD : SNAPSHOT_RESIZED;
}

bool snapshot_matches(const struct snapshot *snapshot, const void *archive)
{
    return snapshot_checksum(archive, snapshot->bytes) == snapshot->checksum;
}

bool snapshot_begins(const u8 *archive)
{
    return memcmp(archive, ENTRY_MAGIC, strlen(ENTRY_MAGIC)) == 0;
}
