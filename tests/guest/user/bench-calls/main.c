// SPDX-License-Identifier: MIT
// What it costs to enter and leave the kernel. Under -icount, where a nanosecond is an instruction,
// in instructions of the whole path, `sc` included. Lines "BENCH name value unit".
#include <orrery/memory.h>
#include <stdio.h>
#include <syscalls/numbers.h>
#include <user/time.h>

#include "told.h"

#define ROUNDS 10000
#define PAGES 512
#define PAGE_BYTES 4096

// One round of a loop with, or without, a system call that does nothing (0 is no call's number).
static inline void round_of(bool call)
{
    register u64 r0 __asm__("r0") = 0;
    register u64 r3 __asm__("r3") = 0;
    if (call)
        __asm__ volatile("sc"
                         : "+r"(r0), "+r"(r3)
                         :
                         : "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr", "xer",
                           "cr0", "cr1", "cr5", "cr6", "cr7", "memory");
    else
        __asm__ volatile("" : "+r"(r0), "+r"(r3) : : "memory");
}

static u64 ticks_of(bool call)
{
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++)
        round_of(call);
    return time_now() - begin;
}

// Of a line's operations, once.
static double nanoseconds(u64 ticks, u64 operations)
{
    told(operations);
    return (double)ticks * 1e9 / (double)time_hz() / (double)operations;
}

static void null_call(void)
{
    ticks_of(true);
    u64 with = ticks_of(true), without = ticks_of(false);
    printf("BENCH null_system_call %.1f instructions\n", nanoseconds(with - without, ROUNDS));
}

static void own_pid(void)
{
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++)
        sys_process_pid(0);
    printf("BENCH system_call_pid %.1f instructions\n", nanoseconds(time_now() - begin, ROUNDS));
}

static void zero_fill(void)
{
    struct sys_region region = {
        .bytes = PAGES * PAGE_BYTES, .kind = REGION_ANONYMOUS, .prot = PROT_R | PROT_W};
    if (sys_region_create(0, &region) != 0)
        return;
    volatile char *memory = (volatile char *)region.address;
    u64 begin = time_now();
    for (u32 i = 0; i < PAGES; i++)
        memory[(u64)i * PAGE_BYTES] = 1;
    printf("BENCH page_fault_zero_fill %.1f instructions\n",
           nanoseconds(time_now() - begin, PAGES));
    sys_region_destroy(region.address);
}

int main(void)
{
    null_call();
    own_pid();
    zero_fill();
    return 0;
}
