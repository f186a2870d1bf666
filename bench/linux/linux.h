// SPDX-License-Identifier: MIT
// What a program needs of Linux without a C library: the kernel's own headers, the system call, and
// a thread or process with a stack of its own.
#ifndef BENCH_LINUX_H
#define BENCH_LINUX_H

#include <asm/unistd.h>

#define NULL ((void *)0)

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long s64;

// Returns the result, or an error as a negative number. scv is the faster of the two ways that
// Linux has on this processor, and what its C libraries use.
static inline s64 sys(u64 number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
    register u64 r0 __asm__("r0") = number;
    register u64 r3 __asm__("r3") = a;
    register u64 r4 __asm__("r4") = b;
    register u64 r5 __asm__("r5") = c;
    register u64 r6 __asm__("r6") = d;
    register u64 r7 __asm__("r7") = e;
    register u64 r8 __asm__("r8") = f;

    __asm__ volatile(".machine push\n.machine power9\nscv 0\n.machine pop"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
                     :
                     : "memory", "lr", "ctr", "cr0", "cr1", "cr5", "cr6", "cr7", "r9", "r10", "r11",
                       "r12");
    return (s64)r3;
}

#define SYS_6(number, a, b, c, d, e, f, ...)                                                       \
    sys(number, (u64)(a), (u64)(b), (u64)(c), (u64)(d), (u64)(e), (u64)(f))
// SYS(read, fd, buffer, bytes): the system call of that name. Arguments that are left out are 0.
#define SYS(name, ...) SYS_6(__NR_##name, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)

// clone(2) with these flags; the child calls function(argument) on the stack that ends at top, and
// exits. ctid is written as the flags say. Returns the child's id, or an error.
s64 clone_call(u64 flags, void *top, u32 *ctid, void (*function)(void *), void *argument);

#endif
