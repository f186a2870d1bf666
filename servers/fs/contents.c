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

struct search {
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
static u64 area(const struct search *search, u32 index)
{
    u64 start = index * search->slot_bytes + SNAPSHOT_HEADER_BYTES;
    u64 end = index * search->slot_bytes + search->slot_bytes;
    end = end < search->disk_bytes ? end : search->disk_bytes;
    return start < end ? ALIGN_DOWN(end - start, (u64)BLOCK_SECTOR) : 0;
}

static s64 search_slot(struct search *search, u32 index)
{
    static u8 header[SNAPSHOT_HEADER_BYTES];
    struct slot *slot = &search->slots[index];
    u64 at = index * search->slot_bytes;
    slot->state = SNAPSHOT_EMPTY;
    if (at + sizeof(header) > search->disk_bytes)
        return 0;
    s64 status = read_disk(at, header, sizeof(header));
    if (status == 0)
        slot->state = snapshot_read(header, search->slot_bytes, &slot->snapshot);
    return status;
}

// The first header stands at the same place whatever the size, and says where the second one is.
static s64 search_slots(struct search *search)
{
    struct slot *first = &search->slots[0];
    s64 status = search_slot(search, 0);
    search->resized = first->state == SNAPSHOT_RESIZED;
    if (search->resized) {
        search->slot_bytes = first->snapshot.slot_bytes;
        first->state = SNAPSHOT_GOOD;
    }
    return status != 0 ? status : search_slot(search, 1);
}

// Returns the newest of the good slots, or SNAPSHOT_SLOTS if there is none.
static u32 newest(const struct search *search)
{
    u32 best = SNAPSHOT_SLOTS;
    for (u32 i = 0; i < SNAPSHOT_SLOTS; i++) {
        if (search->slots[i].state == SNAPSHOT_GOOD &&
            (best == SNAPSHOT_SLOTS ||
             search->slots[i].snapshot.generation > search->slots[best].snapshot.generation))
            best = i;
    }
    return best;
}

static bool any(const struct search *search, enum snapshot_state state)
{
    return search->slots[0].state == state || search->slots[1].state == state;
}

static bool all(const struct search *search, enum snapshot_state state)
{
    return search->slots[0].state == state && search->slots[1].state == state;
}

// ---- snapshots that are whole ------------------------------------------------------------------

static s64 read_area(const struct search *search, u32 index, u64 bytes, u8 **archive)
{
    *archive = malloc(bytes > 0 ? bytes : 1);
    if (*archive == NULL)
        return E_NOMEM;
    s64 status = read_disk(index * search->slot_bytes + SNAPSHOT_HEADER_BYTES, *archive, bytes);
    if (status == 0)
        return 0;
    free(*archive);
    *archive = NULL;
    return status;
}

// Reads a slot's archive. Returns 0, E_PROTO if it is damaged, or another error. On error there is
// no archive.
static s64 read_slot(const struct search *search, u32 index, u8 **archive)
{
    const struct snapshot *snapshot = &search->slots[index].snapshot;
    u64 bytes = ALIGN_UP(snapshot->bytes, (u64)BLOCK_SECTOR), entries;
    if (bytes > area(search, index))
        return E_PROTO;
    s64 status = read_area(search, index, bytes, archive);
    bool whole = status == 0 && snapshot_matches(snapshot, *archive) &&
                 (bytes == 0 || kept_valid(*archive, snapshot->bytes, &entries));
    if (status != 0 || whole)
        return status;
    free(*archive);
    *archive = NULL;
    return E_PROTO;
}

// Reads the newest whole snapshot, if there is one. Marks damaged ones.
static s64 read_newest(struct search *search, struct contents *contents)
{
    while ((contents->slot = newest(search)) != SNAPSHOT_SLOTS) {
        s64 status = read_slot(search, contents->slot, &contents->archive);
        if (status == 0)
            contents->bytes = search->slots[contents->slot].snapshot.bytes;
        if (status != E_PROTO)
            return status;
        search->slots[contents->slot].state = SNAPSHOT_DAMAGED;
    }
    return 0;
}

// Both slots have been written if this is not the first state. So the other one is damaged, too, if
// it is empty.
static enum store_found found_whole(const struct search *search, const struct contents *contents)
{
    bool first = search->slots[contents->slot].snapshot.generation == 1;
    if (search->resized)
        return STORE_FOUND_RESIZED;
    return all(search, SNAPSHOT_GOOD) || (first && any(search, SNAPSHOT_EMPTY)) ? STORE_FOUND_NEWEST
                                                                                : STORE_FOUND_OLDER;
}

// ---- damaged disks -----------------------------------------------------------------------------

// Clears what a disk of this size has of its first header, if it is within the part that begins at
// `at`. A power cut may leave any bytes of it, and nothing was there before.
static void clear_first_header(const struct search *search, u64 at, u8 *part, u64 bytes)
{
    static u8 first[SNAPSHOT_HEADER_BYTES];
    u64 header = SNAPSHOT_FIRST_SLOT * search->slot_bytes;
    snapshot_write_first(first, search->slot_bytes);
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
static s64 look_for_anything(const struct search *search, bool *blank)
{
    u64 *part = malloc(BLOCK_TRANSFER_MAX);
    s64 status = part != NULL ? 0 : E_NOMEM;
    *blank = true;
    for (u64 at = 0; status == 0 && *blank && at < search->disk_bytes; at += BLOCK_TRANSFER_MAX) {
        u64 left = ALIGN_DOWN(search->disk_bytes - at, (u64)BLOCK_SECTOR);
        u64 bytes = left < BLOCK_TRANSFER_MAX ? left : BLOCK_TRANSFER_MAX;
        status = read_disk(at, (u8 *)part, bytes);
        if (status == 0)
            clear_first_header(search, at, (u8 *)part, bytes);
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

static s64 read_rest(const struct search *search, u32 index, struct rest *rest)
{
    u8 start[BLOCK_SECTOR];
    *rest = (struct rest){.bytes = area(search, index)};
    if (rest->bytes < sizeof(start))
        return 0;
    s64 status =
        read_disk(index * search->slot_bytes + SNAPSHOT_HEADER_BYTES, start, sizeof(start));
    if (status != 0 || !snapshot_begins(start))
        return status;
    status = read_area(search, index, rest->bytes, &rest->archive);
    if (status != 0)
        return status;
    rest->whole = kept_valid(rest->archive, rest->bytes, &rest->entries);
    rest->generation = search->slots[index].snapshot.generation;
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
static s64 read_rests(const struct search *search, struct contents *contents)
{
    struct rest rests[SNAPSHOT_SLOTS] = {0};
    s64 status = 0;
    for (u32 i = 0; i < SNAPSHOT_SLOTS && status == 0; i++)
        status = read_rest(search, i, &rests[i]);
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

static s64 read_damaged(const struct search *search, struct contents *contents)
{
    bool blank = false;
    s64 status = 0;
    if (search->slots[0].state == SNAPSHOT_EMPTY && !search->resized)
        status = look_for_anything(search, &blank);
    contents->found = blank             ? STORE_FOUND_NOTHING
                      : search->resized ? STORE_FOUND_RESIZED
                                        : STORE_FOUND_DAMAGED;
    if (status == 0 && !blank)
        status = read_rests(search, contents);
    bool ours =
        blank || search->resized || contents->archive != NULL || any(search, SNAPSHOT_DAMAGED);
    return status == 0 && !ours ? E_EXIST : status;
}

s64 contents_read(u64 disk_bytes, struct contents *contents)
{
    struct search search = {.disk_bytes = disk_bytes,
                            .slot_bytes = snapshot_slot_bytes(disk_bytes)};
    *contents = (struct contents){.slot = SNAPSHOT_SLOTS};
    s64 status = search_slots(&search);
    if (status == 0 && search.slot_bytes == 0)
        status = E_LIMIT;
    for (u32 i = 0; i < SNAPSHOT_SLOTS && status == 0; i++) {
        u64 generation = search.slots[i].snapshot.generation;
        if (search.slots[i].state == SNAPSHOT_GOOD && generation > contents->generation)
            contents->generation = generation;
    }
    contents->slot_bytes = search.slot_bytes;
    if (status == 0)
        status = read_newest(&search, contents);
    if (status != 0)
        return status;
    if (contents->slot == SNAPSHOT_SLOTS)
        return read_damaged(&search, contents);
    contents->found = found_whole(&search, contents);
    return 0;
}
