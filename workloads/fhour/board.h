// SPDX-License-Identifier: MIT
// A board of connect-four: seven columns of six places. A set of places is a word with seven bits a
// column, the lowest place first; the seventh bit is always 0, so that lines do not run on in the
// next column.
#ifndef FHOUR_BOARD_H
#define FHOUR_BOARD_H

#include <orrery/types.h>

// Of functions that a profile shows apart from their callers.
#define APART __attribute__((noipa))

#define COLUMNS 7
#define ROWS 6
#define COLUMN_BITS (ROWS + 1)
#define PLACES (COLUMNS * ROWS)

struct board {
    u64 own;   // stones of who is to move
    u64 taken; // all stones
    u32 count;
};

#define BOTTOM 0x0000040810204081UL // the lowest place of each column
#define ALL (BOTTOM * ((1UL << ROWS) - 1))

// Returns the places where the next stones of all columns come to lie.
static inline u64 board_open(const struct board *board)
{
    return (board->taken + BOTTOM) & ALL;
}

// Returns a number that no other position has: one bit above the stones tells how high columns are.
static inline u64 board_key(const struct board *board)
{
    return board->own + board->taken + BOTTOM;
}

// Returns the board behind a move to `place`, as who moves next sees it.
static inline struct board board_after(const struct board *board, u64 place)
{
    return (struct board){
        .own = board->own ^ board->taken, .taken = board->taken | place, .count = board->count + 1};
}

// Returns the free places that would make a line of four with these stones.
u64 board_completing(u64 stones, u64 taken);
// Plays moves, each a digit 1 … 7. Returns false if one cannot be played or wins.
bool board_play(struct board *board, const char *moves);

#endif
