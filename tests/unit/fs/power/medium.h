// SPDX-License-Identifier: MIT
// A disk that records what is done to it. Recordings lie in memory that child processes share, so
// that each run of the server can be a process of its own.
#ifndef TESTS_UNIT_FS_MEDIUM_H
#define TESTS_UNIT_FS_MEDIUM_H

#include <orrery/types.h>

#define MEDIUM_BYTES_MAX 0x100200UL // of a disk

enum step_kind {
    STEP_WRITE,
    STEP_FLUSH,
    STEP_MARK, // a round is synced from here on
};

struct step {
    enum step_kind kind;
    u32 round; // of a MARK
    u64 offset, bytes;
    const u8 *data; // of a WRITE
};

// What happened to a disk, from its first contents on.
struct recording {
    u64 disk_bytes;
    u8 before[MEDIUM_BYTES_MAX];
    u32 round; // synced in `before`
    u32 count;
    struct step steps[20000];
    u64 used;
    u8 data[0x4000000];
};

// The disk that sys_block_read reads, and sys_block_write writes if it is recorded.
extern u8 *medium; // MEDIUM_BYTES_MAX
extern u64 medium_bytes;

// Makes the disk, and an empty recording. Both are shared with children.
void medium_create(void);
struct recording *recording_create(void);
void recording_destroy(struct recording *recording);
// Begins a recording of a disk that has these contents (NULL: zeroes) and a round synced.
void recording_begin(struct recording *recording, const u8 *contents, u64 bytes, u32 round);
void recording_add(struct recording *recording, enum step_kind kind, u64 offset, const void *data,
                   u64 bytes);
void recording_mark(struct recording *recording, u32 round);
// Returns where a flush stands that is the n-th, from 0 on, or `count` if there are fewer.
u32 recording_flush(const struct recording *recording, u32 n);
// Makes a copy that lacks a step.
void recording_without(struct recording *to, const struct recording *from, u32 step);

// Records what is done to the disk from here on (NULL: nothing any more; writes are errors then).
// The process ends right after so many steps, as a server that is killed: 0: it does not.
void medium_record(struct recording *recording, u32 lives);

#endif
