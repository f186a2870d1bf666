// SPDX-License-Identifier: MIT
// What a CPU does, step by step, for models to be run on: recorded in the guest, made by programs
// that note their own accesses, and made up to be unkind.
#ifndef TEST_MODEL_STREAMS_H
#define TEST_MODEL_STREAMS_H

#include <orrery/types.h>

enum step_kind { STEP_FETCH, STEP_LOAD, STEP_STORE, STEP_BRANCH };

struct step {
    enum step_kind kind;
    u64 address; // of the instruction for fetches and branches, else of the data
    u32 hint;
    bool taken;
};

struct stream {
    const char *name;
    struct step *steps;
    u64 count;
};

struct stream stream_recorded(void);
struct stream stream_heap_sort(void);
struct stream stream_random(u64 seed, u64 steps);
struct stream stream_cyclic(u64 lines, u64 stride, u64 rounds);
struct stream stream_branch_patterns(u64 seed, u64 steps);
void stream_free(struct stream *stream);

// Every stream there is; *count is set. The caller frees each, and the array.
struct stream *streams_all(u64 *count);

// A number from *state, which it changes: the same on every machine.
u64 next_random(u64 *state);

#endif
