// SPDX-License-Identifier: MIT
// Threads add and remove themselves in varying orders;
// the log must be this program's own account, entry by entry.
#include "tests.h"

#include <rows.h>

#define AGENTS 10
#define WORDS 3
#define STEPS 400

static u64 words[WORDS];
static struct agent agents[AGENTS];
static u32 crowd; // of them take part
static struct log log;
static coid_t queues;

// ---- the account --------------------------------------------------------------------------------

static struct entry {
    u32 operation, thread, length;
    const u64 *word;
} account[3 * STEPS * AGENTS];
static u32 account_count;
static struct agent *waiting[WORDS][AGENTS]; // in order of arrival
static u32 lengths[WORDS];

static void note(u32 operation, const struct agent *agent, u32 word)
{
    account[account_count++] =
        (struct entry){operation, thread_id(agent->thread), lengths[word], &words[word]};
}

static void note_enqueue(struct agent *agent, u32 word)
{
    waiting[word][lengths[word]++] = agent;
    note(SYS_BLOCKED_ENQUEUE, agent, word);
}

static void note_removal(u32 operation, u32 place, u32 word)
{
    struct agent *agent = waiting[word][place];
    lengths[word]--;
    for (u32 i = place; i < lengths[word]; i++)
        waiting[word][i] = waiting[word][i + 1];
    note(operation, agent, word);
}

// How many entries are as they should be.
static u64 compare(void)
{
    u64 before = 0, right = 0;
    EXPECT(log.count == account_count && log.logged == account_count && log.lost == 0);
    for (u32 i = 0; i < log.count && i < account_count; i++) {
        const struct sys_blocked_record *record = &log.records[i];
        EXPECT(record->operation == account[i].operation);
        EXPECT(record->thread == account[i].thread);
        EXPECT(record->length == account[i].length);
        EXPECT(record->queue == (u64)account[i].word);
        EXPECT(record->time >= before && record->lost == 0);
        right += record->operation == account[i].operation && record->thread == account[i].thread &&
                 record->length == account[i].length && record->queue == (u64)account[i].word;
        before = record->time;
    }
    return right;
}

// ---- what happens -------------------------------------------------------------------------------

static struct agent *idle_agent(void)
{
    u32 first = random_below(crowd);
    for (u32 i = 0; i < crowd; i++)
        if (!agents[(first + i) % crowd].busy)
            return &agents[(first + i) % crowd];
    return NULL;
}

static void wake(u32 word, u32 max)
{
    struct agent *woken[AGENTS];
    u32 count = 0;
    while (count < max && lengths[word]) {
        woken[count++] = waiting[word][0];
        note_removal(SYS_BLOCKED_WAKEUP, 0, word);
    }
    EXPECT(blocked_threads_wake_in(queues, &words[word], max) == count);
    for (u32 i = 0; i < count; i++) {
        agent_join(woken[i]);
        EXPECT(woken[i]->result == 0);
    }
}

static void step(void)
{
    u32 word = random_below(WORDS), what = random_below(8);
    struct agent *agent = idle_agent();
    if (what < 2 || !agent) {
        wake(word, 1 + random_below(3));
        return;
    }
    note_enqueue(agent, word);
    agent_wait(agent, &words[word], what < 4 ? 0 : THREAD_FOREVER);
    if (what < 4) { // its time is over at once
        note_removal(SYS_BLOCKED_DEQUEUE, lengths[word] - 1, word);
        EXPECT(agent->result == E_TIMEOUT);
    }
}

// Those whose time is over leave from the middle of a queue. False when this machine was too slow
// to say in which order it happened.
static bool leave_from_the_middle(void)
{
    u64 deadline = time_after_us(200000);
    for (u32 i = 0; i < 5; i++) {
        note_enqueue(&agents[i], 0);
        agent_wait(&agents[i], &words[0], i == 2 ? deadline : THREAD_FOREVER);
    }
    bool in_time = time_now() < deadline;
    agent_join(&agents[2]);
    note_removal(SYS_BLOCKED_DEQUEUE, 2, 0);
    EXPECT(agents[2].result == E_TIMEOUT);
    wake(0, AGENTS);
    return in_time;
}

static void begin(void)
{
    log.count = account_count = 0;
    EXPECT(blocked_threads_log(queues, SYS_BLOCKED_FRESH) == 1);
}

// Of the first `threads` agents; the other ones wait for nothing.
static void one_order(u32 threads, u32 steps)
{
    crowd = threads;
    begin();
    for (u32 i = 0; i < steps; i++) {
        step();
        if (i % 16 == 0)
            log_read(&log, queues);
    }
    for (u32 i = 0; i < WORDS; i++)
        wake(i, AGENTS);
    log_read(&log, queues);
    row_exact(account_count, compare(), "%u queues, %u threads, %u steps: entries as it was",
              (unsigned)WORDS, (unsigned)threads, (unsigned)steps);
}

void test_order(void)
{
    queues = (coid_t)blocked_threads_create();
    EXPECT((s64)queues > 0);
    agents_start(agents, AGENTS, queues);
    one_order(1, 40);
    one_order(4, 100);
    one_order(AGENTS, STEPS);
    bool in_time = false;
    u64 right = 0;
    for (u32 i = 0; i < 20 && !in_time; i++) {
        begin();
        in_time = leave_from_the_middle();
        log_read(&log, queues);
        if (in_time)
            right = compare();
    }
    EXPECT(in_time);
    row_exact(account_count, right, "  a thread leaves from the middle of a queue");
    EXPECT(blocked_threads_log(queues, SYS_BLOCKED_OFF) == 1);
    agents_end(agents, AGENTS);
    EXPECT(blocked_threads_destroy(queues) == 0);
}
