// SPDX-License-Identifier: MIT
// ServerFile in this server's own memory: pages that come into being as they are written.
#include "backing.h"
#include "kept.h"
#include "node.h"

#include <stdlib.h>
#include <string.h>
#include <user/time.h>

#define PAGE 4096UL
#define BYTES_MAX (1UL << 32) // of one file

struct memory_file {
    struct node node;  // first
    struct mutex lock; // of all below
    u64 bytes;
    u64 slots;  // of pages
    u8 **pages; // NULL: zeroes
    struct backing backing;
};

static u64 pages_used, pages_limit = UINT64_MAX;

u64 memory_files_bytes(void)
{
    return __atomic_load_n(&pages_used, __ATOMIC_RELAXED) * PAGE;
}

void memory_files_limit(u64 bytes)
{
    pages_limit = bytes / PAGE;
}

u64 memory_files_limit_get(void)
{
    return pages_limit > UINT64_MAX / PAGE ? UINT64_MAX : pages_limit * PAGE;
}

static struct memory_file *file_of(struct server_file *self)
{
    return (struct memory_file *)self->co.root;
}

// ---- pages -------------------------------------------------------------------------------------

static u8 *page_new(void)
{
    if (__atomic_add_fetch(&pages_used, 1, __ATOMIC_RELAXED) <= pages_limit) {
        u8 *page = calloc(1, PAGE);
        if (page != NULL)
            return page;
    }
    __atomic_sub_fetch(&pages_used, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void page_drop(struct memory_file *file, u64 index)
{
    if (file->pages[index] == NULL)
        return;
    free(file->pages[index]);
    file->pages[index] = NULL;
    __atomic_sub_fetch(&pages_used, 1, __ATOMIC_RELAXED);
}

// Slots for so many bytes; doubling, so that appending costs the same a byte.
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

// The page with that offset, made if it is not there.
static u8 *page_at(struct memory_file *file, u64 offset)
{
    u8 **page = &file->pages[offset / PAGE];
    if (*page == NULL)
        *page = page_new();
    return *page;
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

// Bytes written: fewer when memory ends.
static u64 write_pages(struct memory_file *file, u64 offset, const u8 *from, u64 bytes)
{
    u64 done = 0;
    while (done < bytes) {
        u64 part = PAGE - offset % PAGE < bytes - done ? PAGE - offset % PAGE : bytes - done;
        u8 *page = page_at(file, offset);
        if (page == NULL)
            break;
        memcpy(page + offset % PAGE, from + done, part);
        offset += part;
        done += part;
    }
    return done;
}

// What lies behind the new end reads as zeroes if the file grows again.
static void cut(struct memory_file *file, u64 bytes)
{
    for (u64 index = (bytes + PAGE - 1) / PAGE; index < file->slots; index++)
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
    file->node.time = time_date();
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
    if (reserve(file, reserved)) {
        if (make_slots(file, offset + bytes))
            done = write_pages(file, offset, from, bytes);
        if (done > 0 && offset + done > before)
            file->bytes = offset + done;
        release(file, reserved - (file->bytes - before));
        touch(file);
    }
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
    if (bytes < file->bytes)
        cut(file, bytes);
    file->bytes = bytes;
    touch(file);
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
    *offset = 0;
    return backing_map(&file_of(self)->backing, node_of(self), memory);
}

static const struct server_file_ops ops = {
    .base = CO_LEAF,
    .read = memory_read,
    .write = memory_write,
    .truncate = memory_truncate,
    .bytes = memory_bytes,
    .map = memory_map,
};

static void destroy(struct co_root *root)
{
    struct memory_file *file = (struct memory_file *)root;
    backing_end(&file->backing);
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
