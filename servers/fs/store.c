// SPDX-License-Identifier: MIT
// The disk behind /data.
#include "store.h"

#include "filesystem.h"
#include "kept.h"
#include "pages.h"
#include "snapshot.h"

#include <orrery/sys.h>
#include <stdlib.h>

static struct {
    struct mutex lock; // one save at a time
    bool works;
    u64 slot_bytes;
    u32 slot;       // to be written next
    u64 generation; // of the newest snapshot
    u64 saved;      // kept_changes at the last save
    struct directory *top;
} store;

// ---- transfers ---------------------------------------------------------------------------------

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

static s64 write_disk(u64 offset, const u8 *from, u64 bytes)
{
    while (bytes > 0) {
        u64 part = bytes < BLOCK_TRANSFER_MAX ? bytes : BLOCK_TRANSFER_MAX;
        s64 done = sys_block_write(offset, from, part);
        if (done <= 0)
            return done < 0 ? done : E_IO;
        offset += (u64)done;
        from += done;
        bytes -= (u64)done;
    }
    return sys_block_flush();
}

// ---- loading -----------------------------------------------------------------------------------

struct look {
    enum snapshot_state states[SNAPSHOT_SLOTS];
    struct snapshot snapshots[SNAPSHOT_SLOTS];
};

static s64 look_at_slots(struct look *look)
{
    static u8 header[SNAPSHOT_HEADER_BYTES];
    for (u32 i = 0; i < SNAPSHOT_SLOTS; i++) {
        s64 status = read_disk(i * store.slot_bytes, header, sizeof(header));
        if (status != 0)
            return status;
        look->states[i] = snapshot_read(header, store.slot_bytes, &look->snapshots[i]);
        if (look->states[i] == SNAPSHOT_GOOD && look->snapshots[i].generation > store.generation)
            store.generation = look->snapshots[i].generation;
    }
    return 0;
}

// Returns the newest of the good slots, or SNAPSHOT_SLOTS if there is none.
static u32 newest(const struct look *look)
{
    u32 best = SNAPSHOT_SLOTS;
    for (u32 i = 0; i < SNAPSHOT_SLOTS; i++) {
        if (look->states[i] == SNAPSHOT_GOOD &&
            (best == SNAPSHOT_SLOTS ||
             look->snapshots[i].generation > look->snapshots[best].generation))
            best = i;
    }
    return best;
}

static bool any(const struct look *look, enum snapshot_state state)
{
    return look->states[0] == state || look->states[1] == state;
}

// Reads a slot's archive, which the caller frees. Returns 0, E_PROTO if it is damaged, or another
// error. On error *archive is NULL.
static s64 read_slot(u32 slot, const struct snapshot *snapshot, u8 **archive)
{
    u64 room = ALIGN_UP(snapshot->bytes, (u64)BLOCK_SECTOR);
    *archive = malloc(room > 0 ? room : 1);
    if (*archive == NULL)
        return E_NOMEM;
    s64 status = read_disk(slot * store.slot_bytes + SNAPSHOT_HEADER_BYTES, *archive, room);
    if (status == 0 &&
        !(snapshot_matches(snapshot, *archive) && kept_valid(*archive, snapshot->bytes)))
        status = E_PROTO;
    if (status == 0)
        return 0;
    free(*archive);
    *archive = NULL;
    return status;
}

// Reads the newest whole snapshot. Sets *slot, to SNAPSHOT_SLOTS if there is none, and *archive.
// Marks damaged ones. Returns 0, E_EXIST if none is whole and the disk holds something else, or an
// error.
static s64 choose(struct look *look, u32 *slot, u8 **archive)
{
    *archive = NULL;
    while ((*slot = newest(look)) != SNAPSHOT_SLOTS) {
        s64 status = read_slot(*slot, &look->snapshots[*slot], archive);
        if (status != E_PROTO)
            return status;
        look->states[*slot] = SNAPSHOT_DAMAGED;
    }
    return any(look, SNAPSHOT_FOREIGN) ? E_EXIST : 0;
}

// Makes /data. Returns 0 or an error.
static s64 make_point(void)
{
    struct node *node;
    s64 status = filesystem_make_directory(STORE_POINT);
    if (status == 0)
        status = filesystem_find(STORE_POINT, &node);
    if (status != 0)
        return status;
    node->kept = node->fixed = true;
    store.top = directory_of(node); // its name is fixed, so it is never freed
    node_put(node);
    return 0;
}

// Returns the limit of /data in bytes. Memory limits it as well, because all of it is in memory.
static u64 room(void)
{
    u64 bytes = store.slot_bytes - SNAPSHOT_HEADER_BYTES - KEPT_END_BYTES;
    return bytes < memory_files_limit_get() ? bytes : memory_files_limit_get();
}

// Returns the enum store_found of a start that has chosen this slot.
static s64 found(const struct look *look, u32 slot)
{
    bool damaged = any(look, SNAPSHOT_DAMAGED) || any(look, SNAPSHOT_FOREIGN);
    if (slot == SNAPSHOT_SLOTS)
        return damaged ? STORE_FOUND_DAMAGED : STORE_FOUND_NOTHING;
    return damaged ? STORE_FOUND_OLDER : STORE_FOUND_NEWEST;
}

s64 store_start(bool *partly)
{
    struct sys_block_info info;
    struct look look = {0};
    u8 *archive;
    u32 slot;

    *partly = false;
    s64 status = sys_block_info(&info);
    if (status != 0)
        return status;
    store.slot_bytes = snapshot_slot_bytes(info.bytes);
    if (store.slot_bytes == 0)
        return E_LIMIT;
    status = look_at_slots(&look);
    status = status != 0 ? status : choose(&look, &slot, &archive);
    if (status != 0)
        return status;
    status = make_point();
    kept_limit(room());
    if (status == 0 && archive != NULL) {
        status = kept_read(STORE_POINT, archive, look.snapshots[slot].bytes);
        *partly = status != 0;
    }
    free(archive);
    store.works = status == 0 && info.read_only == 0;
    if (!store.works)
        kept_limit(0);
    store.slot = slot == 0 ? 1 : 0;
    store.saved = kept_changes();
    return status != 0 ? status : found(&look, slot);
}

// ---- saving ------------------------------------------------------------------------------------

static s64 write_snapshot(const struct archive *archive)
{
    static u8 header[SNAPSHOT_HEADER_BYTES]; // under the lock
    u64 at = store.slot * store.slot_bytes;
    if (archive->bytes > store.slot_bytes - SNAPSHOT_HEADER_BYTES)
        return E_LIMIT;
    struct snapshot snapshot = {.generation = store.generation + 1,
                                .bytes = archive->bytes,
                                .checksum = snapshot_checksum(archive->data, archive->bytes)};
    snapshot_write(header, &snapshot, store.slot_bytes);
    s64 status = write_disk(at + SNAPSHOT_HEADER_BYTES, archive->data, archive->bytes);
    return status != 0 ? status : write_disk(at, header, sizeof(header));
}

// Saves /data if it has changed, with the lock held.
static s64 save(void)
{
    struct archive archive = {0};
    u64 changes = kept_changes();
    if (changes == store.saved)
        return 0;
    s64 status = kept_write(store.top, &archive);
    status = status != 0 ? status : write_snapshot(&archive);
    archive_free(&archive);
    if (status != 0)
        return status; // the next save writes the same slot, because the other one is whole
    store.generation++;
    store.slot = store.slot == 0 ? 1 : 0;
    store.saved = changes;
    return 0;
}

s64 store_save(void)
{
    if (!store.works)
        return 0;
    mutex_lock(&store.lock);
    s64 status = save();
    mutex_unlock(&store.lock);
    return status;
}
