// SPDX-License-Identifier: MIT
// A wrong access, or a wrong free, is a panic that names its kind. describe.c tells after it what
// lies there.
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <orrery/user.h>

#include "report.h"
#include "shadow.h"

static u64 subject, culprit;

static const struct {
    u8 shadow;
    const char *kind;
} kinds[] = {
    {SHADOW_STACK_LEFT, "stack out of bounds"},    {SHADOW_STACK_MIDDLE, "stack out of bounds"},
    {SHADOW_STACK_RIGHT, "stack out of bounds"},   {SHADOW_STACK_SCOPE, "stack use after scope"},
    {SHADOW_GLOBAL, "global out of bounds"},       {SHADOW_HEAP_REDZONE, "heap out of bounds"},
    {SHADOW_HEAP_FREED, "heap use after free"},    {SHADOW_HEAP_FREE, "heap use of free memory"},
    {SHADOW_PAGE_FREED, "pages use after free"},   {SHADOW_PAGE_FREE, "pages use of free memory"},
    {SHADOW_NOBODY, "memory that nobody may use"},
};

static const char *kind_of(u64 address)
{
    if (address < PAGE_SIZE)
        return "NULL pointer";
    if (address < USER_END)
        return "user address";
    if (!shadow_covers(address))
        return "wild pointer";
    for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (kinds[i].shadow == shadow_reason(address))
            return kinds[i].kind;
    }
    return "wild pointer";
}

void report_access(u64 address, u64 bytes, bool write, u64 pc)
{
    if (!report_begin())
        return;
    subject = shadow_first_bad(address, bytes);
    culprit = pc;
    panic("address sanitizer: %s: %s of %lu byte%s at %016lx", kind_of(subject),
          write ? "write" : "read", bytes, bytes == 1 ? "" : "s", address);
}

_Noreturn void report_free(const char *why, const void *memory, u64 pc)
{
    if (!report_begin())
        power_off(1);
    subject = (u64)memory;
    culprit = pc;
    panic("address sanitizer: %s: free of %p", why, memory);
}

u64 report_subject(void)
{
    return subject;
}

u64 report_culprit(void)
{
    return culprit;
}
