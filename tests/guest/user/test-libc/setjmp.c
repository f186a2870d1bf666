// SPDX-License-Identifier: MIT
// setjmp.h: values, depth, and that callee-saved registers, floating-point ones too, come back.
#include "tests.h"

#include <orrery/types.h>
#include <setjmp.h>

#define PATTERN 0x0123456789abcdefUL

static jmp_buf buffer;

static void __attribute__((noinline)) jump(int depth, int value)
{
    volatile char frame[64];
    frame[0] = (char)depth;
    if (depth == 0)
        longjmp(buffer, value);
    if (depth > 0)
        jump(depth - 1, value);
    frame[1] = frame[0];
}

static void values(void)
{
    volatile int round = 0;
    int value = setjmp(buffer);
    if (round == 0) {
        EXPECT(value == 0);
        round = 1;
        jump(0, 5);
    } else if (round == 1) {
        EXPECT(value == 5);
        round = 2;
        jump(10, 0);
    } else if (round == 2) {
        EXPECT(value == 1); // 0 becomes 1
        round = 3;
        jump(200, -7);
    }
    EXPECT(round == 3 && value == -7);
}

// Spoils every callee-saved register that a C function can.
static void __attribute__((noinline)) spoil(void)
{
    __asm__ volatile("li 14,-1\n li 20,-1\n li 31,-1\n"
                     "xor 15,15,15\n fsub 14,14,14\n fsub 20,20,20\n fsub 31,31,31\n"
                     :
                     :
                     : "r14", "r15", "r20", "r31", "fr14", "fr20", "fr31");
    longjmp(buffer, 1);
}

// The C standard promises less than the ABI, which is what is tested.
#pragma GCC diagnostic ignored "-Wclobbered"
static void registers(void)
{
    register double a __asm__("fr14") = 1.25, b __asm__("fr31") = -3.5;
    register long c __asm__("r14") = 0x1122334455667788, d __asm__("r30") = 99;
    __asm__ volatile("" : "+f"(a), "+f"(b), "+r"(c), "+r"(d));
    if (setjmp(buffer) == 0)
        spoil();
    __asm__ volatile("" : "+f"(a), "+f"(b), "+r"(c), "+r"(d));
    EXPECT(a == 1.25 && b == -3.5);
    EXPECT(c == 0x1122334455667788 && d == 99);
}

// What stands around a buffer stays as it was.
static void neighbours(void)
{
    static struct {
        u64 before[16];
        jmp_buf buffer;
        u64 behind[16];
    } guarded;
    volatile int value;

    for (u32 i = 0; i < 16; i++)
        guarded.before[i] = guarded.behind[i] = PATTERN + i;
    value = setjmp(guarded.buffer);
    if (value == 0)
        longjmp(guarded.buffer, 3);
    EXPECT(value == 3);
    for (u32 i = 0; i < 16; i++)
        EXPECT(guarded.before[i] == PATTERN + i && guarded.behind[i] == PATTERN + i);
}

void test_setjmp(void)
{
    neighbours();
    values();
    registers();
}
