// SPDX-License-Identifier: MIT
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define RECORDING "tests/unit/pmu_model/recorded.txt.gz"

u64 next_random(u64 *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    u64 mixed = (*state ^ *state >> 33) * 0xff51afd7ed558ccdUL;
    return mixed ^ mixed >> 29;
}

static void add(struct stream *stream, struct step step)
{
    if ((stream->count & (stream->count - 1)) == 0) // full at powers of two
        stream->steps = realloc(stream->steps, (stream->count * 2 + 1) * sizeof(step));
    stream->steps[stream->count++] = step;
}

void stream_free(struct stream *stream)
{
    free(stream->steps);
    stream->steps = NULL;
}

// Lines `<kind><distance>`, the distance to the last address of that kind,
// at first to 0: hexadecimal, may be negative.
// Branches have ` <hint><taken>` behind. `#` starts a comment.
struct stream stream_recorded(void)
{
    struct stream stream = {.name = "recorded"};
    u64 last[4] = {0};
    char line[128];
    gzFile file = gzopen(RECORDING, "r");
    while (file && gzgets(file, line, sizeof(line))) {
        const char *kind = strchr("flsb", line[0]);
        if (line[0] == '#' || !kind)
            continue;
        struct step step = {.kind = (enum step_kind)(kind - "flsb")};
        const char *at = line + 1;
        bool back = *at == '-';
        char *end;
        u64 distance = strtoul(at + back, &end, 16);
        last[step.kind] += back ? -distance : distance;
        step.address = last[step.kind];
        if (step.kind == STEP_BRANCH) {
            step.hint = (u32)(end[1] - '0');
            step.taken = end[2] == '1';
        }
        add(&stream, step);
    }
    if (file)
        gzclose(file);
    if (stream.count == 0) {
        fprintf(stderr, "cannot read " RECORDING "\n");
        abort();
    }
    return stream;
}

// A program's own notes: its array is at 0x10000000, its code at 0x20000000.
#define CODE 0x20000000UL
#define ELEMENTS 700

static void note_data(struct stream *stream, enum step_kind kind, u64 index)
{
    add(stream, (struct step){.kind = kind, .address = 0x10000000 + index * 48});
}

static bool note_branch(struct stream *stream, u64 offset, bool taken)
{
    add(stream, (struct step){.kind = STEP_FETCH, .address = CODE + offset});
    add(stream, (struct step){.kind = STEP_BRANCH, .address = CODE + offset, .taken = taken});
    return taken;
}

static bool note_less(struct stream *stream, u64 offset, const u64 *values, u64 a, u64 b)
{
    note_data(stream, STEP_LOAD, a);
    note_data(stream, STEP_LOAD, b);
    return note_branch(stream, offset, values[a] < values[b]);
}

static void note_swap(struct stream *stream, u64 *values, u64 a, u64 b)
{
    u64 value = values[a];
    values[a] = values[b];
    values[b] = value;
    note_data(stream, STEP_STORE, a);
    note_data(stream, STEP_STORE, b);
}

static void sift(struct stream *stream, u64 *values, u64 root, u64 count)
{
    u64 child;
    while (note_branch(stream, 0x100, (child = 2 * root + 1) < count)) {
        if (note_branch(stream, 0x118, child + 1 < count) &&
            note_less(stream, 0x13c, values, child, child + 1))
            child++;
        if (!note_less(stream, 0x160, values, root, child))
            return;
        note_swap(stream, values, root, child);
        root = child;
    }
}

struct stream stream_heap_sort(void)
{
    struct stream stream = {.name = "heap sort"};
    u64 values[ELEMENTS], state = 5;
    for (u64 i = 0; i < ELEMENTS; i++)
        values[i] = next_random(&state);
    for (u64 i = ELEMENTS / 2; note_branch(&stream, 0x20, i-- > 0);)
        sift(&stream, values, i, ELEMENTS);
    for (u64 end = ELEMENTS; note_branch(&stream, 0x48, end-- > 1);) {
        note_swap(&stream, values, 0, end);
        sift(&stream, values, 0, end);
    }
    return stream;
}

// Mostly near what was before, sometimes far away, sometimes where sets collide,
// at both ends of the address space too.
struct stream stream_random(u64 seed, u64 steps)
{
    struct stream stream = {.name = "random"};
    u64 state = seed,
        bases[6] = {0, 0x7fff0000, 0xc000000000000000, 0xffffffffffff0000, 0x12345000, 0x1000};
    for (u64 i = 0; i < steps; i++) {
        u64 pick = next_random(&state), which = pick % 6, how = pick >> 8 & 15;
        u64 near = next_random(&state) % 0x8000;
        if (how == 0)
            bases[which] = next_random(&state) >> (pick >> 16) % 40;
        if (how < 4)
            near = near % 64 << 16;
        add(&stream, (struct step){.kind = (enum step_kind)(pick >> 24 & 3),
                                   .address = (bases[which] + near) & ~3UL,
                                   .hint = (pick >> 32 & 7) == 0 ? (u32)(pick >> 36 & 3) : 0,
                                   .taken = pick >> 40 & 1});
    }
    return stream;
}

// `lines` addresses, stride apart, over and over: the worst case of least recently used.
struct stream stream_cyclic(u64 lines, u64 stride, u64 rounds)
{
    struct stream stream = {.name = "cyclic"};
    for (u64 i = 0; i < lines * rounds; i++)
        add(&stream, (struct step){.kind = STEP_LOAD, .address = i % lines * stride});
    return stream;
}

// Branches that follow patterns of their own, or what another has just done, with noise;
// some share table entries.
struct stream stream_branch_patterns(u64 seed, u64 steps)
{
    struct stream stream = {.name = "branch patterns"};
    u64 state = seed, before = 0;
    for (u64 i = 0; i < steps; i++) {
        u64 pick = next_random(&state), branch = pick % 23;
        bool taken = false;
        switch (branch % 4) {
        case 0:
            taken = i % (branch + 2) != 0;
            break;
        case 1:
            taken = before & 1;
            break;
        case 2:
            taken = (before >> 1 ^ before >> 4) & 1;
            break;
        case 3:
            taken = (pick >> 16 & 15) < branch / 2;
            break;
        }
        before = before << 1 | taken;
        add(&stream, (struct step){.kind = STEP_BRANCH,
                                   .address = 0x4000 + branch % 12 * 4 + branch / 12 * 0x10000,
                                   .hint = branch == 7    ? 3
                                           : branch == 11 ? (u32)(pick >> 20 & 3)
                                                          : 0,
                                   .taken = taken});
    }
    return stream;
}

struct stream *streams_all(u64 *count)
{
    struct stream all[] = {
        stream_recorded(),
        stream_heap_sort(),
        stream_random(1, 8000),
        stream_random(99, 8000),
        stream_cyclic(9, 4096, 40),
        stream_cyclic(65, 128, 40),
        stream_cyclic(300, 65536, 5),
        stream_branch_patterns(7, 6000),
    };
    if (all[0].count < 10000) {
        fprintf(stderr, "%s: not there, or cut\n", RECORDING);
        abort();
    }
    struct stream *copy = malloc(sizeof(all));
    memcpy(copy, all, sizeof(all));
    *count = ARRAY_SIZE(all);
    return copy;
}
