// SPDX-License-Identifier: MIT
// The search for what a position is worth.
#ifndef FHOUR_SEARCH_H
#define FHOUR_SEARCH_H

#include "board.h"
#include "table.h"

struct found {
    enum value value; // LOSS, DRAW or WIN
    u64 positions;    // visited
};

// Searches a position in which nobody has won. The table has been made and is empty.
struct found search(const struct board *board);

#endif
