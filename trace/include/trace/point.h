// SPDX-License-Identifier: MIT
// Parts of the generated emit functions (trace/events.h): the patched point, and the call of the
// append sequence. Only trace/events.h includes it.
#ifndef TRACE_POINT_H
#define TRACE_POINT_H

#include <trace/layout.h>

// Majors whose points are not even compiled. A host build has none, except tests of the trace
// module, which define TRACE_HOST_POINTS.
#ifndef TRACE_COMPILED_OUT
#if defined(__powerpc64__) || defined(TRACE_HOST_POINTS)
#define TRACE_COMPILED_OUT ((u64)TRACE_OMITTED)
#else
#define TRACE_COMPILED_OUT (~0UL)
#endif
#endif

u64 trace_mask(void);

// Returns whether events of a major are logged now, for callers that must first gather arguments.
static inline bool trace_enabled(u32 major)
{
    return !(TRACE_COMPILED_OUT >> major & 1) && (trace_mask() >> major & 1);
}

// Logs an event with a text. header: counts the fixed data words, at words. The text follows them,
// cut to the space left. Any context, like the generated functions.
void trace_append_text(u32 header, const u64 *words, const char *text);

#define TRACE_REFUSED UINT32_MAX // instead of a minor: the description was refused

#define TRACE_INLINE static inline __attribute__((always_inline)) void

#ifdef __powerpc64__

// One nop, patched to a branch to label while its major is enabled. .trace_points lists it.
#define TRACE_POINT(number, label)                                                                 \
    do {                                                                                           \
        if ((TRACE_COMPILED_OUT >> (number)) & 1)                                                  \
            break;                                                                                 \
        __asm__ goto("1: nop\n"                                                                    \
                     ".pushsection .trace_points,\"a\",@progbits\n"                                \
                     ".balign 8\n"                                                                 \
                     ".quad 1b, %l[" #label "], %c[major]\n"                                       \
                     ".popsection"                                                                 \
                     :                                                                             \
                     : [major] "i"(number)                                                         \
                     :                                                                             \
                     : label);                                                                     \
    } while (0)

// trace_append_<n> (sequence.S): header in r12, data words in r9, r8, … It changes only the
// registers named here, even on the slow path. So a point costs its function no frame and no
// spills.
#define TRACE_APPEND(words, ...)                                                                   \
    register u64 r12 __asm__("r12") = header;                                                      \
    __asm__ volatile("bl trace_append_" #words                                                     \
                     : "+r"(r12)                                                                   \
                     : __VA_ARGS__                                                                 \
                     : "r0", "r10", "r11", "cr0", "lr")

TRACE_INLINE trace_emit_0(u32 header)
{
    TRACE_APPEND(0, );
}

TRACE_INLINE trace_emit_1(u32 header, u64 word0)
{
    register u64 r9 __asm__("r9") = word0;
    TRACE_APPEND(1, "r"(r9));
}

TRACE_INLINE trace_emit_2(u32 header, u64 word0, u64 word1)
{
    register u64 r9 __asm__("r9") = word0;
    register u64 r8 __asm__("r8") = word1;
    TRACE_APPEND(2, "r"(r9), "r"(r8));
}

TRACE_INLINE trace_emit_3(u32 header, u64 word0, u64 word1, u64 word2)
{
    register u64 r9 __asm__("r9") = word0;
    register u64 r8 __asm__("r8") = word1;
    register u64 r7 __asm__("r7") = word2;
    TRACE_APPEND(3, "r"(r9), "r"(r8), "r"(r7));
}

TRACE_INLINE trace_emit_4(u32 header, u64 word0, u64 word1, u64 word2, u64 word3)
{
    register u64 r9 __asm__("r9") = word0;
    register u64 r8 __asm__("r8") = word1;
    register u64 r7 __asm__("r7") = word2;
    register u64 r6 __asm__("r6") = word3;
    TRACE_APPEND(4, "r"(r9), "r"(r8), "r"(r7), "r"(r6));
}

TRACE_INLINE trace_emit_5(u32 header, u64 word0, u64 word1, u64 word2, u64 word3, u64 word4)
{
    register u64 r9 __asm__("r9") = word0;
    register u64 r8 __asm__("r8") = word1;
    register u64 r7 __asm__("r7") = word2;
    register u64 r6 __asm__("r6") = word3;
    register u64 r5 __asm__("r5") = word4;
    TRACE_APPEND(5, "r"(r9), "r"(r8), "r"(r7), "r"(r6), "r"(r5));
}

TRACE_INLINE trace_emit_6(u32 header, u64 word0, u64 word1, u64 word2, u64 word3, u64 word4,
                          u64 word5)
{
    register u64 r9 __asm__("r9") = word0;
    register u64 r8 __asm__("r8") = word1;
    register u64 r7 __asm__("r7") = word2;
    register u64 r6 __asm__("r6") = word3;
    register u64 r5 __asm__("r5") = word4;
    register u64 r4 __asm__("r4") = word5;
    TRACE_APPEND(6, "r"(r9), "r"(r8), "r"(r7), "r"(r6), "r"(r5), "r"(r4));
}

#else // host: a simple test of the mask, and the slow path for every event

void trace_append_slow(u32 header, const u64 *words);

#define TRACE_POINT(number, label)                                                                 \
    do {                                                                                           \
        if (trace_enabled(number))                                                                 \
            goto label;                                                                            \
    } while (0)

TRACE_INLINE trace_emit_0(u32 header)
{
    trace_append_slow(header, NULL);
}

TRACE_INLINE trace_emit_1(u32 header, u64 word0)
{
    trace_append_slow(header, (const u64[]){word0});
}

TRACE_INLINE trace_emit_2(u32 header, u64 word0, u64 word1)
{
    trace_append_slow(header, (const u64[]){word0, word1});
}

TRACE_INLINE trace_emit_3(u32 header, u64 word0, u64 word1, u64 word2)
{
    trace_append_slow(header, (const u64[]){word0, word1, word2});
}

TRACE_INLINE trace_emit_4(u32 header, u64 word0, u64 word1, u64 word2, u64 word3)
{
    trace_append_slow(header, (const u64[]){word0, word1, word2, word3});
}

TRACE_INLINE trace_emit_5(u32 header, u64 word0, u64 word1, u64 word2, u64 word3, u64 word4)
{
    trace_append_slow(header, (const u64[]){word0, word1, word2, word3, word4});
}

TRACE_INLINE trace_emit_6(u32 header, u64 word0, u64 word1, u64 word2, u64 word3, u64 word4,
                          u64 word5)
{
    trace_append_slow(header, (const u64[]){word0, word1, word2, word3, word4, word5});
}

#endif
#endif
