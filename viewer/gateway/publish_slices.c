// SPDX-License-Identifier: MIT
// The topic of slices: what the CPUs of a trace folder did.
#include "gateway/machine_state.h"
#include "analyses/syscall_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define WIDTH_MAX 4096u
#define LOSSES_MAX 1000u      // rows of them; more are joined
#define SLICE_LOST ACTIVITIES // activity of a row

_Static_assert(SLICE_ROWS_MAX *(3 * 8 + 4 * 4 + 2) + FRAME_HEAD_BYTES + 64 < FRAME_OUT_BYTES,
               "an answer fits a message");

static const char *what_of(const struct slice *slice, char text[48])
{
    static const char *const names[ACTIVITIES] = {
        [ACTIVITY_IDLE] = "idle",
        [ACTIVITY_RUN] = "run",
        [ACTIVITY_IPC] = "ipc",
        [ACTIVITY_INTERRUPT] = "interrupt",
    };
    static const char *const whys[UNKNOWN_WHYS] = {
        [WHY_UNTOLD] = "no event has told yet what the thread is in",
        [WHY_NO_SWITCH] = "no event has told yet which thread runs",
        [WHY_NOT_RECORDED] = "events that would tell were not recorded",
        [WHY_LEFT_OUT] = "the recording leaves this process out",
        [WHY_LOST] = "events were lost",
        [WHY_END] = "the CPU's stream ends before",
    };
    if (slice->kind == ACTIVITY_UNKNOWN)
        return whys[slice->detail];
    if (slice->kind == ACTIVITY_FAULT)
        snprintf(text, 48, "fault 0x%" PRIx32, slice->detail);
    else if (slice->kind == ACTIVITY_SYSCALL)
        snprintf(text, 48, "call %s", syscall_name(slice->detail));
    else
        return names[slice->kind];
    return text;
}

static void put_slice(struct machine *machine, const struct frame_slices *rows, u32 row,
                      const struct slice *slice)
{
    char text[48];
    rows->from[row] = machine_time(machine, slice->from);
    rows->to[row] = machine_time(machine, slice->to);
    rows->time[row] = machine_time(machine, slice->ticks);
    rows->process[row] = slice->pid == ACTIVITY_NO_PID
                             ? 0
                             : names_process(&machine->names, &machine->snapshot, (u32)slice->pid);
    rows->thread[row] = slice->thread >= NO_THREAD ? NO_THREAD : (u32)slice->thread;
    rows->what[row] = names_string(&machine->names, what_of(slice, text));
    rows->count[row] = slice->count;
    rows->cpu[row] = slice->cpu;
    rows->activity[row] = slice->kind;
}

// ---- losses ------------------------------------------------------------------------------------

// Losses of one CPU that are less than a pixel apart.
struct joined_loss {
    u64 from, to, ticks, packets, discarded;
    u32 cpu;
};

static u32 clip(u64 count)
{
    return count < UINT32_MAX ? (u32)count : UINT32_MAX;
}

static u32 join_losses(const struct timeline *timeline, u64 from, u64 to, u64 shortest,
                       struct joined_loss *into)
{
    u32 count = 0;
    struct joined_loss *last[ORRERY_MAX_CPUS] = {NULL};
    for (size_t i = 0; i < timeline->loss_count; i++) {
        const struct trace_loss *loss = &timeline->losses[i];
        struct joined_loss *before = last[loss->cpu];
        u64 begin = loss->from > from ? loss->from : from, end = loss->to < to ? loss->to : to;
        if (begin > end)
            continue;
        if (before == NULL || (begin > before->to + shortest && count < LOSSES_MAX)) {
            before = last[loss->cpu] = &into[count++];
            *before = (struct joined_loss){.from = begin, .cpu = loss->cpu};
        }
        before->to = end > before->to ? end : before->to;
        before->ticks += end - begin;
        before->packets += loss->packets;
        before->discarded += loss->discarded;
    }
    return count;
}

static void put_loss(struct machine *machine, const struct frame_slices *rows, u32 row,
                     const struct joined_loss *loss)
{
    rows->from[row] = machine_time(machine, loss->from);
    rows->to[row] = machine_time(machine, loss->to);
    rows->time[row] = machine_time(machine, loss->ticks);
    rows->thread[row] = clip(loss->packets);
    rows->count[row] = clip(loss->discarded);
    rows->what[row] = names_string(&machine->names, "lost");
    rows->cpu[row] = (u8)loss->cpu;
    rows->activity[row] = SLICE_LOST;
}

// ---- the topic ---------------------------------------------------------------------------------

static void send_slices(struct machine *machine, struct published *published, u64 from, u64 to,
                        const struct slices *slices)
{
    struct joined_loss *losses = calloc(LOSSES_MAX + ORRERY_MAX_CPUS, sizeof(*losses));
    u32 lost =
        losses == NULL ? 0 : join_losses(machine->timeline, from, to, slices->shortest, losses);
    u32 count = (u32)slices->count + lost;
    struct block *block = block_new(frame_slices_bytes(count), true, true);
    struct frame_slices rows;
    frame_slices_lay(block->data, count, &rows);
    for (u32 row = 0; row < slices->count; row++)
        put_slice(machine, &rows, row, &slices->rows[row]);
    for (u32 i = 0; i < lost; i++)
        put_loss(machine, &rows, (u32)slices->count + i, &losses[i]);
    struct frame_head head = {.kind = FRAME_SLICES,
                              .flags = FRAME_WHOLE,
                              .rows = count,
                              .t0 = machine_time(machine, from),
                              .complete = machine_time(machine, to)};
    frame_head_write(block->data, &head);
    machine_publish(machine, published, block);
    free(losses);
}

bool publish_trace_interval(struct machine *machine, struct published *published,
                            struct trace_interval *interval)
{
    struct timeline *timeline = machine->timeline;
    if (machine->settings.folder == NULL) {
        publish_stop(machine, published,
                     "only trace folders have slices: `kov trace record FOLDER` writes one, "
                     "`kov serve -m NAME=FOLDER` shows it");
        return false;
    }
    if (timeline == NULL && machine->failure[0] != 0)
        publish_stop(machine, published, machine->failure);
    if (timeline == NULL || !timeline->is_whole)
        return false; // it is said when it is
    u64 from = machine_ticks(machine, publish_number(published, "from", NAN), timeline->begin);
    u64 to = machine_ticks(machine, publish_number(published, "to", NAN), timeline->end);
    interval->width = (u32)fmin(publish_number(published, "width", 1000), WIDTH_MAX);
    interval->from = from > timeline->begin ? from : timeline->begin;
    interval->to = to < timeline->end ? to : timeline->end;
    interval->to = interval->to > interval->from ? interval->to : interval->from;
    return true;
}

int publish_slices(struct machine *machine, struct published *published)
{
    struct trace_interval at;
    struct slices slices = {0};
    if (!publish_trace_interval(machine, published, &at))
        return KOV_OK;
    int code = timeline_slices(machine->timeline, at.from, at.to, at.width,
                               SLICE_ROWS_MAX - LOSSES_MAX - 100, &slices);
    if (code == KOV_OK)
        send_slices(machine, published, at.from, at.to, &slices);
    else
        publish_stop(machine, published, machine->failure);
    slices_free(&slices);
    return KOV_OK;
}
