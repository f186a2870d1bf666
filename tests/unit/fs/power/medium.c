// SPDX-License-Identifier: MIT
// The recorded disk, and the calls by which the server's sources use it.
#include "medium.h"

#include <orrery/errors.h>
#include <orrery/sys.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

u8 *medium;
u64 medium_bytes;

static struct recording *recording_now;
static u32 lives_left; // steps until the process ends

// In a child, too, which cmocka knows nothing of.
static void need(bool holds)
{
    if (holds)
        return;
    fprintf(stderr, "the recorded disk cannot do that\n");
    abort();
}

static void *shared_memory(u64 bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    need(at != MAP_FAILED);
    return at;
}

void medium_create(void)
{
    medium = shared_memory(MEDIUM_BYTES_MAX);
}

// ---- recordings --------------------------------------------------------------------------------

struct recording *recording_create(void)
{
    return shared_memory(sizeof(struct recording));
}

void recording_destroy(struct recording *recording)
{
    munmap(recording, sizeof(*recording));
}

void recording_begin(struct recording *recording, const u8 *contents, u64 bytes, u32 round)
{
    need(bytes <= MEDIUM_BYTES_MAX);
    recording->count = 0;
    recording->used = 0;
    recording->round = round;
    recording->disk_bytes = bytes;
    if (contents == NULL)
        memset(recording->before, 0, bytes);
    else
        memcpy(recording->before, contents, bytes);
}

void recording_add(struct recording *recording, enum step_kind kind, u64 offset, const void *data,
                   u64 bytes)
{
    need(recording->count < ARRAY_SIZE(recording->steps));
    need(recording->used + bytes <= sizeof(recording->data));
    u8 *at = recording->data + recording->used;
    if (bytes > 0)
        memcpy(at, data, bytes);
    recording->used += bytes;
    recording->steps[recording->count++] =
        (struct step){.kind = kind, .offset = offset, .bytes = bytes, .data = at};
}

void recording_mark(struct recording *recording, u32 round)
{
    recording_add(recording, STEP_MARK, 0, NULL, 0);
    recording->steps[recording->count - 1].round = round;
}

u32 recording_flush(const struct recording *recording, u32 n)
{
    for (u32 i = 0; i < recording->count; i++)
        if (recording->steps[i].kind == STEP_FLUSH && n-- == 0)
            return i;
    return recording->count;
}

void recording_without(struct recording *to, const struct recording *from, u32 step)
{
    recording_begin(to, from->before, from->disk_bytes, from->round);
    for (u32 i = 0; i < from->count; i++) {
        const struct step *one = &from->steps[i];
        if (i == step)
            continue;
        recording_add(to, one->kind, one->offset, one->data, one->bytes);
        to->steps[to->count - 1].round = one->round;
    }
}

// ---- the disk ----------------------------------------------------------------------------------

void medium_record(struct recording *recording, u32 lives)
{
    recording_now = recording;
    lives_left = lives;
}

static void record(enum step_kind kind, u64 offset, const void *data, u64 bytes)
{
    recording_add(recording_now, kind, offset, data, bytes);
    if (lives_left > 0 && --lives_left == 0)
        _exit(0);
}

static void check_transfer(u64 offset, u64 bytes)
{
    need(offset % BLOCK_SECTOR == 0 && bytes % BLOCK_SECTOR == 0);
    need(bytes <= BLOCK_TRANSFER_MAX && offset <= medium_bytes && bytes <= medium_bytes - offset);
}

s64 sys_block_info(struct sys_block_info *info)
{
    *info = (struct sys_block_info){.bytes = medium_bytes};
    return 0;
}

s64 sys_block_read(u64 offset, void *buffer, u64 bytes)
{
    check_transfer(offset, bytes);
    memcpy(buffer, medium + offset, bytes);
    return (s64)bytes;
}

s64 sys_block_write(u64 offset, const void *buffer, u64 bytes)
{
    check_transfer(offset, bytes);
    if (recording_now == NULL)
        return E_IO;
    memcpy(medium + offset, buffer, bytes);
    record(STEP_WRITE, offset, buffer, bytes);
    return (s64)bytes;
}

s64 sys_block_flush(void)
{
    if (recording_now != NULL)
        record(STEP_FLUSH, 0, NULL, 0);
    return 0;
}
