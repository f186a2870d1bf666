// SPDX-License-Identifier: MIT
// Random system calls with random arguments: whatever they do, only this process may suffer.
#include "attempts.h"

#include <orrery/memory.h>
#include <orrery/user.h>
#include <syscalls/numbers.h>
#include <user/time.h>

#define BUFFER_BYTES 0x20000
#define BUFFER_WORDS (BUFFER_BYTES / 8)

static volatile u64 *made;
static u64 buffer[BUFFER_WORDS];
static u64 state;

static u64 next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static const u64 places[] = {
    USER_START,         USER_IMAGE,         USER_HEAP,          USER_MAP,
    USER_INSPECT,       USER_WINDOW,        USER_END,           USER_WINDOW + WINDOW_MESSAGE,
    USER_END - 8,       0xC000000000000000, 0xC000000000c00000, 0xC000100000000000,
    0x8000000000000000, UINT64_MAX,         UINT64_MAX - 7,     UINT32_MAX,
    0x7fffffff,         0x80000000,
};

static u64 argument(void)
{
    switch (next() % 8) {
    case 0:
        return 0;
    case 1:
    case 2:
        return next() % 32;
    case 3:
    case 4:
        return (u64)buffer + (next() % BUFFER_BYTES & (next() % 4 != 0 ? ~7UL : ~0UL));
    case 5:
        return places[next() % ARRAY_SIZE(places)];
    case 6:
        return next() % 256 * 0x1000;
    default:
        return next() >> next() % 64;
    }
}

// Structs as they might be: words like arguments, or two small numbers in one.
static void fill(u64 from, u64 words)
{
    for (u64 i = from; i < from + words && i < BUFFER_WORDS; i++)
        buffer[i] = next() % 2 != 0 ? argument() : (next() % 8 << 32 | next() % 8);
}

// Those that would end the process, or the test's patience, at once.
static bool spared(u64 number)
{
    return number == SYS_EXIT || number == SYS_CONSOLE_WRITE ||
           (number == SYS_DISPATCHER_CREATE && next() % 256 != 0);
}

static u64 number(void)
{
    u64 result;

    do {
        switch (next() % 16) {
        case 0:
            result = next();
            break;
        case 1:
        case 2:
            result = SYSCALL_SPECIAL_FIRST + next() % (SYSCALL_SPECIAL_COUNT + 2);
            break;
        default:
            result = next() % (SYSCALL_COUNT + 2);
        }
    } while (spared(result));
    return result;
}

static void raw_call(void)
{
    register u64 r0 __asm__("r0") = number();
    register u64 r3 __asm__("r3") = argument();
    register u64 r4 __asm__("r4") = argument();
    register u64 r5 __asm__("r5") = argument();
    register u64 r6 __asm__("r6") = argument();
    register u64 r7 __asm__("r7") = argument();
    register u64 r8 __asm__("r8") = argument();
    register u64 r9 __asm__("r9") = argument();
    register u64 r10 __asm__("r10") = argument();

    __asm__ volatile("sc"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8),
                       "+r"(r9), "+r"(r10)
                     :
                     : "r11", "r12", "ctr", "xer", "cr0", "cr1", "cr5", "cr6", "cr7", "memory");
}

static void map_count(cap_t memory)
{
    struct sys_region region = {
        .bytes = 0x1000, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};

    if (sys_region_create(0, &region) != 0)
        sys_exit(1);
    made = (volatile u64 *)region.address;
}

cap_t random_share(void)
{
    s64 memory = sys_memory_new("count", 0x1000);

    if (memory < 0)
        sys_exit(1);
    map_count((cap_t)memory);
    return (cap_t)memory;
}

u64 random_calls_made(void)
{
    return *made;
}

void random_calls(u64 count)
{
    map_count(SLOT_RANDOM_COUNT);
    state = time_now() | 1;
    fill(0, BUFFER_WORDS);
    for (u64 i = 0; i < count; i++) {
        raw_call();
        fill(next() % BUFFER_WORDS, 4);
        (*made)++;
    }
}
