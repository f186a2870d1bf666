// SPDX-License-Identifier: MIT
// Tells whether an access that failed went through a NULL pointer, and what it did: a field of a
// structure or an element of an array lies a little behind 0.
#ifndef ORRERY_NULL_POINTER_H
#define ORRERY_NULL_POINTER_H

#include <orrery/types.h>
#include <orrery/user.h>

#define NULL_CODE_WORDS 8 // of the code from the access on, that null_access looks at
#define NULL_DSISR_STORE 0x02000000

// Returns whether code calls through a function pointer. In ELFv1 one points at a descriptor, three
// words, so a call of NULL fails as a read of one of them: ld, mtctr, bctr or bctrl follow.
static inline bool null_is_call(const u32 *code, u32 words)
{
    bool moved = false;
    if (words == 0 || code[0] >> 26 != 58)
        return false;
    for (u32 i = 1; i < words; i++) {
        u32 operation = code[i] >> 26;
        if ((code[i] & ~1u) == 0x4e800420)
            return moved;
        if (operation == 16 || operation == 18 || operation == 19)
            return false;
        moved = moved || (code[i] & 0xfc1fffff) == 0x7c0903a6;
    }
    return false;
}

// Returns "read", "write" or "call" for an exception with this vector at this address, or NULL if
// it has nothing to do with a NULL pointer. code: the instructions from the one that failed on, as
// many as could be read.
static inline const char *null_access(u64 vector, u64 address, u64 dsisr, const u32 *code,
                                      u32 words)
{
    if (address >= USER_START)
        return NULL;
    if (vector == 0x400 || vector == 0x480)
        return "call";
    if (vector != 0x300 && vector != 0x380)
        return NULL;
    if (vector == 0x300 && (dsisr & NULL_DSISR_STORE))
        return "write";
    return address < 24 && null_is_call(code, words) ? "call" : "read";
}

#endif
