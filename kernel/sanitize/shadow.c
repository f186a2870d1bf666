// SPDX-License-Identifier: MIT
// What writes and reads the shadow.
#include "shadow.h"

#include <kernel/memory.h>
#include <string.h>

static u64 memory_end; // physical

void shadow_begin(u64 end)
{
    memory_end = end;
}

bool shadow_is_memory(u64 address)
{
    return address - LINEAR_BASE < memory_end;
}

bool shadow_covers(u64 address)
{
    return shadow_is_memory(address) || address - STACKS_BASE < STACK_UNITS * STACK_UNIT;
}

void shadow_poison(u64 address, u64 bytes, enum shadow why)
{
    memset(shadow_of(address), (int)why, bytes >> SHADOW_SHIFT);
}

void shadow_unpoison(u64 address, u64 bytes)
{
    memset(shadow_of(address), 0, bytes >> SHADOW_SHIFT);
    if (bytes % SHADOW_GRANULE != 0)
        *shadow_of(address + bytes) = bytes % SHADOW_GRANULE;
}

void shadow_set(u64 address, u64 bytes, u64 end, enum shadow why)
{
    u64 behind = ALIGN_UP(address + bytes, SHADOW_GRANULE);

    shadow_unpoison(address, bytes);
    shadow_poison(behind, end - behind, why);
}

// May a granule be accessed up to, but without, `until` of its bytes?
static bool granule_allows(u8 shadow, u64 until)
{
    return shadow == 0 || (shadow < SHADOW_GRANULE && until <= shadow);
}

u64 shadow_first_bad(u64 address, u64 bytes)
{
    u64 at = address, end = address + bytes;

    if (address < LINEAR_BASE || end < address)
        return address;
    while (at < end) {
        u64 granule = ALIGN_DOWN(at, SHADOW_GRANULE);
        const u8 *shadow = shadow_of(granule);
        if ((u64)shadow % 8 == 0 && end - granule >= 64 && *(const u64 *)shadow == 0) {
            at = granule + 64;
            continue;
        }
        u64 until = end - granule < SHADOW_GRANULE ? end - granule : SHADOW_GRANULE;
        if (!granule_allows(*shadow, until))
            return *shadow < SHADOW_GRANULE && at < granule + *shadow ? granule + *shadow : at;
        at = granule + SHADOW_GRANULE;
    }
    return end;
}

bool shadow_allows(u64 address, u64 bytes)
{
    return bytes == 0 || shadow_first_bad(address, bytes) == address + bytes;
}

// The reason of a granule that may be accessed in part stands behind it.
u8 shadow_reason(u64 address)
{
    u8 shadow = *shadow_of(address);

    return shadow < SHADOW_GRANULE ? *shadow_of(address + SHADOW_GRANULE) : shadow;
}
