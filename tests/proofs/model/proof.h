// SPDX-License-Identifier: MIT
// What harnesses are written with.
#ifndef TESTS_PROOFS_MODEL_PROOF_H
#define TESTS_PROOFS_MODEL_PROOF_H

#include <__fc_builtin.h>
#include <orrery/types.h>
#include <string.h>

// Any value from low to high, all at once.
#define ANY_U8(low, high) Frama_C_unsigned_char_interval(low, high)
#define ANY_U16(low, high) Frama_C_unsigned_short_interval(low, high)
#define ANY_U32(low, high) Frama_C_unsigned_int_interval(low, high)
#define ANY_U64(low, high) Frama_C_unsigned_long_interval(low, high)
#define ANY_S64(low, high) Frama_C_long_interval(low, high)
#define EITHER() ((bool)Frama_C_nondet(0, 1))

// Copies. Of nothing, they may be given any address, as ours may;
// Frama-C's contracts ask for a valid one.
static inline void *proof_memcpy(void *to, const void *from, u64 bytes)
{
    return bytes == 0 ? to : memcpy(to, from, bytes);
}

static inline void *proof_memmove(void *to, const void *from, u64 bytes)
{
    return bytes == 0 ? to : memmove(to, from, bytes);
}

static inline void *proof_memset(void *to, int byte, u64 bytes)
{
    return bytes == 0 ? to : memset(to, byte, bytes);
}
#define memcpy proof_memcpy
#define memmove proof_memmove
#define memset proof_memset

#endif
