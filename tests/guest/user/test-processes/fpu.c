// SPDX-License-Identifier: MIT
// Floating-point registers are each thread's own: several processes on one CPU, each with numbers
// of its own in all registers, while they preempt one another.
#include "tests.h"

#include <string.h>
#include <user/time.h>

#define PROCESSES 3
#define SECONDS_TENTHS 3

// Puts seed … seed + 31 into the registers, lets time pass, and stores them.
static void keep(double seed, double *out)
{
    double numbers[32];

    for (u32 i = 0; i < 32; i++)
        numbers[i] = seed + i;
    __asm__ volatile(
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
        "30,31\n"
        "lfd \\n, 8*\\n(%0)\n"
        ".endr\n"
        "lis %%r9, 8\n"
        "mtctr %%r9\n"
        "1: bdnz 1b\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
        "30,31\n"
        "stfd \\n, 8*\\n(%1)\n"
        ".endr\n"
        :
        : "b"(numbers), "b"(out)
        : "r9", "ctr", "memory", "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8",
          "fr9", "fr10", "fr11", "fr12", "fr13", "fr14", "fr15", "fr16", "fr17", "fr18", "fr19",
          "fr20", "fr21", "fr22", "fr23", "fr24", "fr25", "fr26", "fr27", "fr28", "fr29", "fr30",
          "fr31");
}

int fpu_child(u64 seed)
{
    u64 end = time_now() + SECONDS_TENTHS * time_hz() / 10;
    double out[32];

    while (time_now() < end) {
        keep((double)seed, out);
        for (u32 i = 0; i < 32; i++) {
            if (out[i] != (double)seed + i)
                return 1;
        }
    }
    return 0;
}

void test_fpu(void)
{
    s64 pids[PROCESSES];

    for (u32 i = 0; i < PROCESSES; i++)
        pids[i] = start("fpu", 1000 * (i + 1), 0);
    for (u32 i = 0; i < PROCESSES; i++) {
        s64 status = wait_for(pids[i]);
        expect(status == 0, "floating-point registers are kept", status);
    }
}
