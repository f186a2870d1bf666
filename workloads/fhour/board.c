// SPDX-License-Identifier: MIT
// Lines of four, and moves given as text.
#include "board.h"

// Places that complete a line in one direction: three stones beside, in any of four patterns.
static inline u64 completing_in(u64 stones, u32 step)
{
    u64 two = (stones << step) & (stones << 2 * step);
    u64 places = two & (stones << 3 * step);

    places |= two & (stones >> step);
    two = (stones >> step) & (stones >> 2 * step);
    places |= two & (stones << step);
    return places | (two & (stones >> 3 * step));
}

APART u64 board_completing(u64 stones, u64 taken)
{
    u64 places = (stones << 1) & (stones << 2) & (stones << 3); // upwards

    places |= completing_in(stones, COLUMN_BITS);
    places |= completing_in(stones, COLUMN_BITS + 1);
    places |= completing_in(stones, COLUMN_BITS - 1);
    return places & ALL & ~taken;
}

bool board_play(struct board *board, const char *moves)
{
    *board = (struct board){0};
    for (; *moves != '\0'; moves++) {
        u64 column = (u64)(*moves - '1');
        if (column >= COLUMNS)
            return false;
        u64 place = board_open(board) & ((1UL << ROWS) - 1) << column * COLUMN_BITS;
        if (place == 0 || (board_completing(board->own, board->taken) & place) != 0)
            return false;
        *board = board_after(board, place);
    }
    return board->count < PLACES;
}
