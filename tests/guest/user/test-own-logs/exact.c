// SPDX-License-Identifier: MIT
// What stands in a program's log is what the program has done, row by row.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <stdio.h>
#include <user/log.h>
#include <user/scheduler.h>
#include <user/time.h>
#include <waiting.h>

static struct row rows[ROWS_MAX];
static u64 count;

static u64 rows_of(u32 event, u32 current)
{
    u64 found = 0;

    for (u64 i = 0; i < count; i++)
        found += rows[i].event == event && rows[i].current == current;
    return found;
}

static void whole_rows_in_order(void)
{
    for (u64 i = 1; i < count; i++)
        EXPECT(!log_stamp_is_later(rows[i - 1].stamp, rows[i].stamp));
    EXPECT(count > 0 && count < ROWS_MAX);
}

// The program's own account, between the marks.
static void each_switch_has_its_row(void)
{
    u64 at = 0, found = 0, equal = 0;

    while (at < count && rows[at].event != EVENT_MARK)
        at++;
    for (at++; at < count && rows[at].event != EVENT_MARK; at++)
        if (rows[at].event == LOG_RUN_QUEUE) {
            EXPECT(rows[at].current == 0 && rows[at].correspondent == 0);
            equal += found < told.count && rows[at].counter == told.numbers[found];
            found++;
        }
    EXPECT(at < count && rows[at].event == EVENT_MARK);
    EXPECT(found == told.count && equal == found);
    EXPECT(found > 10); // three helpers, three yields each
    printf("test-own-logs: %lu switches, %lu rows\n", found, count);
}

static void each_event_has_its_row(void)
{
    u32 plain = 0, third = 0;

    for (u64 i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if (row->current != DOMAIN || row->event == LOG_SERVICE_TIME)
            continue;
        EXPECT(row->correspondent == OTHER);
        if (row->event == EVENT_PLAIN)
            EXPECT(row->counter == plain++);
        if (row->event == EVENT_THIRD)
            EXPECT(row->counter == 2 + 3 * third++);
    }
    EXPECT(plain == EVENTS && third == EVENTS / 3);
    EXPECT(rows_of(EVENT_MARK, DOMAIN) == 2);
}

// Between what it has seen itself, and what its creator has seen.
static void a_thread_has_its_time(u64 inner, u64 outer)
{
    u64 time = 0;

    for (u64 i = 0; i < count; i++)
        if (rows[i].event == LOG_SERVICE_TIME && rows[i].current == THREAD_DOMAIN)
            time += rows[i].counter;
    EXPECT(time >= inner && time <= outer);
    EXPECT(rows_of(EVENT_PLAIN, THREAD_DOMAIN) == 1);
    EXPECT(rows_of(LOG_SERVICE_TIME, DOMAIN) > 0);
}

static void wrong_questions(u32 pid, u32 cpu, u32 thread)
{
    EXPECT(ask(pid, INSPECT_LOG, cpu, 1) == E_EXIST);
    EXPECT(ask(pid, INSPECT_LOG, ORRERY_MAX_CPUS, 1) == E_INVAL);
    EXPECT(ask(pid, INSPECT_LOG, UINT64_MAX, 0) == E_INVAL);
    EXPECT(ask(pid, INSPECT_LOG, ORRERY_MAX_CPUS - 1, 1) == E_NOENT);
    EXPECT(ask(pid, INSPECT_LOG_DOMAIN, thread, LOG_DOMAINS) == E_INVAL);
    EXPECT(ask(pid, INSPECT_LOG_DOMAIN, thread, UINT64_MAX) == E_INVAL);
    EXPECT(ask(pid, INSPECT_LOG_DOMAIN, thread + (1UL << 32), 1) == E_INVAL);
    EXPECT(ask(pid, INSPECT_LOG_DOMAIN, 0, 1) == E_NOENT);
    EXPECT(ask(pid, INSPECT_LOG_DOMAIN, 1 << 30, 1) == E_NOENT);
}

static void on_cpu(u32 cpu)
{
    struct log_reader reader;
    u32 pid = child_start("write", cpu);

    wait_told();
    EXPECT(attach(pid, cpu) == 0);
    wrong_questions(pid, cpu, (u32)told.first);
    EXPECT(ask(pid, INSPECT_LOG_DOMAIN, told.first, THREAD_DOMAIN) == 0);
    u32 since = (u32)(time_now() / 64); // not before the file was laid out
    EXPECT(log_reader_begin_program(&reader, owner_area, PLACE, BASE, CONTROL, since) == 0);
    go_on();
    wait_told();
    s64 got = log_read(&reader, (u32 *)rows);
    EXPECT(got > 0 && reader.lost == 0);
    count = got > 0 ? (u64)got : 0;
    whole_rows_in_order();
    each_switch_has_its_row();
    each_event_has_its_row();
    a_thread_has_its_time(told.first, told.second);
    owner_lets_go();
    EXPECT(WAIT_FOR(state_of(pid, cpu) == E_NOENT));
    go_on();
    EXPECT(child_end(pid) == 0);
}

void exact(void)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        on_cpu(cpu);
}
