// SPDX-License-Identifier: MIT
#include "reference.h"

#include <stdlib.h>

// A branch that was executed: where the tables have it, what it did,
// what each table would have said.
struct resolved {
    u64 local_place, global_place;
    bool taken, by_local, by_global;
};

struct reference_predictor {
    u64 local_entries, global_entries, history_bits;
    struct resolved *log; // oldest first, without those that had a hint
    u64 used, room;
};

struct reference_predictor *reference_predictor_new(u64 local_entries, u64 global_entries,
                                                    u64 history_bits)
{
    struct reference_predictor *predictor = calloc(1, sizeof(*predictor));
    predictor->local_entries = local_entries;
    predictor->global_entries = global_entries;
    predictor->history_bits = history_bits;
    return predictor;
}

void reference_predictor_free(struct reference_predictor *predictor)
{
    free(predictor->log);
    free(predictor);
}

// The address in words, each of its low bits turned over if that many branches ago one was taken.
static u64 global_place(const struct reference_predictor *predictor, u64 pc)
{
    u64 place = pc / 4;
    for (u64 ago = 0; ago < predictor->history_bits && ago < predictor->used; ago++) {
        if (predictor->log[predictor->used - 1 - ago].taken)
            place = (place >> ago) % 2 == 1 ? place - (1UL << ago) : place + (1UL << ago);
    }
    return place % predictor->global_entries;
}

// What the last branch at the same place of the local table did.
static bool local_says(const struct reference_predictor *predictor, u64 place)
{
    for (u64 i = predictor->used; i > 0; i--) {
        if (predictor->log[i - 1].local_place == place)
            return predictor->log[i - 1].taken;
    }
    return false;
}

static bool global_says(const struct reference_predictor *predictor, u64 place)
{
    for (u64 i = predictor->used; i > 0; i--) {
        if (predictor->log[i - 1].global_place == place)
            return predictor->log[i - 1].taken;
    }
    return false;
}

// Whether the global table was right when the two last differed at this place.
static bool trusts_global(const struct reference_predictor *predictor, u64 place)
{
    for (u64 i = predictor->used; i > 0; i--) {
        const struct resolved *one = &predictor->log[i - 1];
        if (one->global_place == place && one->by_local != one->by_global)
            return one->by_global == one->taken;
    }
    return false;
}

bool reference_predictor_resolve(struct reference_predictor *predictor, u64 pc, u32 hint,
                                 bool taken)
{
    if (hint == 2)
        return !taken;
    if (hint == 3)
        return taken;
    struct resolved now = {.taken = taken};
    now.local_place = pc / 4 % predictor->local_entries;
    now.global_place = global_place(predictor, pc);
    now.by_local = local_says(predictor, now.local_place);
    now.by_global = global_says(predictor, now.global_place);
    bool said = trusts_global(predictor, now.global_place) ? now.by_global : now.by_local;
    if (predictor->used == predictor->room) {
        predictor->room = predictor->room * 2 + 16;
        predictor->log = realloc(predictor->log, predictor->room * sizeof(*predictor->log));
    }
    predictor->log[predictor->used++] = now;
    return said == taken;
}
