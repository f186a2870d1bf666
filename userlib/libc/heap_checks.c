// SPDX-License-Identifier: MIT
// Blocks of the heap with checks. Everything below malloc's lock, but for the reports.
#include "heap_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <orrery/user.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/heap.h>
#include <user/scheduler.h>

#define LIVE 0x6c697665626c6f63  // in `state`, ^ the block's address
#define FREED 0x6672656564626c6b // the same
#define GUARD_BYTE 0xfd
#define FREED_BYTE 0xdd
#define GUARD_BYTES 16
#define KEPT_BLOCKS 256 // freed ones
#define KEPT_BYTES 0x100000
#define PLACE_BYTES 96

struct head {
    u64 state, bytes;
    void *real; // newlib's block
    u64 made_by, freed_by;
    struct head *next, *before; // of all live ones, or of all that are kept
    u8 guard[8];
};

struct list {
    struct head *first, *last;
    u64 count, bytes;
};

static struct list live, kept;
static bool ends;

static u8 *block_of(struct head *head)
{
    return (u8 *)(head + 1);
}

static void append(struct list *list, struct head *head)
{
    head->next = NULL;
    head->before = list->last;
    *(list->last ? &list->last->next : &list->first) = head;
    list->last = head;
    list->count++;
    list->bytes += head->bytes;
}

static void take_out(struct list *list, struct head *head)
{
    *(head->before ? &head->before->next : &list->first) = head->next;
    *(head->next ? &head->next->before : &list->last) = head->before;
    list->count--;
    list->bytes -= head->bytes;
}

// ---- reports -----------------------------------------------------------------------------------

static const char *place(u64 by, char text[PLACE_BYTES])
{
    u64 offset;
    const char *name = user_symbol(by, &offset);
    if (name)
        snprintf(text, PLACE_BYTES, "%s+%#lx", name, offset);
    else
        snprintf(text, PLACE_BYTES, "%#lx", by);
    return text;
}

// Ends the process. `at`: the byte that is wrong.
static void __attribute__((noreturn)) damaged(struct head *head, const char *what, const u8 *at)
{
    char made[PLACE_BYTES], freed[PLACE_BYTES];
    const u8 *block = block_of(head);
    heap_is_checked = false;
    user_panic("%s %p (%lu bytes), at offset %ld\n  allocated by %s%s%s", what, (const void *)block,
               head->bytes, (long)(at - block), place(head->made_by, made),
               head->freed_by ? ", freed by " : "",
               head->freed_by ? place(head->freed_by, freed) : "");
}

static void __attribute__((noreturn)) no_block(const void *memory, u64 by)
{
    char text[PLACE_BYTES];
    heap_is_checked = false;
    user_panic("free of %p, which is no block of the heap, or not any more\n  in %s", memory,
               place(by, text));
}

static void __attribute__((noreturn)) freed_twice(struct head *head, u64 by)
{
    char made[PLACE_BYTES], freed[PLACE_BYTES], again[PLACE_BYTES];
    heap_is_checked = false;
    user_panic("double free of %p (%lu bytes)\n  freed by %s, and again by %s; allocated by %s",
               (void *)block_of(head), head->bytes, place(head->freed_by, freed), place(by, again),
               place(head->made_by, made));
}

// ---- checks ------------------------------------------------------------------------------------

// Returns the first byte that is not `wanted`, or NULL.
static const u8 *other_byte(const u8 *bytes, size_t count, u8 wanted)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != wanted)
            return bytes + i;
    return NULL;
}

static void check_guards(struct head *head)
{
    const u8 *before = other_byte(head->guard, sizeof(head->guard), GUARD_BYTE);
    const u8 *behind = other_byte(block_of(head) + head->bytes, GUARD_BYTES, GUARD_BYTE);
    if (behind)
        damaged(head, "heap block overrun: written behind", behind);
    if (before)
        damaged(head, "heap block underrun: written before", before);
}

// Returns the head of a live block; ends the process if there is none.
static struct head *head_of(const void *memory, u64 by)
{
    struct head *head = (struct head *)(u64)memory - 1;
    u64 at = (u64)memory;
    if (at % 16 != 0 || at < USER_HEAP + sizeof(*head) || at >= (u64)sbrk(0))
        no_block(memory, by);
    if (head->state == (FREED ^ at))
        freed_twice(head, by);
    if (head->state != (LIVE ^ at))
        no_block(memory, by);
    check_guards(head);
    return head;
}

// Looks at the oldest block that is kept, and gives it back.
static void let_go(struct _reent *reent)
{
    struct head *head = kept.first;
    const u8 *written = other_byte(block_of(head), head->bytes, FREED_BYTE);
    if (written)
        damaged(head, "written after it was freed: heap block", written);
    check_guards(head);
    take_out(&kept, head);
    head->state = 0;
    __real__free_r(reent, head->real);
}

// When the process ends. What stdio still frees afterwards is not looked at.
static void check_all(void)
{
    struct _reent *reent = _REENT;
    __malloc_lock(reent);
    for (struct head *head = live.first; head; head = head->next)
        check_guards(head);
    while (kept.first)
        let_go(reent);
    __malloc_unlock(reent);
}

// ---- malloc and its like -----------------------------------------------------------------------

static void begin(struct _reent *reent)
{
    __malloc_lock(reent);
    bool first = !ends;
    ends = true;
    __malloc_unlock(reent);
    if (first)
        atexit(check_all);
}

void *heap_checked_new(struct _reent *reent, size_t align, size_t bytes, u64 by)
{
    size_t room = sizeof(struct head) + GUARD_BYTES, all;
    begin(reent);
    if (__builtin_add_overflow(bytes, room, &all) || __builtin_add_overflow(all, align, &all)) {
        reent->_errno = ENOMEM;
        return NULL;
    }
    u8 *real = __real__malloc_r(reent, all); // newlib's memalign would come back here
    if (!real)
        return NULL;
    u8 *block = real + sizeof(struct head);
    if (align > 16)
        block = (u8 *)ALIGN_UP((u64)block, align);
    struct head *head = (struct head *)(void *)block - 1;
    *head = (struct head){LIVE ^ (u64)block, bytes, real, by, 0, NULL, NULL, {0}};
    memset(head->guard, GUARD_BYTE, sizeof(head->guard));
    memset(block + bytes, GUARD_BYTE, GUARD_BYTES);
    __malloc_lock(reent);
    append(&live, head);
    __malloc_unlock(reent);
    return block;
}

void heap_checked_free(struct _reent *reent, void *memory, u64 by)
{
    if (!memory)
        return;
    __malloc_lock(reent);
    struct head *head = head_of(memory, by);
    take_out(&live, head);
    head->state = FREED ^ (u64)memory;
    head->freed_by = by;
    memset(memory, FREED_BYTE, head->bytes);
    append(&kept, head);
    while (kept.count > KEPT_BLOCKS || kept.bytes > KEPT_BYTES)
        let_go(reent);
    __malloc_unlock(reent);
}

size_t heap_checked_bytes(const void *memory, u64 by)
{
    return memory ? head_of(memory, by)->bytes : 0;
}

void *heap_checked_resize(struct _reent *reent, void *memory, size_t bytes, u64 by)
{
    void *made = heap_checked_new(reent, 0, bytes, by);
    size_t before = heap_checked_bytes(memory, by);
    if (memory && made) {
        memcpy(made, memory, before < bytes ? before : bytes);
        heap_checked_free(reent, memory, by);
    }
    return made;
}
