// SPDX-License-Identifier: MIT
// Threads of libraries over time.
#include "monitors/monitor_threads.h"
#include "tools/text.h"
#include "analyses/thread_strips.h"

#include <orrery/monitors.h>
#include <string.h>
#include <trace/reasons.h>

#define STRIP_OF_USER (1UL << 63) // no dispatcher has such a key

void user_threads_begin(struct user_threads *threads, struct strips *strips)
{
    threads->rows.row_bytes = sizeof(struct user_thread);
    threads->strips = strips;
}

const struct user_thread *user_threads_of(const struct user_threads *threads,
                                          const struct strip *strip)
{
    bool is = (strip->key[0] & STRIP_OF_USER) != 0;
    return is ? threads->rows.rows[strip->key[0] & ~STRIP_OF_USER] : NULL;
}

// ---- intervals ---------------------------------------------------------------------------------

// Returns the ticks in the picture during which it ran.
static u64 ticks_run(const struct user_threads *threads, const struct user_thread *thread)
{
    const struct strip *strip =
        keyed_rows_find(&threads->strips->rows, (const u64[KEY_WORDS]){thread->strip});
    return strip != NULL ? strip->ticks[STRIP_RUN] : 0;
}

static void spend_user(struct user_threads *threads, struct user_thread *thread, u64 until)
{
    u64 before = ticks_run(threads, thread);
    if (thread->begun && !thread->ended)
        strips_add(threads->strips, thread->strip, thread->state, thread->letter, thread->since,
                   until);
    thread->turn += ticks_run(threads, thread) - before;
    // CPUs have saved different times, so one on which it was may be ahead.
    thread->since = until > thread->since ? until : thread->since;
}

static void enter_user(struct user_threads *threads, struct user_thread *thread,
                       enum strip_state state, char letter, u64 time)
{
    if (thread->begun && !thread->ended && thread->state == state && thread->letter == letter)
        return;
    spend_user(threads, thread, time);
    thread->begun = true;
    thread->ended = false;
    thread->state = state;
    thread->letter = letter;
}

static void end_turn(struct user_thread *thread)
{
    thread->turns += thread->turn > 0;
    thread->longest = thread->turn > thread->longest ? thread->turn : thread->longest;
    thread->turn = 0;
}

// Combines both states: a thread runs only if library and dispatcher say so.
static void combine(struct user_threads *threads, struct user_thread *thread, u64 time)
{
    const struct user_host *host = thread->host;
    if (thread->said == STRIP_RUN && host->told)
        enter_user(threads, thread, host->state, host->letter, time);
    else
        enter_user(threads, thread, thread->said, thread->said_letter, time);
}

// ---- records -----------------------------------------------------------------------------------

// Reads the eight bytes of a name, which may be the beginning of a longer one.
static void read_name(struct user_thread *thread, u64 word)
{
    for (u32 i = 0; i < USER_THREAD_NAME_BYTES - 1; i++)
        thread->name[i] = (char)(word >> (56 - 8 * i));
    text_mend(thread->name);
}

static struct user_thread *get_user(struct user_threads *threads, const struct user_record *record)
{
    u64 strip = STRIP_OF_USER | threads->rows.count;
    const u64 key[KEY_WORDS] = {record->id, record->word0 >> 32};
    struct user_thread *thread = keyed_rows_get(&threads->rows, key);
    if (thread->strip == 0) {
        thread->strip = strip;
        read_name(thread, record->word1);
    }
    return thread;
}

static void leave_user(struct user_threads *threads, struct user_thread *thread, u64 reason,
                       u64 time)
{
    bool ready = reason == REASON_PREEMPTED || reason == REASON_YIELD;
    thread->said = ready ? STRIP_READY : STRIP_BLOCKED;
    thread->said_letter = ready ? 0 : thread_strips_letter(reason);
    combine(threads, thread, time);
    end_turn(thread);
    if (thread->host->runs == thread)
        thread->host->runs = NULL;
    thread->ended = reason == REASON_ENDED;
}

void user_threads_take(struct user_threads *threads, struct user_host *host,
                       const struct user_record *record)
{
    u32 what = (u32)record->word0;
    struct user_thread *thread = get_user(threads, record);
    if (what > SYS_MONITOR_STAYS)
        return; // only the process knows what it means
    thread->cpu = record->cpu;
    thread->host = host;
    if (what == SYS_MONITOR_LEAVES) {
        leave_user(threads, thread, record->reason, record->time);
        return;
    }
    thread->said = STRIP_RUN;
    thread->said_letter = 0;
    host->runs = thread;
    combine(threads, thread, record->time);
    thread->switches += what == SYS_MONITOR_COMES;
    thread->stays += what == SYS_MONITOR_STAYS;
}

void user_threads_host_changed(struct user_threads *threads, const struct user_host *host, u64 time)
{
    if (host->runs != NULL)
        combine(threads, host->runs, time);
}

void user_threads_lost(struct user_threads *threads, u32 cpu, u64 time)
{
    for (size_t i = 0; i < threads->rows.count; i++) {
        struct user_thread *thread = threads->rows.rows[i];
        if (!thread->begun || thread->ended || thread->cpu != cpu)
            continue;
        thread->said = STRIP_UNKNOWN;
        thread->host->runs = NULL;
        combine(threads, thread, time);
        end_turn(thread);
    }
}

void user_threads_end(struct user_threads *threads, const u64 ends[ORRERY_MAX_CPUS])
{
    for (size_t i = 0; i < threads->rows.count; i++) {
        struct user_thread *thread = threads->rows.rows[i];
        spend_user(threads, thread, ends[thread->cpu]);
        end_turn(thread);
    }
}
