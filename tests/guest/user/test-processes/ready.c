// SPDX-License-Identifier: MIT
// The word: the first of a page that the parent grants to all of its children.
#include "ready.h"

#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdlib.h>
#include <waiting.h>

static u64 *word;

static s64 map(cap_t memory)
{
    struct sys_region region = {
        .bytes = 0x1000, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};

    s64 error = sys_region_create(0, &region);
    if (error == 0)
        word = (u64 *)region.address;
    return error;
}

cap_t ready_share(void)
{
    static s64 memory;

    if (memory == 0) {
        if ((memory = sys_memory_new("ready", 0x1000)) < 0 || map((cap_t)memory) != 0)
            abort();
    }
    return (cap_t)memory;
}

void ready_say(void)
{
    if (word == NULL && map(SLOT_READY) != 0)
        return; // whoever has started this program does not want to know
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

void ready_forget(void)
{
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

bool ready_wait(void)
{
    return WAIT_FOR(__atomic_load_n(word, __ATOMIC_ACQUIRE) != 0);
}
