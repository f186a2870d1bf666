// SPDX-License-Identifier: MIT
// The target's memory: where data of calls lies, with every kind of edge, and what it shares with
// the supervisor.
#include "target.h"

#include <orrery/memory.h>
#include <syscalls/numbers.h>

static s64 map(u64 address, u64 bytes, u32 kind, u32 prot, u64 offset, cap_t memory)
{
    struct sys_region region = {.address = address,
                                .bytes = bytes,
                                .kind = kind,
                                .prot = prot,
                                .memory = memory,
                                .offset = offset};
    return call(SYS_REGION_CREATE, 0, (u64)&region, 0, 0);
}

void *copy(void *to, const void *from, u64 bytes)
{
    u8 *out = to;
    const u8 *in = from;
    for (u64 i = 0; i < bytes; i++)
        out[i] = in[i];
    return to;
}

static void map_slot(void)
{
    u64 writable = FUZZ_SLOT_WRITABLE;
    if (map(SLOT_AT, writable, REGION_SHARED, PROT_R | PROT_W, 0, FUZZ_GRANT_SLOT) != 0)
        call(SYS_EXIT, 2, 0, 0, 0);
    map(SLOT_AT + writable, sizeof(struct fuzz_slot) - writable, REGION_SHARED, PROT_R, writable,
        FUZZ_GRANT_SLOT);
    map(COVERAGE_AT, FUZZ_PAGE, REGION_SHARED, PROT_R, 0, FUZZ_GRANT_COVERAGE);
    map(COMMON_AT, FUZZ_PAGE, REGION_SHARED, PROT_R | PROT_W, 0, FUZZ_GRANT_COMMON);
}

void memory_map(void)
{
    map(AREA, AREA_PAGES * FUZZ_PAGE, REGION_ANONYMOUS, PROT_R | PROT_W, 0, 0);
    map(AREA_OTHER, 2 * FUZZ_PAGE, REGION_ANONYMOUS, PROT_R | PROT_W, 0, 0);
    map(AREA_EXECUTABLE, FUZZ_PAGE, REGION_ANONYMOUS, PROT_R | PROT_X, 0, 0);
    call(SYS_REGION_PROTECT, AREA_READ_ONLY, FUZZ_PAGE, PROT_R, 0);
    map_slot();
}
