// SPDX-License-Identifier: MIT
// Alpha-beta search (Knuth and Moore, An analysis of alpha-beta pruning, 1975) with the hash table.
// Moves that have cut searches off before are tried first.
#include "search.h"

static u64 positions;
static s32 weights[2][COLUMNS * COLUMN_BITS]; // by who moves, and place

struct moves {
    u32 count;
    u8 place[COLUMNS]; // bit numbers
};

static enum value opposite(enum value value)
{
    return (enum value)(VALUE_WIN + VALUE_LOSS - value);
}

// Inserts the places by falling weight.
static APART void moves_order(struct moves *moves, u64 places, u32 mover)
{
    moves->count = 0;
    for (; places != 0; places &= places - 1) {
        u32 place = (u32)__builtin_ctzl(places), at = moves->count++;
        while (at > 0 && weights[mover][moves->place[at - 1]] < weights[mover][place]) {
            moves->place[at] = moves->place[at - 1];
            at--;
        }
        moves->place[at] = (u8)place;
    }
}

// The move at `best` has cut off; those before it have not.
static APART void moves_learn(const struct moves *moves, u32 best, u32 mover)
{
    for (u32 i = 0; i < best; i++)
        weights[mover][moves->place[i]]--;
    weights[mover][moves->place[best]] += (s32)best;
}

// Returns the moves worth a look: none if the opponent wins whatever comes. Nobody wins at once.
static APART u64 moves_safe(const struct board *board)
{
    u64 open = board_open(board);
    u64 threats = board_completing(board->own ^ board->taken, board->taken);
    u64 forced = open & threats;

    if (forced != 0) {
        if ((forced & (forced - 1)) != 0)
            return 0;
        open = forced;
    }
    return open & ~(threats >> 1); // nor below a place that wins for the opponent
}

static enum value search_below(const struct board *board, enum value alpha, enum value beta);

// Returns what is known without a search: a bound that is good enough, or UNKNOWN.
static APART enum value known(const struct board *board, u64 safe, enum value alpha,
                              enum value beta)
{
    if (safe == 0)
        return VALUE_LOSS;
    if (board->count >= PLACES - 2)
        return VALUE_DRAW;
    enum value found = table_find(board_key(board));
    if (found == VALUE_AT_MOST_DRAW)
        return alpha == VALUE_DRAW ? VALUE_DRAW : VALUE_UNKNOWN;
    if (found == VALUE_AT_LEAST_DRAW)
        return beta == VALUE_DRAW ? VALUE_DRAW : VALUE_UNKNOWN;
    return found;
}

// What the table keeps of a result that may be a bound.
static enum value bound(enum value best, enum value alpha, enum value beta)
{
    if (best != VALUE_DRAW || alpha >= beta)
        return best;
    if (alpha == VALUE_DRAW)
        return VALUE_AT_MOST_DRAW;
    return beta == VALUE_DRAW ? VALUE_AT_LEAST_DRAW : VALUE_DRAW;
}

// Searches a position where nobody wins at once. alpha, beta: LOSS, DRAW or WIN, alpha < beta.
static APART enum value search_moves(const struct board *board, u64 safe, enum value alpha,
                                     enum value beta)
{
    enum value best = VALUE_LOSS, floor = alpha;
    u64 before = positions;
    u32 mover = board->count & 1;
    struct moves moves;

    moves_order(&moves, safe, mover);
    for (u32 i = 0; i < moves.count; i++) {
        struct board next = board_after(board, 1UL << moves.place[i]);
        enum value value = opposite(search_below(&next, opposite(beta), opposite(floor)));
        if (value <= best)
            continue;
        best = value;
        floor = value > floor ? value : floor;
        if (floor >= beta) {
            moves_learn(&moves, i, mover);
            break;
        }
    }
    table_store(board_key(board), bound(best, alpha, beta), positions - before);
    return best;
}

static APART enum value search_below(const struct board *board, enum value alpha, enum value beta)
{
    positions++;
    if ((board_completing(board->own, board->taken) & board_open(board)) != 0)
        return VALUE_WIN;
    u64 safe = moves_safe(board);
    enum value value = known(board, safe, alpha, beta);
    return value != VALUE_UNKNOWN ? value : search_moves(board, safe, alpha, beta);
}

struct found search(const struct board *board)
{
    // The middle first.
    for (u32 place = 0; place < COLUMNS * COLUMN_BITS; place++) {
        s32 column = (s32)(place / COLUMN_BITS), row = (s32)(place % COLUMN_BITS);
        weights[0][place] = weights[1][place] =
            8 - (column > 3 ? column - 3 : 3 - column) - (row > 2 ? row - 2 : 2 - row);
    }
    positions = 0;
    enum value value = search_below(board, VALUE_LOSS, VALUE_WIN);
    return (struct found){value, positions};
}
