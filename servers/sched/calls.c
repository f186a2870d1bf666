// SPDX-License-Identifier: MIT
// Counts rows. A call is told on the CPU of its client and on that of its server. So of a pair's
// calls from a CPU those that it does not take there went across: both numbers are of the same rows
// of one file. Rates are of the time that a file's rows stand for: since the last reading, or if
// older ones were overwritten from the first to the last row.
#include "calls.h"

#include "domains.h"
#include "logs.h"

#include <stdlib.h>
#include <string.h>
#include <user/time.h>

struct counts {
    u32 client, server; // pids
    u32 sent[SCHED_CPUS], taken[SCHED_CPUS];
};

static u32 cpu_count;
// The block that goes on.
static struct counts block[CALLS_PAIRS];
static u32 block_count;
static u16 places[LOG_DOMAINS][LOG_DOMAINS]; // in the block, + 1
static u64 spans[SCHED_CPUS];                // that the rows of each CPU stand for
static bool failed;
static u64 read_at; // when the last reading was
// The last whole one.
static struct calls_pair pairs[CALLS_PAIRS];
static u32 pair_count;
static u64 ended, lasted;
// By domain.
static struct {
    u32 pid;
    u32 calls[SCHED_CPUS], rates[SCHED_CPUS];
    u64 last[SCHED_CPUS];
} seen[LOG_DOMAINS];
static u64 cut;

static void forget_block(void)
{
    memset(places, 0, sizeof(places));
    memset(spans, 0, sizeof(spans));
    block_count = 0;
    failed = false;
    for (u32 domain = 0; domain < LOG_DOMAINS; domain++)
        memset(seen[domain].calls, 0, sizeof(seen[domain].calls));
}

void calls_begin(u32 cpus)
{
    cpu_count = cpus;
    memset(seen, 0, sizeof(seen));
    forget_block();
    read_at = time_now();
    pair_count = 0;
    ended = lasted = cut = 0;
}

// ---- rows ---------------------------------------------------------------------------------------

// Returns the counts of a pair; NULL: one of them is in no domain of its own, or there is no room.
// A domain that another process has got since the block began counts from anew.
static struct counts *counts_of(u32 client, u32 server)
{
    u32 client_pid = domains_pid(client), server_pid = domains_pid(server);
    u16 *place = &places[client][server];

    if (client_pid == 0 || server_pid == 0 || (*place == 0 && block_count == CALLS_PAIRS))
        return NULL;
    bool fresh = *place == 0;
    if (fresh)
        *place = (u16)++block_count;
    struct counts *counts = &block[*place - 1];
    if (fresh || counts->client != client_pid || counts->server != server_pid)
        *counts = (struct counts){.client = client_pid, .server = server_pid};
    return counts;
}

static void note_seen(u32 domain, u32 cpu, u64 time)
{
    u32 pid = domains_pid(domain);

    if (seen[domain].pid != pid) {
        memset(&seen[domain], 0, sizeof(seen[domain]));
        seen[domain].pid = pid;
    }
    seen[domain].calls[cpu]++;
    seen[domain].last[cpu] = time;
}

static void note_row(u32 cpu, const struct logs_call *row, u64 now)
{
    bool sent = row->event == LOG_CALL_SENT;
    u32 current = row->current % LOG_DOMAINS, other = row->correspondent % LOG_DOMAINS;
    struct counts *counts = counts_of(sent ? current : other, sent ? other : current);

    note_seen(current, cpu, logs_time(row->stamp, now));
    if (counts != NULL && sent)
        counts->sent[cpu]++;
    else if (counts != NULL)
        counts->taken[cpu]++;
}

s64 calls_read(void)
{
    s64 result = 0;
    u64 before = read_at;

    read_at = time_now();
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct logs_call *rows;
        bool lost;
        s64 count = logs_read_calls(cpu, &rows, &lost);
        u64 now = time_now();
        for (s64 i = 0; i < count; i++)
            note_row(cpu, &rows[i], now);
        if (count < 0)
            result = count;
        else if (lost)
            spans[cpu] += logs_time(rows[count - 1].stamp, now) - logs_time(rows[0].stamp, now);
        else
            spans[cpu] += read_at - before;
        cut += lost;
    }
    failed |= result != 0;
    return result;
}

void calls_rested(void)
{
    const struct logs_call *unread;
    bool lost;

    forget_block();
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        logs_read_calls(cpu, &unread, &lost);
    read_at = time_now();
}

// ---- blocks -------------------------------------------------------------------------------------

static u32 rate(u32 calls, u32 cpu)
{
    u64 a_second = spans[cpu] != 0 ? (u64)calls * time_hz() / spans[cpu] : 0;

    return a_second < UINT32_MAX ? (u32)a_second : UINT32_MAX;
}

static u32 greatest(const u32 values[SCHED_CPUS])
{
    u32 best = 0;

    for (u32 cpu = 1; cpu < cpu_count; cpu++)
        if (values[cpu] > values[best])
            best = cpu;
    return best;
}

static struct calls_pair pair_of(const struct counts *counts)
{
    struct calls_pair pair = {.client = counts->client, .server = counts->server};
    u32 across[SCHED_CPUS] = {0};

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        u32 sent = counts->sent[cpu], here = counts->taken[cpu];
        across[cpu] = rate(sent > here ? sent - here : 0, cpu);
        pair.calls += rate(sent, cpu);
        pair.across += across[cpu];
    }
    pair.from = greatest(pair.across != 0 ? across : counts->sent);
    pair.at = greatest(counts->taken);
    return pair;
}

static int compare(const void *one, const void *other)
{
    const struct calls_pair *left = one, *right = other;

    if (left->across != right->across)
        return left->across < right->across ? 1 : -1;
    if (left->calls != right->calls)
        return left->calls < right->calls ? 1 : -1;
    return left->client != right->client ? (left->client < right->client ? -1 : 1)
                                         : (left->server < right->server ? -1 : 1);
}

void calls_end_block(void)
{
    lasted = UINT64_MAX;
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        lasted = spans[cpu] < lasted ? spans[cpu] : lasted;
    pair_count = 0;
    bool whole = !failed && lasted != 0;
    for (u32 i = 0; i < block_count && whole; i++)
        pairs[pair_count++] = pair_of(&block[i]);
    qsort(pairs, pair_count, sizeof(pairs[0]), compare);
    for (u32 domain = 0; domain < LOG_DOMAINS; domain++)
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            seen[domain].rates[cpu] = rate(whole ? seen[domain].calls[cpu] : 0, cpu);
    ended = whole ? read_at : 0;
    lasted = whole ? lasted : 0;
    forget_block();
}

// ---- what is asked ------------------------------------------------------------------------------

const struct calls_pair *calls_pairs(u32 *count)
{
    *count = pair_count;
    return pairs;
}

u64 calls_ended(u64 *how_long)
{
    *how_long = lasted;
    return ended;
}

static u32 domain_of(u32 pid)
{
    u32 domain = LOG_DOMAINS - 1;

    while (domain > 0 && seen[domain].pid != pid)
        domain--;
    return domain; // 0: nobody's, all 0
}

u32 calls_here(u32 pid, u32 cpu)
{
    return seen[domain_of(pid)].rates[cpu];
}

u64 calls_last(u32 pid, u32 cpu)
{
    return seen[domain_of(pid)].last[cpu];
}

u64 calls_cut(void)
{
    return cut;
}
