// SPDX-License-Identifier: MIT
// cmocka with what it needs before it, and random bytes that are the same in every run.
#ifndef KOV_UNIT_H
#define KOV_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#undef fail // kov has a function of this name

// xorshift64*
static inline uint64_t unit_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

// How many rounds a fuzz test makes: KOV_FUZZ_ROUNDS, for longer runs alone.
static inline uint64_t unit_fuzz_rounds(uint64_t usual)
{
    const char *text = getenv("KOV_FUZZ_ROUNDS");
    return text == NULL ? usual : strtoull(text, NULL, 10);
}

#endif
