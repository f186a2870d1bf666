// SPDX-License-Identifier: MIT
// What the console printed last: a ring that its writer never waits for. A reader copies first, and
// then looks whether the writer has come around meanwhile.
#include "console_device.h"

#include <orrery/errors.h>
#include <orrery/sys.h>

#define RING_BYTES 65536 // power of two

static char ring[RING_BYTES];
static u64 ring_begun, ring_done; // bytes ever put, or being put; and whole

void console_ring_put(const char *bytes, u64 count)
{
    u64 at = ring_done;

    __atomic_store_n(&ring_begun, at + count, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); // a reader of any new byte sees what was begun
    for (u64 i = 0; i < count; i++)
        ring[(at + i) % RING_BYTES] = bytes[i];
    __atomic_store_n(&ring_done, at + count, __ATOMIC_RELEASE);
}

u64 console_ring_end(void)
{
    return __atomic_load_n(&ring_done, __ATOMIC_ACQUIRE);
}

// Returns the first byte that is still there after so many have been begun.
static u64 oldest(u64 begun)
{
    return begun > RING_BYTES ? begun - RING_BYTES : 0;
}

s64 sys_console_output(u64 *position, void *buffer, u64 bytes)
{
    char *to = buffer;
    u64 done = console_ring_end();
    u64 from = *position < done ? *position : done;
    u64 first = oldest(__atomic_load_n(&ring_begun, __ATOMIC_RELAXED));

    from = from > first ? from : first;
    u64 count = done - from < bytes ? done - from : bytes;
    for (u64 i = 0; i < count; i++)
        to[i] = ring[(from + i) % RING_BYTES];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    first = oldest(__atomic_load_n(&ring_begun, __ATOMIC_RELAXED));
    if (first > from) // overwritten while it was copied: nothing of it is sure
        count = 0;
    *position = first > from ? first : from;
    return (s64)count;
}
