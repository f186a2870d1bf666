// SPDX-License-Identifier: MIT
// UTF-8 to and from characters of 16 and 32 bits. What is known of a character that is not complete
// is in the caller's state: its value so far, and in the count how many bytes it has in all and how
// many are still to come; or that half of a pair of 16 bits is left.
#include <uchar.h>

#include <errno.h>
#include <orrery/types.h>
#include <string.h>

#define MISSING 0x0f     // bytes to come
#define LENGTH_SHIFT 4   // bytes in all
#define FIRST_HALF 0x100 // of a pair has been written; the value is what it gives
#define LAST_HALF 0x200  // of a pair is to be read; it is the value

#define ILLEGAL ((size_t)-1)
#define INCOMPLETE ((size_t)-2)
#define WAS_LEFT ((size_t)-3)

#define HIGH_HALVES 0xd800
#define LOW_HALVES 0xdc00
#define HALVES_END 0xe000
#define PLANES 0x10000 // from here on, a pair each

static void set(mbstate_t *state, u32 count, u32 value)
{
    state->__count = (int)count;
    state->__value.__wch = value;
}

static size_t illegal(mbstate_t *state)
{
    set(state, 0, 0);
    errno = EILSEQ;
    return ILLEGAL;
}

static bool exists(u32 character)
{
    return character < 0x110000 && (character < HIGH_HALVES || character >= HALVES_END);
}

// Returns how many bytes a character takes.
static u32 length_of(u32 character)
{
    return character < 0x80 ? 1 : character < 0x800 ? 2 : character < PLANES ? 3 : 4;
}

// Begins a character. Returns false if none begins so.
static bool begin(mbstate_t *state, u8 first)
{
    u32 length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first > 0xf4)
        return false;
    set(state, length << LENGTH_SHIFT | (length - 1), length == 1 ? first : first & 0x7f >> length);
    return true;
}

// Returns how many bytes it took, INCOMPLETE or ILLEGAL.
static size_t take(mbstate_t *state, const u8 *from, size_t bytes)
{
    size_t used = 0;
    if (bytes > 0 && state->__count == 0 && !begin(state, from[used++]))
        return ILLEGAL;
    for (; used < bytes && (state->__count & MISSING) != 0; state->__count--) {
        u8 next = from[used++];
        if ((next & 0xc0) != 0x80)
            return ILLEGAL;
        state->__value.__wch = state->__value.__wch << 6 | (next & 0x3f);
    }
    return state->__count == 0 || (state->__count & MISSING) != 0 ? INCOMPLETE : used;
}

size_t mbrtoc32(char32_t *restrict to, const char *restrict from, size_t bytes,
                mbstate_t *restrict state)
{
    static mbstate_t own;
    if (state == NULL)
        state = &own;
    if (from == NULL)
        return mbrtoc32(NULL, "", 1, state);
    size_t used = take(state, (const u8 *)from, bytes);
    if (used == INCOMPLETE)
        return INCOMPLETE;
    u32 character = state->__value.__wch;
    if (used == ILLEGAL || !exists(character) ||
        length_of(character) != (u32)state->__count >> LENGTH_SHIFT)
        return illegal(state);
    set(state, 0, 0);
    if (to != NULL)
        *to = character;
    return character == 0 ? 0 : used;
}

size_t mbrtoc16(char16_t *restrict to, const char *restrict from, size_t bytes,
                mbstate_t *restrict state)
{
    static mbstate_t own;
    if (state == NULL)
        state = &own;
    if (from == NULL)
        return mbrtoc16(NULL, "", 1, state);
    char32_t character = state->__value.__wch;
    size_t used = WAS_LEFT;
    if (state->__count == LAST_HALF)
        set(state, 0, 0);
    else
        used = mbrtoc32(&character, from, bytes, state);
    if (used == ILLEGAL || used == INCOMPLETE)
        return used;
    if (character >= PLANES) {
        set(state, LAST_HALF, LOW_HALVES | (character & 0x3ff));
        character = HIGH_HALVES + ((character - PLANES) >> 10);
    }
    if (to != NULL)
        *to = (char16_t)character;
    return used;
}

size_t c32rtomb(char *restrict to, char32_t character, mbstate_t *restrict state)
{
    static const u8 marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (to == NULL)
        return 1;
    if (!exists(character)) {
        errno = EILSEQ;
        return ILLEGAL;
    }
    (void)state; // nothing is ever left
    u32 length = length_of(character);
    for (u32 i = length - 1; i > 0; i--, character >>= 6)
        to[i] = (char)(0x80 | (character & 0x3f));
    to[0] = (char)(marks[length] | character);
    return length;
}

size_t c16rtomb(char *restrict to, char16_t half, mbstate_t *restrict state)
{
    static mbstate_t own;
    if (state == NULL)
        state = &own;
    if (to == NULL) {
        set(state, 0, 0);
        return 1;
    }
    bool low = half >= LOW_HALVES && half < HALVES_END;
    if ((state->__count == FIRST_HALF) != low)
        return illegal(state);
    if (half >= HIGH_HALVES && half < LOW_HALVES) {
        set(state, FIRST_HALF, PLANES + ((u32)(half - HIGH_HALVES) << 10));
        return 0;
    }
    char32_t character = low ? (u32)state->__value.__wch | (half & 0x3ff) : half;
    set(state, 0, 0);
    return c32rtomb(to, character, state);
}
