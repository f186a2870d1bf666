// SPDX-License-Identifier: MIT
// memcpy (runtime/src/memcpy.S) against plain C: all lengths to 300 and some beyond, both sides at
// all places of a quadword, and nothing around the copy is touched.
#include "tests.h"

#include <string.h>

#define SIDE 16 // places in a quadword
#define GUARD 32
#define ALL_TO 300
#define LONGEST 4200
#define ROOM (LONGEST + SIDE + 2 * GUARD)

static unsigned char from[ROOM] __attribute__((aligned(SIDE)));
static unsigned char to[ROOM] __attribute__((aligned(SIDE)));

// Both are filled differently everywhere: a byte that is copied wrongly, or too much, is seen.
static int is_copied(size_t source, size_t place, size_t bytes)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy; // not the compiler's own
    size_t end = place + bytes + GUARD;
    for (size_t i = 0; i < end; i++)
        to[i] = (unsigned char)(i * 5 + 128);
    if (copy(to + place, from + source, bytes) != to + place)
        return 0;
    for (size_t i = 0; i < end; i++) {
        int inside = i >= place && i - place < bytes;
        if (to[i] != (inside ? from[source + i - place] : (unsigned char)(i * 5 + 128)))
            return 0;
    }
    return 1;
}

static int are_copied(size_t bytes)
{
    int right = 1;
    for (size_t source = 0; source < SIDE; source++)
        for (size_t place = 0; place < SIDE; place++)
            right &= is_copied(GUARD + source, GUARD + place, bytes);
    return right;
}

void test_copies(void)
{
    static const size_t longer[] = {383, 384, 385, 511, 512, 513, 640, 4095, 4096, 4097, LONGEST};
    for (size_t i = 0; i < ROOM; i++)
        from[i] = (unsigned char)(i * 11 ^ i >> 8);
    for (size_t bytes = 0; bytes <= ALL_TO; bytes++)
        EXPECT(are_copied(bytes));
    for (size_t i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
        EXPECT(are_copied(longer[i]));
}
