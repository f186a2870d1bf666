// SPDX-License-Identifier: MIT
// A word is near if at most two characters are added, missing or different, and no more than half
// of what was typed.
#include "tools/near.h"

#include <ctype.h>
#include <stdio.h>

#define MOST 2

// Returns Levenshtein's distance. Small and capital letters are the same.
static u32 distance_of(const char *one, size_t one_length, const char *other, size_t other_length)
{
    u32 row[NEAR_BYTES];
    for (size_t j = 0; j <= other_length; j++)
        row[j] = (u32)j;
    for (size_t i = 1; i <= one_length; i++) {
        u32 corner = row[0];
        row[0] = (u32)i;
        for (size_t j = 1; j <= other_length; j++) {
            bool same = tolower((unsigned char)one[i - 1]) == tolower((unsigned char)other[j - 1]);
            u32 changed = corner + (same ? 0 : 1);
            corner = row[j];
            row[j] = (u32)min_u64(changed, min_u64(row[j], row[j - 1]) + 1);
        }
    }
    return row[other_length];
}

void near_offer(struct near *near, const char *word, size_t length)
{
    if (length >= NEAR_BYTES || near->length >= NEAR_BYTES)
        return;
    u32 distance = distance_of(near->typed, near->length, word, length);
    bool nearer = near->distance == 0 || distance < near->distance;
    if (distance == 0 || distance > MOST || 2 * distance > near->length || !nearer)
        return;
    near->distance = distance;
    snprintf(near->word, sizeof(near->word), "%.*s", (int)length, word);
}

const char *near_hint(struct near *near)
{
    near->hint[0] = '\0';
    if (near->distance != 0)
        snprintf(near->hint, sizeof(near->hint), " (did you mean '%s'?)", near->word);
    return near->hint;
}
