// SPDX-License-Identifier: MIT
// "Did you mean …": finds the known word that is nearest to what was typed.
#ifndef KOV_NEAR_H
#define KOV_NEAR_H

#include <orrery/types.h>
#include <stddef.h>

#define NEAR_BYTES 64

// The caller sets typed and length. All else is zero at first.
struct near {
    const char *typed;
    size_t length;
    u32 distance; // of `word`; 0: no word is near
    char word[NEAR_BYTES];
    char hint[NEAR_BYTES + 32];
};

// Offers a word. Of several nearest words the first one stays.
void near_offer(struct near *near, const char *word, size_t length);
// Returns " (did you mean 'word'?)", or "" when no word is near.
const char *near_hint(struct near *near);

#endif
