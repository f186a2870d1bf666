// SPDX-License-Identifier: MIT
// What a process finds in special purpose registers: nothing of the one that ran before, and no
// address of the kernel's. All 1,024 numbers are tried; those that are not there, or not for user
// code, end in an exception, after which the next one is tried.
#include "leaks.h"

#include <stdio.h>

#define REGISTERS 1024
#define LR 8 // these two are in use while others are tried; registers.S looks at them
#define CTR 9
#define SECRET 0x5ec2e75e5ec2e75e
#define REFUSED 0x0f0f
#define KERNEL 0xc // what addresses of the kernel begin with

u64 spr_read(u64 number, u64 otherwise);
void spr_write(u64 number, u64 value);

static u32 refused;

// Goes on behind the routine, which has no frame.
static bool next(const struct event *event, struct user_state *state)
{
    (void)event;
    refused++;
    state->pc = state->lr;
    state->gpr[3] = REFUSED;
    return true;
}

static bool is_leak(u32 number)
{
    u64 value = spr_read(number, REFUSED);
    bool leak = value == SECRET || value == (u32)SECRET || value >> 60 == KERNEL;

    if (leak)
        tell("FAIL SPR %u is %#llx\n", number, (unsigned long long)value);
    return leak;
}

static s32 access_all(bool writes)
{
    s32 leaks = 0;

    for (u32 number = 0; number < REGISTERS; number++) {
        if (number == LR || number == CTR)
            continue;
        if (writes)
            spr_write(number, SECRET);
        else
            leaks += is_leak(number);
    }
    return leaks;
}

s32 spr_role(bool writes, u32 passes)
{
    s32 leaks = 0;

    if (user_on_exception(next) != 0)
        return -1;
    for (u32 i = 0; i < passes && leaks == 0; i++)
        leaks = access_all(writes);
    printf("%u special purpose registers can be %s\n", REGISTERS - 2 - refused / passes,
           writes ? "written" : "read");
    return leaks;
}
