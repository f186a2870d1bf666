// SPDX-License-Identifier: MIT
// Wrong accesses, for the address sanitizer.
#include "violation.h"

#include <kernel/address_space.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <orrery/user.h>
#include <stdio.h>
#include <string.h>

#define OBJECT_BYTES 33 // less than its block, and no multiple of eight
#define LARGE_BYTES 5000

static VIOLATION_NOT_INLINED void violation_read(const volatile u8 *from)
{
    (void)*from;
}

static VIOLATION_NOT_INLINED void violation_write(volatile u8 *to)
{
    *to = 1;
}

static VIOLATION_NOT_INLINED u8 *violation_allocate(u64 bytes)
{
    u8 *object = kmalloc(bytes);

    KASSERT(object != NULL);
    return violation_unknown(object);
}

static VIOLATION_NOT_INLINED void violation_free(void *object)
{
    kfree(object);
}

void violate_use_after_free(u64 wrong)
{
    u8 *object = violation_allocate(OBJECT_BYTES);

    if (wrong)
        violation_free(object);
    violation_read(object + 8);
    if (!wrong)
        violation_free(object);
}

void violate_write_after_free(u64 wrong)
{
    u8 *object = violation_allocate(LARGE_BYTES);

    if (wrong)
        violation_free(object);
    violation_write(object + LARGE_BYTES - 1);
    if (!wrong)
        violation_free(object);
}

void violate_double_free(u64 wrong)
{
    void *object = violation_allocate(OBJECT_BYTES);

    violation_free(object);
    if (wrong)
        violation_free(object);
}

void violate_wrong_free(u64 wrong)
{
    violation_free(violation_allocate(OBJECT_BYTES) + 16 * wrong);
}

void violate_left(u64 wrong)
{
    u8 *object = violation_allocate(OBJECT_BYTES);

    violation_write(object - wrong);
    violation_free(object);
}

void violate_right(u64 wrong)
{
    u8 *object = violation_allocate(OBJECT_BYTES);

    violation_write(object + OBJECT_BYTES - 1 + wrong);
    violation_free(object);
}

void violate_right_of_large(u64 wrong)
{
    u8 *object = violation_allocate(LARGE_BYTES);

    violation_read(object + LARGE_BYTES - 1 + wrong);
    violation_free(object);
}

static VIOLATION_NOT_INLINED u8 *violation_pages(void)
{
    u8 *pages = pages_alloc(1);

    KASSERT(pages != NULL);
    return violation_unknown(pages);
}

static VIOLATION_NOT_INLINED void violation_free_pages(void *pages, u32 order)
{
    pages_free(pages, order);
}

void violate_page_after_free(u64 wrong)
{
    u8 *pages = violation_pages();

    if (wrong)
        violation_free_pages(pages, 1);
    violation_write(pages + PAGE_SIZE + 8);
    if (!wrong)
        violation_free_pages(pages, 1);
}

void violate_page_double_free(u64 wrong)
{
    u8 *pages = violation_pages();

    violation_free_pages(pages, 1);
    if (wrong)
        violation_free_pages(pages, 1);
}

void violate_page_wrong_order(u64 wrong)
{
    violation_free_pages(violation_pages(), wrong ? 0 : 1);
}

void violate_stack(u64 wrong)
{
    u8 variable[24] = {0};

    violation_write((u8 *)violation_unknown(variable) + sizeof(variable) - 1 + wrong);
}

void violate_stack_left(u64 wrong)
{
    u8 variable[24] = {0};

    violation_write((u8 *)violation_unknown(variable) - wrong);
}

void violate_stack_after_scope(u64 wrong)
{
    u8 *left_behind;

    {
        u8 variable[24] = {0};
        left_behind = violation_unknown(variable);
        if (!wrong)
            violation_read(left_behind);
    }
    if (wrong)
        // cppcheck-suppress invalidLifetime
        violation_read(left_behind);
}

static u8 global_before[16], violation_variable[20], global_behind[16];

void violate_global(u64 wrong)
{
    u8 *variable = violation_unknown(violation_variable);

    violation_unknown(global_before);
    violation_unknown(global_behind);
    violation_write(variable + sizeof(violation_variable) - 1 + wrong);
}

void violate_memcpy(u64 wrong)
{
    u8 from[OBJECT_BYTES + 1] = {0};
    u8 *object = violation_allocate(OBJECT_BYTES);

    memcpy(object, violation_unknown(from), OBJECT_BYTES + wrong);
    violation_free(object);
}

void violate_memset(u64 wrong)
{
    u8 *object = violation_allocate(OBJECT_BYTES);

    memset(object, 0, OBJECT_BYTES + 7 * wrong);
    violation_free(object);
}

void violate_text(u64 wrong)
{
    u8 *text = violation_allocate(OBJECT_BYTES);

    memset(text, 'x', OBJECT_BYTES);
    if (!wrong)
        text[OBJECT_BYTES - 1] = '\0';
    (void)(strlen((const char *)text) == OBJECT_BYTES ? violation_unknown(text) : NULL);
    violation_free(text);
}

void violate_snprintf(u64 wrong)
{
    char *text = (char *)violation_allocate(OBJECT_BYTES);

    snprintf(text, OBJECT_BYTES + wrong, "%s", "short");
    violation_free(text);
}

// Nothing is at the user address: it is the kernel's side that is too small.
void violate_copy_from_user(u64 wrong)
{
    u8 *object = violation_allocate(OBJECT_BYTES);

    copy_from_user(object, USER_START, OBJECT_BYTES + wrong);
    violation_free(object);
}

void violate_copy_to_user(u64 wrong)
{
    u8 *object = violation_allocate(OBJECT_BYTES);

    copy_to_user(USER_START, object, OBJECT_BYTES + wrong);
    violation_free(object);
}

static u8 *wrong_or_good(u64 wrong, u64 address)
{
    return violation_unknown(wrong ? (void *)address : violation_variable);
}

void violate_null(u64 wrong)
{
    violation_read(wrong_or_good(wrong, 24));
}

void violate_user(u64 wrong)
{
    violation_write(wrong_or_good(wrong, USER_START));
}

void violate_wild(u64 wrong)
{
    violation_read(wrong_or_good(wrong, 0xabad1dea00000000));
}

void violate_shadow(u64 wrong)
{
    violation_write(wrong_or_good(wrong, LINEAR_BASE + SANITIZE_SHADOW_START));
}

static void in_handler(void *object)
{
    violation_write(object);
}

void violate_interrupt(u64 wrong)
{
    u8 *object = violation_allocate(OBJECT_BYTES);

    if (wrong)
        violation_free(object);
    cpus_call(1, in_handler, object);
    if (!wrong)
        violation_free(object);
}
