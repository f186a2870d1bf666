// SPDX-License-Identifier: MIT
// Reference counts, whatever the count is: a reference of something that has ended, or of another
// kind, is never had and never given back: the machine panics. Otherwise get and put are one more
// and one less, but for counts that are stuck, which stay so and never come to an end.
//
// bounds: every count (0 to 2^64-1), every kind, one operation; and all sequences of up to 6
//   operations on a new object
// proves: nothing goes on after a wrong use
// seconds: 5
// quick: yes
// eva: -eva-slevel 10000 -eva-split-return full -eva-min-loop-unroll 10
#include "model/proof.h"

#include "sync/refs.c"

#define KIND REFS_KIND('T', 'E', 'S', 'T')

// ---- what refs.c calls -------------------------------------------------------------------------

u64 atomic_add(u64 *word, u64 addend)
{
    u64 before = *word;

    *word = before + addend;
    return before;
}

const char *symbol_find(u64 address, u64 *offset)
{
    if (EITHER())
        return NULL;
    *offset = ANY_U64(0, address);
    return "function";
}

// Here it is what must come of a wrong use.
void panic(const char *format, ...)
{
    //@ check reached_panic: \false;
    Frama_C_abort();
}

// ---- one operation, from any count -------------------------------------------------------------

// Each bound by itself, with its neighbours, and all that lies between.
static const u64 low[] = {0,
                          1,
                          2,
                          3,
                          REFS_STUCK - 2,
                          REFS_STUCK - 1,
                          REFS_STUCK,
                          REFS_STUCK + 1,
                          REFS_STUCK + 2,
                          UINT64_MAX - 1,
                          UINT64_MAX};
static const u64 high[] = {0,
                           1,
                           2,
                           REFS_STUCK - 3,
                           REFS_STUCK - 2,
                           REFS_STUCK - 1,
                           REFS_STUCK,
                           REFS_STUCK + 1,
                           UINT64_MAX - 2,
                           UINT64_MAX - 1,
                           UINT64_MAX};

static void get_from(struct refs *refs, u32 kind, u64 least, u64 most)
{
    refs_get(refs, kind);
    u64 count = refs->count;
    //@ check only_of_live_and_of_its_kind: kind == refs->kind && least > 0;
    //@ check one_more_or_stuck: least + 1 <= count <= most + 1 || count >= 0x8000000000000000;
    if (least > REFS_STUCK) {
        //@ check still_stuck: count >= 0xc000000000000000;
        //@ check reached_stuck: \false;
    }
}

static void put_from(struct refs *refs, u32 kind, u64 least, u64 most)
{
    u64 left = refs_put(refs, kind);
    u64 count = refs->count;
    //@ check only_of_live_and_of_its_kind: kind == refs->kind && least > 0;
    //@ check one_less: least - 1 <= left <= most - 1;
    //@ check left_is_count_or_stuck: left == 0 ==> count == 0 && refs->ended_at != 0;
    if (least > REFS_STUCK + 1) {
        //@ check still_stuck: count >= 0xc000000000000000;
    } else {
        //@ check one_less: least - 1 <= count <= most - 1;
    }
    if (left == 0) {
        //@ check only_the_last: most == 1;
        //@ check reached_last: \false;
    }
}

static void try_from(struct refs *refs, u32 kind, u64 least, u64 most)
{
    bool got = refs_try_get(refs, kind);
    u64 count = refs->count;
    //@ check only_of_its_kind: kind == refs->kind;
    if (got) {
        //@ check not_of_ended: least > 0;
        //@ check one_more_or_stuck: least + 1 <= count <= most + 1 || count >= 0x8000000000000000;
    } else {
        //@ check only_of_ended: most == 0 && count == 0;
        //@ check reached_refused: \false;
    }
}

// A freed object may have any word where its kind was.
static void operate(u32 operation, u32 i, bool right)
{
    u32 other = ANY_U32(0, KIND - 1);
    struct refs refs = {.count = ANY_U64(low[i], high[i]), .kind = right ? KIND : other};

    if (operation == 0)
        get_from(&refs, KIND, low[i], high[i]);
    else if (operation == 1)
        put_from(&refs, KIND, low[i], high[i]);
    else
        try_from(&refs, KIND, low[i], high[i]);
}

// ---- sequences ---------------------------------------------------------------------------------

// A caller that gives back no more than it has never panics,
// and is told of the last one exactly once.
static void sequence(void)
{
    struct refs refs;
    u64 mine = 1;

    refs_init(&refs, KIND);
    for (u32 step = 0; step < 6 && mine > 0; step++) {
        if (EITHER()) {
            refs_get(&refs, KIND);
            mine++;
        } else {
            u64 left = refs_put(&refs, KIND);
            mine--;
            //@ check told_what_is_left: left == mine;
        }
        //@ check counts_what_is_had: refs.count == mine;
    }
    if (mine == 0) {
        //@ check reached_end_of_object: \false;
        bool got = refs_try_get(&refs, KIND);
        //@ check ended_for_good: !got;
        refs_put(&refs, KIND);
        //@ check no_over_release: \false;
    }
}

int main(void)
{
    for (u32 operation = 0; operation < 3; operation++) {
        for (u32 i = 0; i < ARRAY_SIZE(low); i++) {
            if (EITHER()) // the machine may have ended behind it
                operate(operation, i, true);
            if (EITHER())
                operate(operation, i, false);
        }
    }
    sequence();
    //@ check reached_end: \false;
    return 0;
}
