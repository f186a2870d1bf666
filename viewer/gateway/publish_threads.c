// SPDX-License-Identifier: MIT
// The topic of threads: what the threads of a trace folder did.
#include "gateway/machine_state.h"
#include "analyses/syscall_name.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace/reasons.h>

#define THREADS_LISTED_MAX 2000u // that are told; of each without slices there are a few rows
#define STATE_LEFT_OUT 7         // state of a row

_Static_assert(SLICE_ROWS_MAX *(3 * 8 + 5 * 4 + 2) + FRAME_HEAD_BYTES + 80 < FRAME_OUT_BYTES,
               "an answer fits a message");
_Static_assert(THREADS_LISTED_MAX *THREAD_KINDS < SLICE_ROWS_MAX, "all threads fit an answer");

// ---- words -------------------------------------------------------------------------------------

static const char *const whys[THREAD_WHYS] = {
    [THREAD_UNTOLD] = "no event has told yet what the thread does",
    [THREAD_UNCLEAR] = "nothing tells whether it was blocked or ready",
    [THREAD_LOST] = "events were lost",
    [THREAD_NOT_RECORDED] = "events that would tell were not recorded",
    [THREAD_END] = "the CPUs' streams end before",
};
static const char *const waits[REASONS] = {
    [REASON_ENDED] = "has ended",
    [REASON_CALL] = "waits for the answer to its call",
    [REASON_REPLY] = "answered, waits for an event",
    [REASON_ANSWER] = "waits for the answer to its call",
    [REASON_EVENT] = "waits for an event",
    [REASON_MESSAGE] = "waits for a message",
    [REASON_LOCK] = "waits for a sleeping lock",
    [REASON_PAGE] = "waits for a page",
    [REASON_TIME] = "waits for a time",
    [REASON_OTHER] = "waits for another thread",
};
static const char *const wakes[REASONS] = {
    [REASON_CALL] = "woken by a call",
    [REASON_ANSWER] = "woken by the answer to its call",
    [REASON_EVENT] = "woken by an event",
    [REASON_MESSAGE] = "woken by a message",
    [REASON_LOCK] = "woken: the lock is its own",
    [REASON_PAGE] = "woken: the page is there",
    [REASON_TIME] = "woken: its time has come",
    [REASON_OTHER] = "woken by another thread",
    [REASON_START] = "woken for the first time",
};

static const char *word(const char *const words[REASONS], u32 reason, const char *otherwise)
{
    return reason < REASONS && words[reason] != NULL ? words[reason] : otherwise;
}

static const char *ready_word(const struct slice *slice)
{
    if (slice->by != SLICE_NOBODY)
        return word(wakes, slice->detail, "woken");
    return slice->detail == REASON_PREEMPTED ? "preempted"
           : slice->detail == REASON_YIELD   ? "gave its turn away"
                                             : "the trace does not tell why";
}

static const char *kernel_word(const struct slice *slice, bool idle, char text[48])
{
    if (slice->activity == ACTIVITY_SYSCALL)
        snprintf(text, 48, "call %s", syscall_name(slice->detail));
    else if (slice->activity == ACTIVITY_FAULT)
        snprintf(text, 48, "fault 0x%" PRIx32, slice->detail);
    else
        return slice->activity == ACTIVITY_IPC         ? "IPC"
               : slice->activity == ACTIVITY_INTERRUPT ? "interrupt"
               : idle                                  ? "idle"
                                                       : "its own code";
    return text;
}

static const char *what_of(const struct slice *slice, bool idle, char text[48])
{
    switch ((enum thread_kind)slice->kind) {
    case THREAD_KIND_KERNEL:
        return kernel_word(slice, idle, text);
    case THREAD_KIND_READY:
        return ready_word(slice);
    case THREAD_KIND_BLOCKED:
        return word(waits, slice->detail, "the trace does not tell for what");
    case THREAD_KIND_UNKNOWN:
        return whys[slice->detail];
    case THREAD_KIND_RUN:
        return "in the kernel or not: the trace does not tell";
    default:
        return "its own code";
    }
}

// ---- rows --------------------------------------------------------------------------------------

static u32 thread_number(u64 thread)
{
    return thread >= NO_THREAD ? NO_THREAD : (u32)thread;
}

static void put_slice(struct machine *machine, const struct frame_threads *rows, u32 row,
                      const struct slice *slice)
{
    const struct timeline_thread *thread = &machine->timeline->threads[slice->track];
    char text[48];
    rows->from[row] = machine_time(machine, slice->from);
    rows->to[row] = machine_time(machine, slice->to);
    rows->time[row] = machine_time(machine, slice->ticks);
    rows->process[row] = thread->pid == ACTIVITY_NO_PID
                             ? 0
                             : names_process(&machine->names, &machine->snapshot, (u32)thread->pid);
    rows->thread[row] = thread_number(slice->thread);
    rows->by[row] = thread_number(slice->by);
    rows->what[row] = names_string(&machine->names, what_of(slice, thread->idle, text));
    rows->count[row] = slice->count;
    rows->cpu[row] = slice->cpu;
    rows->state[row] = slice->kind;
}

static void put_left_out(struct machine *machine, const struct frame_threads *rows, u32 row,
                         const struct trace_interval *at, size_t threads)
{
    rows->from[row] = machine_time(machine, at->from);
    rows->to[row] = machine_time(machine, at->to);
    rows->thread[row] = rows->by[row] = NO_THREAD;
    rows->what[row] = names_string(&machine->names, "left out: they ran least");
    rows->count[row] = (u32)threads;
    rows->state[row] = STATE_LEFT_OUT;
}

static void send_threads(struct machine *machine, struct published *published,
                         const struct trace_interval *at, const struct slices *slices)
{
    size_t threads = machine->timeline->thread_count;
    u32 left_out = threads > THREADS_LISTED_MAX ? 1 : 0, count = (u32)slices->count + left_out;
    struct block *block = block_new(frame_threads_bytes(count), true, true);
    struct frame_threads rows;
    frame_threads_lay(block->data, count, &rows);
    for (u32 row = 0; row < slices->count; row++)
        put_slice(machine, &rows, row, &slices->rows[row]);
    if (left_out != 0)
        put_left_out(machine, &rows, count - 1, at, threads - THREADS_LISTED_MAX);
    struct frame_head head = {.kind = FRAME_THREADS,
                              .flags = FRAME_WHOLE,
                              .rows = count,
                              .t0 = machine_time(machine, at->from),
                              .complete = machine_time(machine, at->to)};
    frame_head_write(block->data, &head);
    machine_publish(machine, published, block);
}

// ---- which threads -----------------------------------------------------------------------------

// Lets the threads of a process be told one slice after the other.
static bool tell_each(const struct timeline *timeline, const char *key, u8 *how)
{
    struct ranking_thing thing;
    u32 cpu;
    if (!publish_thing(key, &thing, &cpu) || cpu != ALL_CPUS || thing.by != RANKING_PROCESS)
        return false;
    for (size_t i = 0; i < timeline->thread_count; i++)
        if (timeline->threads[i].pid == thing.pid)
            how[i] = SLICES_EACH;
    return true;
}

// Reads the parameter `of`. Returns false if it is not what the schema says.
static bool choose_processes(const struct timeline *timeline, const char *of, u8 *how)
{
    char keys[TEXT_CHARACTERS + 1], *rest = NULL;
    if (of[0] == 0)
        return true;
    memset(how, SLICES_SUM, timeline->thread_count);
    snprintf(keys, sizeof(keys), "%s", of);
    for (char *key = strtok_r(keys, " ", &rest); key != NULL; key = strtok_r(NULL, " ", &rest))
        if (!tell_each(timeline, key, how))
            return false;
    return true;
}

static int by_run(const void *one, const void *other)
{
    const struct timeline_thread *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks[THREAD_RUN] != b->ticks[THREAD_RUN])
        return a->ticks[THREAD_RUN] > b->ticks[THREAD_RUN] ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

// Leaves out those that ran least, if there are too many.
static void leave_out(const struct timeline *timeline, u8 *how)
{
    size_t count = timeline->thread_count;
    if (count <= THREADS_LISTED_MAX)
        return;
    const struct timeline_thread **threads = memory_get(count * sizeof(*threads));
    for (size_t i = 0; i < count; i++)
        threads[i] = &timeline->threads[i];
    qsort(threads, count, sizeof(*threads), by_run);
    for (size_t i = THREADS_LISTED_MAX; i < count; i++)
        how[threads[i] - timeline->threads] = SLICES_NONE;
    free(threads);
}

int publish_threads(struct machine *machine, struct published *published)
{
    struct timeline *timeline = machine->timeline;
    struct trace_interval at;
    struct slices slices = {0};
    if (!publish_trace_interval(machine, published, &at))
        return KOV_OK;
    u8 *how = memory_get(timeline->thread_count + 1);
    memset(how, SLICES_EACH, timeline->thread_count + 1);
    if (!choose_processes(timeline, publish_text(published, "of"), how)) {
        publish_stop(machine, published, "of: keys of processes with blanks between, as p:4 p:7");
        free(how);
        return KOV_OK;
    }
    leave_out(timeline, how);
    int code = timeline_thread_slices(timeline, at.from, at.to, at.width, SLICE_ROWS_MAX - 1, how,
                                      &slices);
    if (code == KOV_OK)
        send_threads(machine, published, &at, &slices);
    else
        publish_stop(machine, published, machine->failure);
    slices_free(&slices);
    free(how);
    return KOV_OK;
}
