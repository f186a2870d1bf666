// SPDX-License-Identifier: MIT
// What is on the disk behind /data.
#include "contents.h"

#include "kept.h"

#include <orrery/sys.h>
#include <stdlib.h>

struct slot {
    enum snapshot_state state;
    struct snapshot snapshot;
};

struct look {
    u64 disk_bytes, slot_bytes;
    bool resized; // the snapshots were made for a disk of another size
    struct slot slots[SNAPSHOT_SLOTS];
};

static s64 read_disk(u64 offset, u8 *to, u64 bytes)
{
    while (bytes > 0) {
        u64 part = bytes < BLOCK_TRANSFER_MAX ? bytes : BLOCK_TRANSFER_MAX;
        s64 done = sys_block_read(offset, to, part);
        if (done <= 0)
            return done < 0 ? done : E_IO;
        offset += (u64)done;
        to += done;
        bytes -= (u64)done;
    }
    return 0;
}

// ---- headers -----------------------------------------------------------------------------------

// Returns the bytes of a slot behind its header that are on the disk, which may have been cut.
static u64 area(const struct look *look, u32 index)
{
    u64 start = index * look->slot_bytes + SNAPSHOT_HEADER_BYTES;
    u64 end = index * look->slot_bytes + look->slot_bytes;
    end = end < look->disk_bytes ? end : look->disk_bytes;
    return start < end ? ALIGN_DOWN(end - start, (u64)BLOCK_SECTOR) : 0;
}

static s64 look_at_slot(struct look *look, u32 index)
{
    static u8 header[SNAPSHOT_HEADER_BYTES];
    struct slot *slot = &look->slots[index];
    u64 at = index * look->slot_bytes;
    slot->state = SNAPSHOT_EMPTY;
    if (at + sizeof(header) > look->disk_bytes)
        return 0;
    s64 status = read_disk(at, header, sizeof(header));
    if (status == 0)
        slot->state = snapshot_read(header, look->slot_bytes, &slot->snapshot);
    return status;
}

// The first header stands at the same place whatever the size, and says where the second one is.
static s64 look_at_slots(struct look *look)
{
    struct slot *first = &look->slots[0];
    s64 status = look_at_slot(look, 0);
    look->resized = first->state == SNAPSHOT_RESIZED;
    if (look->resized) {
        look->slot_bytes = first->snapshot.slot_bytes;
        first->state = SNAPSHOT_GOOD;
    }
    return status != 0 ? status : look_at_slot(look, 1);
}

// Returns the newest of the good slots, or SNAPSHOT_SLOTS if there is none.
static u32 newest(const struct look *look)
{
    u32 best = SNAPSHOT_SLOTS;
    for (u32 i = 0; i < SNAPSHOT_SLOTS; i++) {
        if (look->slots[i].state == SNAPSHOT_GOOD &&
            (best == SNAPSHOT_SLOTS ||
             look->slots[i].snapshot.generation > look->slots[best].snapshot.generation))
            best = i;
    }
    return best;
}

static bool any(const struct look *look, enum snapshot_state state)
{
    return look->slots[0].state == state || look->slots[1].state == state;
}

static bool all(const struct look *look, enum snapshot_state state)
{
    return look->slots[0].state == state && look->slots[1].state == state;
}

// ---- snapshots that are whole ------------------------------------------------------------------

static s64 read_area(const struct look *look, u32 index, u64 bytes, u8 **archive)
{
    *archive = malloc(bytes > 0 ? bytes : 1);
    if (*archive == NULL)
        return E_NOMEM;
    s64 status = read_disk(index * look->slot_bytes + SNAPSHOT_HEADER_BYTES, *archive, bytes);
    if (status == 0)
        return 0;
    free(*archive);
    *archive = NULL;
    return status;
}

// Reads a slot's archive. Returns 0, E_PROTO if it is damaged, or another error. On error there is
// no archive.
static s64 read_slot(const struct look *look, u32 index, u8 **archive)
{
    const struct snapshot *snapshot = &look->slots[index].snapshot;
    u64 bytes = ALIGN_UP(snapshot->bytes, (u64)BLOCK_SECTOR), entries;
    if (bytes > area(look, index))
        return E_PROTO;
    s64 status = read_area(look, index, bytes, archive);
    bool whole = status == 0 && snapshot_matches(snapshot, *archive) &&
                 (bytes == 0 || kept_valid(*archive, snapshot->bytes, &entries));
    if (status != 0 || whole)
        return status;
    free(*archive);
    *archive = NULL;
    return E_PROTO;
}

// Reads the newest whole snapshot, if there is one. Marks damaged ones.
static s64 read_newest(struct look *look, struct contents *contents)
{
    while ((contents->slot = newest(look)) != SNAPSHOT_SLOTS) {
        s64 status = read_slot(look, contents->slot, &contents->archive);
        if (status == 0)
            contents->bytes = look->slots[contents->slot].snapshot.bytes;
        if (status != E_PROTO)
            return status;
        look->slots[contents->slot].state = SNAPSHOT_DAMAGED;
    }
    return 0;
}

// Both slots have been written if this is not the first state. So the other one is damaged, too, if
// it is empty.
static enum store_found found_whole(const struct look *look, const struct contents *contents)
{
    bool first = look->slots[contents->slot].snapshot.generation == 1;
    if (look->resized)
        return STORE_FOUND_RESIZED;
    return all(look, SNAPSHOT_GOOD) || (first && any(look, SNAPSHOT_EMPTY)) ? STORE_FOUND_NEWEST
                                                                            : STORE_FOUND_OLDER;
}

// ---- damaged disks -----------------------------------------------------------------------------

// Clears what a disk of this size has of its first header, if it is within the part that begins at
// `at`. A power cut may leave any bytes of it, and nothing was there before.
static void clear_first_header(const struct look *look, u64 at, u8 *part, u64 bytes)
{
    static u8 first[SNAPSHOT_HEADER_BYTES];
    u64 header = SNAPSHOT_FIRST_SLOT * look->slot_bytes;
    snapshot_write_first(first, look->slot_bytes);
    for (u64 i = 0; i < BLOCK_SECTOR; i++) {
        if (header + i >= at && header + i < at + bytes && part[header + i - at] == first[i])
            part[header + i - at] = 0;
    }
}

static bool is_zero(const u64 *words, u64 count)
{
    u64 bits = 0;
    for (u64 i = 0; i < count; i++)
        bits |= words[i];
    return bits == 0;
}

// Sets *blank to whether the disk holds zeroes alone, up to its last sector, or a part of the first
// header besides.
static s64 look_for_anything(const struct look *look, bool *blank)
{
    u64 *part = malloc(BLOCK_TRANSFER_MAX);
    s64 status = part != NULL ? 0 : E_NOMEM;
    *blank = true;
    for (u64 at = 0; status == 0 && *blank && at < look->disk_bytes; at += BLOCK_TRANSFER_MAX) {
        u64 left = ALIGN_DOWN(look->disk_bytes - at, (u64)BLOCK_SECTOR);
        u64 bytes = left < BLOCK_TRANSFER_MAX ? left : BLOCK_TRANSFER_MAX;
        status = read_disk(at, (u8 *)part, bytes);
        if (status == 0)
            clear_first_header(look, at, (u8 *)part, bytes);
        *blank = status == 0 && is_zero(part, bytes / sizeof(*part));
    }
    free(part);
    return status;
}

// What can be read of a slot without trust in its header.
struct rest {
    u8 *archive;
    u64 bytes, entries, generation;
    bool whole; // it ends as an archive does
};

static s64 read_rest(const struct look *look, u32 index, struct rest *rest)
{
    u8 start[BLOCK_SECTOR];
    *rest = (struct rest){.bytes = area(look, index)};
    if (rest->bytes < sizeof(start))
        return 0;
    s64 status = read_disk(index * look->slot_bytes + SNAPSHOT_HEADER_BYTES, start, sizeof(start));
    if (status != 0 || !snapshot_begins(start))
        return status;
    status = read_area(look, index, rest->bytes, &rest->archive);
    if (status != 0)
        return status;
    rest->whole = kept_valid(rest->archive, rest->bytes, &rest->entries);
    rest->generation = look->slots[index].snapshot.generation;
    return 0;
}

static bool is_better(const struct rest *one, const struct rest *other)
{
    if (one->archive == NULL || other->archive == NULL)
        return one->archive != NULL;
    if (one->whole != other->whole)
        return one->whole;
    return one->generation != other->generation ? one->generation > other->generation
                                                : one->entries > other->entries;
}

// Takes the better rest of the two slots, or none.
static s64 read_rests(const struct look *look, struct contents *contents)
{
    struct rest rests[SNAPSHOT_SLOTS] = {0};
    s64 status = 0;
    for (u32 i = 0; i < SNAPSHOT_SLOTS && status == 0; i++)
        status = read_rest(look, i, &rests[i]);
    const struct rest *best = is_better(&rests[1], &rests[0]) ? &rests[1] : &rests[0];
    for (u32 i = 0; i < SNAPSHOT_SLOTS; i++)
        if (status != 0 || &rests[i] != best)
            free(rests[i].archive);
    if (status == 0 && best->archive != NULL) {
        contents->archive = best->archive;
        contents->bytes = best->bytes;
    }
    return status;
}

static s64 read_damaged(const struct look *look, struct contents *contents)
{
    bool blank = false;
    s64 status = 0;
    if (look->slots[0].state == SNAPSHOT_EMPTY && !look->resized)
        status = look_for_anything(look, &blank);
    contents->found = blank           ? STORE_FOUND_NOTHING
                      : look->resized ? STORE_FOUND_RESIZED
                                      : STORE_FOUND_DAMAGED;
    if (status == 0 && !blank)
        status = read_rests(look, contents);
    bool ours = blank || look->resized || contents->archive != NULL || any(look, SNAPSHOT_DAMAGED);
    return status == 0 && !ours ? E_EXIST : status;
}

s64 contents_read(u64 disk_bytes, struct contents *contents)
{
    struct look look = {.disk_bytes = disk_bytes, .slot_bytes = snapshot_slot_bytes(disk_bytes)};
    *contents = (struct contents){.slot = SNAPSHOT_SLOTS};
    s64 status = look_at_slots(&look);
    if (status == 0 && look.slot_bytes == 0)
        status = E_LIMIT;
    for (u32 i = 0; i < SNAPSHOT_SLOTS && status == 0; i++) {
        u64 generation = look.slots[i].snapshot.generation;
        if (look.slots[i].state == SNAPSHOT_GOOD && generation > contents->generation)
            contents->generation = generation;
    }
    contents->slot_bytes = look.slot_bytes;
    if (status == 0)
        status = read_newest(&look, contents);
    if (status != 0)
        return status;
    if (contents->slot == SNAPSHOT_SLOTS)
        return read_damaged(&look, contents);
    contents->found = found_whole(&look, contents);
    return 0;
}
