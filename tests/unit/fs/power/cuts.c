// SPDX-License-Identifier: MIT
// Cuts of the power.
#include "cuts.h"

#include <orrery/sys.h>
#include <stdlib.h>

#define PIECES_MAX 40000

// A sector that was written since the last flush.
struct piece {
    u64 offset;
    const u8 *data;
};

static struct {
    const struct cuts_plan *plan;
    struct cuts_counts *counts;
    u32 synced;
    u8 durable[MEDIUM_BYTES_MAX]; // what the disk had at the last flush
    struct piece pieces[PIECES_MAX];
    u32 count;
} cuts;

// ---- the medium: between two cases it is what is durable ----------------------------------------

static void land_part(u32 index, u64 from, u64 bytes)
{
    const struct piece *piece = &cuts.pieces[index];
    memcpy(medium + piece->offset + from, piece->data + from, bytes);
}

static void land(u32 index)
{
    land_part(index, 0, BLOCK_SECTOR);
}

static void land_all(u32 from, u32 to)
{
    for (u32 i = from; i < to; i++)
        land(i);
}

static void put_back(void)
{
    for (u32 i = 0; i < cuts.count; i++)
        memcpy(medium + cuts.pieces[i].offset, cuts.durable + cuts.pieces[i].offset, BLOCK_SECTOR);
}

static void judge(u64 *kind)
{
    struct round_state state;
    ++*kind;
    cuts.counts->verdicts[judge_contents(cuts.synced, &state)]++;
    if (cuts.plan->server_every > 0 && cuts_total(cuts.counts) % cuts.plan->server_every == 0) {
        cuts.counts->servers++;
        enum verdict verdict = judge_server(cuts.synced);
        cuts.counts->verdicts[verdict] += verdict != VERDICT_FINE;
    }
    put_back();
}

// ---- the window between two flushes -------------------------------------------------------------

static void window_begin(const struct recording *recording)
{
    memcpy(cuts.durable, recording->before, recording->disk_bytes);
    memcpy(medium, recording->before, recording->disk_bytes);
    medium_bytes = recording->disk_bytes;
    cuts.count = 0;
    cuts.synced = recording->round;
}

static void window_add(const struct step *step)
{
    for (u64 done = 0; done < step->bytes && cuts.count < PIECES_MAX; done += BLOCK_SECTOR)
        cuts.pieces[cuts.count++] =
            (struct piece){.offset = step->offset + done, .data = step->data + done};
}

static void window_flush(void)
{
    land_all(0, cuts.count);
    for (u32 i = 0; i < cuts.count; i++)
        memcpy(cuts.durable + cuts.pieces[i].offset, medium + cuts.pieces[i].offset, BLOCK_SECTOR);
    cuts.count = 0;
}

// ---- cuts in the order of the writes ------------------------------------------------------------

static void judge_torn_at(u32 index, u64 at)
{
    land_all(0, index);
    land_part(index, 0, at);
    judge(&cuts.counts->torn);
    land_all(0, index);
    land_part(index, at, BLOCK_SECTOR - at);
    judge(&cuts.counts->torn);
}

static void judge_torn(u32 index)
{
    bool header = memcmp(cuts.pieces[index].data, "ORRYSNAP", 8) == 0;
    if (!header)
        judge_torn_at(index, 1 + (u64)rand() % (BLOCK_SECTOR - 1));
    for (u64 at = 1; header && at < BLOCK_SECTOR; at += cuts.plan->torn)
        judge_torn_at(index, at);
}

// Cuts a write that stands at the end of the window, from this sector on.
static void judge_write(u32 from)
{
    for (u32 i = from; i < cuts.count; i++) {
        judge_torn(i);
        land_all(0, i + 1);
        judge(i + 1 == cuts.count ? &cuts.counts->between : &cuts.counts->inside);
    }
}

// ---- cuts in other orders -----------------------------------------------------------------------

static void judge_lost(void)
{
    for (u32 i = 0; i < cuts.count; i++) {
        land(i);
        judge(&cuts.counts->lost);
        land_all(0, i);
        land_all(i + 1, cuts.count);
        judge(&cuts.counts->lost);
    }
}

// Lets each sector be there with the same chance; a sector that is there may be torn.
static void land_at_random(void)
{
    u32 chance = 1 + (u32)rand() % 15, torn = (u32)rand() % (2 * cuts.count);
    for (u32 i = 0; i < cuts.count; i++) {
        if ((u32)rand() % 16 >= chance)
            continue;
        land_part(i, 0, i == torn ? (u64)rand() % BLOCK_SECTOR : BLOCK_SECTOR);
    }
}

static void judge_orders(void)
{
    for (u32 from = 1; from < cuts.count; from++) {
        land_all(from, cuts.count);
        judge(&cuts.counts->reordered);
    }
    for (u32 i = 0; i < cuts.plan->random && cuts.count > 0; i++) {
        land_at_random();
        judge(&cuts.counts->reordered);
    }
}

// ---- all of a recording -------------------------------------------------------------------------

static void take_step(const struct step *step)
{
    u32 before = cuts.count;
    switch (step->kind) {
    case STEP_WRITE:
        window_add(step);
        judge_write(before);
        break;
    case STEP_FLUSH:
        judge_lost();
        judge_orders();
        window_flush();
        judge(&cuts.counts->between);
        break;
    case STEP_MARK:
        cuts.synced = step->round;
        break;
    }
}

void cuts_judge(const struct recording *recording, const struct cuts_plan *plan,
                struct cuts_counts *counts)
{
    cuts.plan = plan;
    cuts.counts = counts;
    window_begin(recording);
    judge(&counts->between);
    for (u32 i = 0; i < recording->count; i++)
        take_step(&recording->steps[i]);
    judge_lost(); // what no flush has followed
    judge_orders();
}

u64 cuts_total(const struct cuts_counts *counts)
{
    return counts->between + counts->inside + counts->torn + counts->reordered + counts->lost;
}

u64 cuts_bad(const struct cuts_counts *counts)
{
    u64 bad = 0;
    for (u32 i = VERDICT_FINE + 1; i < VERDICT_COUNT; i++)
        bad += counts->verdicts[i];
    return bad;
}

u32 cuts_random(const struct recording *recording)
{
    u32 end = (u32)rand() % (recording->count + 1);
    window_begin(recording);
    for (u32 i = 0; i < end; i++) {
        const struct step *step = &recording->steps[i];
        if (step->kind == STEP_WRITE)
            window_add(step);
        else if (step->kind == STEP_FLUSH)
            window_flush();
        else
            cuts.synced = step->round;
    }
    if (cuts.count > 0 && rand() % 4 != 0)
        land_at_random();
    else
        land_all(0, (u32)rand() % (cuts.count + 1));
    return cuts.synced;
}
