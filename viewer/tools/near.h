// SPDX-License-Identifier: MIT
// "Did you mean …": of the words that there are, the one nearest to what was typed.
#ifndef KOV_NEAR_H
#define KOV_NEAR_H

#include <orrery/types.h>
#include <stddef.h>

#define NEAR_BYTES 64

// typed and length are set; all else is zero.
struct near {
    const char *typed;
    size_t length;
    u32 distance; // of `word`; 0: none is near
    char word[NEAR_BYTES];
    char hint[NEAR_BYTES + 32];
};

// The first of the nearest stays.
void near_offer(struct near *near, const char *word, size_t length);
// " (did you mean 'word'?)", or "" when none is near.
const char *near_hint(struct near *near);

#endif
