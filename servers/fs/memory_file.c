// SPDX-License-Identifier: MIT
// ServerFile in this server's own memory. Its pages are allocated when they are written.
#include "backing.h"
#include "kept.h"
#include "node.h"
#include "pages.h"
#include "share.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1UL << 32) // of one file

struct memory_file {
    struct node node;  // first
    struct mutex lock; // of all below
    u64 bytes;
    u64 slots;  // of pages
    u8 **pages; // NULL: zeroes. A page that begins within node.share's bytes lies there
    u64 span;   // bytes, a whole number of pages: up to here all pages exist, and lie in node.share
    struct backing backing;
};

static struct memory_file *file_of(struct server_file *self)
{
    return (struct memory_file *)self->co.root;
}

// ---- pages -------------------------------------------------------------------------------------

// Returns true if a page lies in memory that users share. All pages of that memory exist and are
// accounted for, used or not. The unused ones are zeroes.
static bool is_shared(const struct memory_file *file, u64 index)
{
    return file->node.share != NULL && index < file->node.share->bytes / PAGE;
}

static u8 *page_new(struct memory_file *file, u64 index)
{
    if (is_shared(file, index))
        return file->node.share->base + index * PAGE;
    if (!pages_take(1))
        return NULL;
    u8 *page = calloc(1, PAGE);
    if (page == NULL)
        pages_return(1);
    return page;
}

static void page_free(u8 *page)
{
    free(page);
    pages_return(1);
}

// Frees a page. A shared one becomes zeroes instead, because shared memory is freed only as a
// whole.
static void page_drop(struct memory_file *file, u64 index)
{
    if (file->pages[index] == NULL)
        return;
    if (is_shared(file, index)) {
        memset(file->pages[index], 0, PAGE);
        return;
    }
    page_free(file->pages[index]);
    file->pages[index] = NULL;
}

// Makes slots for a file of so many bytes. Returns false if there is no memory. Their number
// doubles, so that appending a byte always costs the same on average.
static bool make_slots(struct memory_file *file, u64 bytes)
{
    u64 wanted = (bytes + PAGE - 1) / PAGE;
    if (wanted <= file->slots)
        return true;
    u64 slots = file->slots * 2 > wanted ? file->slots * 2 : wanted;
    u8 **pages = realloc(file->pages, slots * sizeof(*pages));
    if (pages == NULL)
        return false;
    memset(pages + file->slots, 0, (slots - file->slots) * sizeof(*pages));
    file->pages = pages;
    file->slots = slots;
    return true;
}

static void read_pages(const struct memory_file *file, u64 offset, u8 *to, u64 bytes)
{
    while (bytes > 0) {
        u64 part = PAGE - offset % PAGE < bytes ? PAGE - offset % PAGE : bytes;
        const u8 *page = offset / PAGE < file->slots ? file->pages[offset / PAGE] : NULL;
        if (page != NULL)
            memcpy(to, page + offset % PAGE, part);
        else
            memset(to, 0, part);
        offset += part;
        to += part;
        bytes -= part;
    }
}

// Writes to pages, and makes those that are missing. Returns the bytes written: fewer if memory
// runs out.
static u64 write_pages(struct memory_file *file, u64 offset, const u8 *from, u64 bytes)
{
    u64 done = 0;
    while (done < bytes) {
        u64 part = PAGE - offset % PAGE < bytes - done ? PAGE - offset % PAGE : bytes - done;
        u8 **page = &file->pages[offset / PAGE];
        if (*page == NULL)
            *page = page_new(file, offset / PAGE);
        if (*page == NULL)
            break;
        memcpy(*page + offset % PAGE, from + done, part);
        offset += part;
        done += part;
    }
    return done;
}

// ---- pages that users share --------------------------------------------------------------------

static void extend_span(struct memory_file *file)
{
    while (is_shared(file, file->span / PAGE) && file->span / PAGE < file->slots &&
           file->pages[file->span / PAGE] != NULL)
        file->span += PAGE;
}

// Clears the shared pages between the file's end and a new one. They are zeroes already, unless a
// process that may write to them was killed or misbehaves.
static void clear_gap(struct memory_file *file, u64 from, u64 to)
{
    while (from < to && is_shared(file, from / PAGE) && from / PAGE < file->slots) {
        u64 part = PAGE - from % PAGE < to - from ? PAGE - from % PAGE : to - from;
        if (file->pages[from / PAGE] != NULL)
            memset(file->pages[from / PAGE] + from % PAGE, 0, part);
        from += part;
    }
}

// Moves the file's pages to memory that users can map.
static void move_pages(struct memory_file *file, struct share *share)
{
    for (u64 i = 0; i < file->slots && i < share->bytes / PAGE; i++) {
        u8 *before = file->pages[i];
        if (before == NULL)
            continue;
        file->pages[i] = memcpy(share->base + i * PAGE, before, PAGE);
        if (!is_shared(file, i))
            page_free(before);
    }
    share_set(&file->node, share);
    file->span = 0;
    extend_span(file);
    share_begin(share);
    share_end(share, file->bytes, file->span);
}

// Gives up the shared memory. The file is empty, so no page of it is needed.
static void unshare(struct memory_file *file)
{
    for (u64 i = 0; is_shared(file, i) && i < file->slots; i++)
        file->pages[i] = NULL;
    file->span = 0;
    share_set(&file->node, NULL);
}

// Drops the contents behind a new end, so that they read as zeroes if the file grows again. bytes:
// at most the file's length.
static void cut(struct memory_file *file, u64 bytes)
{
    u64 end = (file->bytes + PAGE - 1) / PAGE;
    for (u64 index = (bytes + PAGE - 1) / PAGE; index < end && index < file->slots; index++)
        page_drop(file, index);
    if (bytes % PAGE != 0 && bytes / PAGE < file->slots && file->pages[bytes / PAGE] != NULL)
        memset(file->pages[bytes / PAGE] + bytes % PAGE, 0, PAGE - bytes % PAGE);
}

// ---- room on the disk --------------------------------------------------------------------------

static u64 growth(u64 from, u64 to)
{
    return to > from ? to - from : 0;
}

static bool reserve(const struct memory_file *file, u64 bytes)
{
    return !file->node.kept || kept_reserve(bytes);
}

static void release(const struct memory_file *file, u64 bytes)
{
    if (file->node.kept)
        kept_release(bytes);
}

static void touch(struct memory_file *file)
{
    share_touch(&file->node);
    if (file->node.kept)
        kept_changed();
}

// ---- methods -----------------------------------------------------------------------------------

static CO_METHOD s64 memory_read(struct server_file *self, u64 offset, void *to, u64 bytes)
{
    CO_HOME(self);
    struct memory_file *file = file_of(self);
    mutex_lock(&file->lock);
    u64 left = offset < file->bytes ? file->bytes - offset : 0;
    if (bytes > left)
        bytes = left;
    read_pages(file, offset, to, bytes);
    mutex_unlock(&file->lock);
    return (s64)bytes;
}

static CO_METHOD s64 memory_write(struct server_file *self, u64 offset, const void *from, u64 bytes)
{
    CO_HOME(self);
    struct memory_file *file = file_of(self);
    if (bytes == 0)
        return 0;
    if (offset >= BYTES_MAX || bytes > BYTES_MAX - offset)
        return E_LIMIT;
    mutex_lock(&file->lock);
    u64 before = file->bytes, reserved = growth(before, offset + bytes), done = 0;
    share_begin(file->node.share);
    if (reserve(file, reserved)) {
        clear_gap(file, before, offset);
        if (make_slots(file, offset + bytes))
            done = write_pages(file, offset, from, bytes);
        if (done > 0 && offset + done > before)
            file->bytes = offset + done;
        release(file, reserved - (file->bytes - before));
        touch(file);
    }
    extend_span(file);
    share_end(file->node.share, file->bytes, file->span);
    u64 now = file->bytes;
    mutex_unlock(&file->lock);
    backing_changed(&file->backing, now);
    return done > 0 ? (s64)done : E_LIMIT;
}

static CO_METHOD s64 memory_truncate(struct server_file *self, u64 bytes)
{
    CO_HOME(self);
    struct memory_file *file = file_of(self);
    if (bytes > BYTES_MAX)
        return E_LIMIT;
    mutex_lock(&file->lock);
    if (!reserve(file, growth(file->bytes, bytes))) {
        mutex_unlock(&file->lock);
        return E_LIMIT;
    }
    release(file, growth(bytes, file->bytes));
    share_begin(file->node.share);
    clear_gap(file, file->bytes, bytes);
    if (bytes < file->bytes)
        cut(file, bytes);
    file->bytes = bytes;
    touch(file);
    share_end(file->node.share, bytes, file->span);
    if (bytes == 0 && file->node.share != NULL)
        unshare(file);
    mutex_unlock(&file->lock);
    backing_changed(&file->backing, bytes);
    return 0;
}

static CO_METHOD s64 memory_bytes(struct server_file *self)
{
    CO_HOME(self);
    return (s64)file_of(self)->bytes;
}

static CO_METHOD s64 memory_map(struct server_file *self, u64 *offset, cap_t *memory)
{
    CO_HOME(self);
    struct memory_file *file = file_of(self);
    *offset = 0;
    s64 status = backing_map(&file->backing, &file->node, memory);
    share_revoke(&file->node);
    if (share_was_written(&file->node))
        backing_changed(&file->backing, file->bytes); // for pages of earlier mappings
    return status;
}

// Returns true if the file has no shared memory, or has become much longer than it.
static bool wants_memory(const struct memory_file *file)
{
    const struct share *share = file->node.share;
    return share == NULL || (share->bytes < SHARE_BYTES_MAX && file->bytes > 2 * share->bytes);
}

// Returns the size of the shared memory for a file of so many bytes.
static u64 memory_for(u64 bytes)
{
    u64 memory = SHARE_BYTES_MIN;
    while (memory < bytes && memory < SHARE_BYTES_MAX)
        memory *= 2;
    return memory;
}

// Moves the contents to shared memory after as many uses as the file has pages: then copying them
// pays.
static CO_METHOD s64 memory_share(struct server_file *self, u64 uses, struct share **share)
{
    CO_HOME(self);
    struct memory_file *file = file_of(self);
    s64 status = 0;
    mutex_lock(&file->lock);
    if (wants_memory(file)) {
        struct share *made = NULL;
        if (file->bytes == 0 || uses < file->bytes / PAGE)
            status = E_AGAIN;
        else
            made = share_create(memory_for(file->bytes));
        if (made != NULL)
            move_pages(file, made);
        else if (status == 0)
            status = E_LIMIT;
    }
    if (status == 0) {
        *share = file->node.share;
        share_hold(*share);
    }
    mutex_unlock(&file->lock);
    return status;
}

static const struct server_file_ops ops = {
    .base = CO_LEAF,
    .read = memory_read,
    .write = memory_write,
    .truncate = memory_truncate,
    .bytes = memory_bytes,
    .map = memory_map,
    .share = memory_share,
};

static void destroy(struct co_root *root)
{
    struct memory_file *file = (struct memory_file *)root;
    backing_end(&file->backing);
    if (file->node.share != NULL)
        unshare(file);
    cut(file, 0);
    free(file->pages);
    node_free(&file->node);
}

static struct co_class class = {
    .name = "ServerFile",
    .implementation = "ServerFileMemory",
    .size = sizeof(struct memory_file),
    .ops = &ops.base,
    .destroy = destroy,
};

struct node *memory_file_create(const char *name)
{
    struct memory_file *file = calloc(1, sizeof(*file));
    if (file == NULL)
        return NULL;
    if (node_create(&file->node, &class, FS_KIND_FILE, true, name) == 0)
        return &file->node;
    free(file);
    return NULL;
}
