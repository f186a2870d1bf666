// SPDX-License-Identifier: MIT
// Files that are written in rounds, so that any state of them can be judged: round N writes some of
// the files, in their order, each by a new file that takes the old one's place. What a file then
// holds follows from its number and N alone. After a power cut /data has all files as they were
// after some step of some round, at least of the last one that was synced. The program power-writer
// and tests/unit/fs/power share this.
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <orrery/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_FILES 8
#define ROUND_BYTES_MAX 6000 // of a file
#define ROUND_FOLDER "folder"
#define ROUND_NEW "new" // before it takes its place
#define ROUND_NAME_MAX 32
// The sector behind both slots of a disk: there a program notes on the disk itself which round is
// synced. 0: none.
#define ROUND_MARK "ROUND %u is synced\n"

struct round_state {
    u32 numbers[ROUND_FILES]; // the round that wrote each file; 0: it is not there
};

static inline u32 round_mix(u32 round, u32 file)
{
    u32 sum = round * 2654435761u ^ file * 2246822519u;
    sum = (sum ^ sum >> 15) * 3266489917u;
    return sum ^ sum >> 13;
}

// Does a round write a file?
static inline bool round_writes(u32 round, u32 file)
{
    return round > 0 && (file == round % ROUND_FILES || round_mix(round, file) % 3 == 0);
}

// The last round up to this one that wrote a file; 0: none did.
static inline u32 round_last(u32 round, u32 file)
{
    while (round > 0 && !round_writes(round, file))
        round--;
    return round;
}

// Every other file lies in a folder.
static inline void round_name(u32 file, char name[ROUND_NAME_MAX])
{
    snprintf(name, ROUND_NAME_MAX, "%sfile-%u", file % 2 == 0 ? "" : ROUND_FOLDER "/", file);
}

// Makes what a file holds after a round wrote it. Returns its length.
static inline u32 round_fill(u32 round, u32 file, char to[ROUND_BYTES_MAX])
{
    u32 sum = round_mix(round, file + ROUND_FILES);
    u32 bytes = 40 + sum % (ROUND_BYTES_MAX - 40);
    u32 done = (u32)snprintf(to, ROUND_BYTES_MAX, "round %u file %u\n", round, file);
    for (; done < bytes; done++) {
        sum = sum * 1664525u + 1013904223u;
        to[done] = (char)(sum >> 24);
    }
    return bytes;
}

// Returns the round that wrote this into a file, or 0 if none did: it is not whole.
static inline u32 round_of(const void *data, u64 bytes, u32 file)
{
    static char whole[ROUND_BYTES_MAX];
    char begin[32] = "";
    u32 round, of;
    memcpy(begin, data, bytes < sizeof(begin) - 1 ? bytes : sizeof(begin) - 1);
    if (sscanf(begin, "round %u file %u\n", &round, &of) != 2 || of != file)
        return 0;
    return round_fill(round, file, whole) == bytes && memcmp(whole, data, bytes) == 0 ? round : 0;
}

// Returns true if the files were like that after some step of some round.
static inline bool round_state_was(const struct round_state *state)
{
    u32 newest = 0;
    bool more = true; // of the newest round
    for (u32 file = 0; file < ROUND_FILES; file++)
        newest = state->numbers[file] > newest ? state->numbers[file] : newest;
    for (u32 file = 0; file < ROUND_FILES; file++) {
        u32 number = state->numbers[file];
        if (more && round_writes(newest, file) && number == newest)
            continue;
        more = more && !round_writes(newest, file);
        if (number != (newest > 0 ? round_last(newest - 1, file) : 0))
            return false;
    }
    return true;
}

// Returns true if no file is older than after this round.
static inline bool round_state_reaches(const struct round_state *state, u32 round)
{
    for (u32 file = 0; file < ROUND_FILES; file++)
        if (state->numbers[file] < round_last(round, file))
            return false;
    return true;
}

#endif
