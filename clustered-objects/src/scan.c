// SPDX-License-Identifier: MIT
// Object scan (S000 §3.2.1). Walks the GTT's live bits and asks reps for their children. It
// takes no lock: the scanning thread's generation keeps chunks, roots and reps in memory.
#include "internal.h"
#include <orrery/sys.h>

struct co_cursor co_cursor_open(u64 cursor)
{
    if (cursor == 0)
        return (struct co_cursor){.next = R13_LTT, .end_page = co_gtt_end()};
    return (struct co_cursor){.next = cursor & 0xffffffff, .end_page = cursor >> 32};
}

u64 co_cursor_close(struct co_cursor cursor)
{
    return cursor.end_page << 32 | cursor.next;
}

// Returns this CPU's rep or any other, or NULL. A scan makes no reps: that would change what it
// observes.
static struct co_rep *any_rep(struct co_root *root)
{
    struct co_rep *rep = __atomic_load_n(&root->reps[co_platform_cpu()], __ATOMIC_ACQUIRE);
    if (rep == NULL)
        rep = __atomic_load_n(&root->shared, __ATOMIC_ACQUIRE);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && rep == NULL; cpu++)
        rep = __atomic_load_n(&root->reps[cpu], __ATOMIC_ACQUIRE);
    return rep;
}

// Copies at most max children of an object. Returns the count, or E_LIMIT if max is too small.
static s64 children(struct co_root *root, coid_t *out, u64 max)
{
    struct co_rep *rep = any_rep(root);
    s64 count = rep != NULL ? rep->ops->get_num_children(rep) : 0;
    if (count <= 0)
        return 0;
    if ((u64)count > max)
        return E_LIMIT;
    count = rep->ops->get_children(rep, out, max < UINT32_MAX ? (u32)max : UINT32_MAX);
    return count > 0 ? count : 0;
}

static inline void write_record(const struct co_entry *entry, coid_t coid, struct sys_object *out,
                                u32 child_count, u32 swaps)
{
    out->record_bytes = (u32)sizeof(*out) + child_count * (u32)sizeof(coid_t);
    out->class_id = __atomic_load_n(&entry->class_id, __ATOMIC_RELAXED);
    out->coid = coid;
    out->misses = __atomic_load_n(&entry->misses, __ATOMIC_RELAXED);
    out->rep_count = __atomic_load_n(&entry->reps, __ATOMIC_RELAXED);
    out->child_count = child_count;
    out->swaps = swaps;
}

// Writes the record of an object with children, or that was swapped. Returns its bytes, or E_LIMIT
// if it does not fit.
static s64 parent_record(const struct co_entry *entry, coid_t coid, struct sys_object *out,
                         u64 bytes)
{
    if (bytes < sizeof(*out))
        return E_LIMIT;
    s64 count = children(entry->root, out->children, (bytes - sizeof(*out)) / sizeof(coid_t));
    if (count < 0)
        return count;
    write_record(entry, coid, out, (u32)count,
                 __atomic_load_n(&entry->root->swaps, __ATOMIC_RELAXED));
    return out->record_bytes;
}

// Writes the record of any object; short for plain ones.
static inline s64 record(const struct co_entry *entry, coid_t coid, struct sys_object *out,
                         u64 bytes)
{
    if (__builtin_expect(!__atomic_load_n(&entry->plain, __ATOMIC_RELAXED), 0))
        return parent_record(entry, coid, out, bytes);
    if (__builtin_expect(bytes < sizeof(*out), 0))
        return E_LIMIT;
    write_record(entry, coid, out, 0, 0);
    return sizeof(*out);
}

// Writes records of the chunk's live objects from index `first` on, and advances *out. Returns the
// index of the object that did not fit, or CO_PER_PAGE.
static u32 scan_chunk(const struct co_chunk *chunk, u32 first, char **out, const char *end)
{
    coid_t base = co_coid(chunk, 0);
    char *at = *out;
    u32 index = first;
    for (u32 word = first / 64; word < CO_LIVE_WORDS; word++) {
        u64 live = __atomic_load_n(&chunk->live[word], __ATOMIC_ACQUIRE);
        for (live &= -1UL << index % 64; live != 0; live &= live - 1) {
            index = word * 64 + (u32)__builtin_ctzl(live);
            s64 size = record(&chunk->entries[index], base + index * R13_LTT_ENTRY_SIZE,
                              (struct sys_object *)at, (u64)(end - at));
            if (size < 0) {
                *out = at;
                return index;
            }
            at += size;
        }
        index = (word + 1) * 64;
    }
    *out = at;
    return CO_PER_PAGE;
}

s64 co_scan(u64 *cursor, void *buffer, u64 bytes)
{
    struct co_cursor place = co_cursor_open(*cursor);
    char *out = buffer;
    const char *end = out + ALIGN_DOWN(bytes, 8UL);
    struct co_chunk *chunk;
    while ((chunk = co_gtt_next(place.next >> CO_PAGE_SHIFT)) != NULL &&
           chunk->page < place.end_page) {
        bool inside = chunk->page == place.next >> CO_PAGE_SHIFT;
        u32 index = scan_chunk(chunk, inside ? co_index(place.next) : 0, &out, end);
        place.next = co_coid(chunk, index); // the next page's first if all of this one fit
        if (index < CO_PER_PAGE) {
            if (out == buffer)
                return E_INVAL;
            break;
        }
    }
    *cursor = co_cursor_close(place);
    return out - (char *)buffer;
}
