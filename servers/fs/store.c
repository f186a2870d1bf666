// SPDX-License-Identifier: MIT
// The disk behind /data.
#include "store.h"

#include "contents.h"
#include "filesystem.h"
#include "kept.h"
#include "pages.h"
#include "snapshot.h"

#include <orrery/sys.h>
#include <stdlib.h>

static struct {
    struct mutex lock; // one save at a time
    bool works;
    bool read_only; // the disk is
    bool blank;     // the disk is, so far
    u64 slot_bytes;
    u32 slot;       // to be written next
    u64 generation; // of the newest snapshot
    u64 saved;      // kept_changes at the last save
    struct directory *top;
} store;

// ---- transfers ---------------------------------------------------------------------------------

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

// Makes the files. If that is not all, or what is there may not be all that was, nothing can be
// changed, so that nothing is saved over the rest.
static s64 load(const struct contents *contents, bool *partly)
{
    bool damaged = contents->found == STORE_FOUND_DAMAGED || contents->found == STORE_FOUND_RESIZED;
    s64 status = make_point();
    if (status != 0)
        return status;
    kept_limit(room());
    if (contents->bytes > 0)
        status = kept_read(STORE_POINT, contents->archive, contents->bytes);
    *partly = status != 0;
    if (damaged && status == E_PROTO)
        status = 0; // as much as can be read
    store.works = status == 0 && !damaged && !store.read_only;
    if (!store.works)
        kept_close(store.top);
    return status;
}

s64 store_start(struct store_about *about)
{
    struct sys_block_info info;
    struct contents contents;

    *about = (struct store_about){0};
    s64 status = sys_block_info(&info);
    // A server that was killed may have written a header that only the disk's cache has. What is
    // read now must be there after a power cut, too: the next save writes over the state before
    // it, and a `sync` finds nothing to save.
    if (status == 0 && info.read_only == 0)
        status = sys_block_flush();
    if (status == 0)
        status = contents_read(info.bytes, &contents);
    if (status != 0)
        return status;
    store.slot_bytes = contents.slot_bytes;
    store.generation = contents.generation;
    store.read_only = info.read_only != 0;
    about->bytes = info.bytes;
    about->made_for = snapshot_disk_bytes(contents.slot_bytes);
    status = load(&contents, &about->partly);
    free(contents.archive);
    store.slot = contents.slot == 0 ? 1 : 0;
    store.blank = contents.found == STORE_FOUND_NOTHING;
    store.saved = kept_changes();
    return status != 0 ? status : (s64)contents.found;
}

// ---- saving ------------------------------------------------------------------------------------

static u8 header[SNAPSHOT_HEADER_BYTES]; // under the lock

static s64 write_header(u32 slot)
{
    return write_disk(slot * store.slot_bytes, header, sizeof(header));
}

// Makes a blank disk ours by one sector, before anything else is written. So a save that is cut
// short always leaves a good header. If this one is cut short, the disk still counts as blank.
static s64 format(void)
{
    snapshot_write_first(header, store.slot_bytes);
    s64 status = write_header(SNAPSHOT_FIRST_SLOT);
    if (status != 0)
        return status;
    store.generation = 1;
    store.slot = 0;
    store.blank = false;
    return 0;
}

static s64 write_snapshot(const struct archive *archive)
{
    u64 at = store.slot * store.slot_bytes;
    if (archive->bytes > store.slot_bytes - SNAPSHOT_HEADER_BYTES)
        return E_LIMIT;
    s64 status = store.blank ? format() : 0;
    if (status != 0)
        return status;
    struct snapshot snapshot = {.generation = store.generation + 1,
                                .bytes = archive->bytes,
                                .checksum = snapshot_checksum(archive->data, archive->bytes),
                                .slot_bytes = store.slot_bytes};
    status = write_disk(at + SNAPSHOT_HEADER_BYTES, archive->data, archive->bytes);
    if (status != 0)
        return status;
    snapshot_write(header, &snapshot);
    return write_header(store.slot);
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
