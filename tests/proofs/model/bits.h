// SPDX-License-Identifier: MIT
// The compiler's functions on bits, which Frama-C only knows the range of.
#ifndef TESTS_PROOFS_MODEL_BITS_H
#define TESTS_PROOFS_MODEL_BITS_H

#include <orrery/types.h>

static int lowest_bit(u64 word)
{
    int bit = 0;

    //@ check defined: word != 0;
    for (; (word & 1) == 0; word >>= 1)
        bit++;
    return bit;
}
#define __builtin_ctzl(word) lowest_bit(word)

#endif
