// SPDX-License-Identifier: MIT
// Files of all sizes are read (user/log.h) while another process writes them, on another CPU if
// there is one: rows are whole and follow on each other, and two passes do.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <user/log.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define READINGS 1000
#define WRITER 1 // domain
#define PLACE 0x4100
#define BASE 0x8000
#define ROW_ENTRIES 4
#define PAGES 64 // that the writer takes and gives back
#define N_MAX 11 // 8,192 bytes

static u32 rows[1 << N_MAX];

// Stamps are the numbers of rows. Unless some may be missing the first comes behind the last that
// was read.
static bool rows_follow(u64 count, u32 last, bool some_missing)
{
    for (u64 i = 0; i < count; i++) {
        const u32 *row = rows + i * ROW_ENTRIES;
        if (row[0] != WRITER || row[1] != 0)
            return false;
        if (i != 0 ? row[3] != row[3 - ROW_ENTRIES] + 1
                   : (s32)(row[3] - last) <= 0 || (!some_missing && row[3] != last + 1))
            return false;
    }
    return true;
}

static u32 read_often(struct log_reader *reader)
{
    u32 last = reader->last_stamp, stopped = 0, i;
    u64 given = 0, lost = 0, deadline = patience();

    // The writer's CPU may stand still for as long as the host pleases.
    for (i = 0; i < READINGS || (given == 0 && wait_more(deadline)); i++) {
        s64 count = log_read(reader, rows);
        bool right = count >= 0 && reader->passes <= 2 &&
                     rows_follow((u64)count, last, reader->lost != lost || given == 0);
        if (!right) {
            EXPECT(right);
            break;
        }
        last = reader->last_stamp;
        lost = reader->lost;
        given += (u64)count;
        stopped += reader->passes == 2;
        if (i % 16 == 0)
            thread_sleep_us(100); // it may be on the writer's CPU
    }
    EXPECT(given > 0);
    printf(
        "test-logs: files of %u bytes: %lu rows, %u of %u readings stopped the writer, %lu found "
        "all rows new\n",
        reader->bytes, given, stopped, i, lost);
    return last;
}

static void an_error_leaves_the_file(struct log_reader *reader)
{
    u32 control = reader->place->control;

    reader->cpu = user_cpu_count(); // no such CPU: the reading fails, and the file is as before
    for (u32 i = 0; i < READINGS; i++)
        if (log_read(reader, rows) < 0)
            break;
    EXPECT(reader->place->control == control);
}

void reading(void)
{
    u32 cpu = user_cpu_count() - 1, stamp = 0;
    struct child child = {.role = "churn", .argument = PAGES, .cpu = cpu, .domain = WRITER};
    u32 control = LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_WITH_COUNTER | LOG_STAMP_VIRTUAL;
    struct log_reader reader;
    u8 *area;
    bool given = area_add(cpu, &area) == 0;

    EXPECT(given);
    if (!given)
        return;
    u16 *selector = &((struct log_head *)area)->domains[WRITER].selectors[LOG_MEMORY];
    EXPECT(sys_log_enable(LOG_OF_MEMORY, true) == 0);
    u32 pid = child_start(&child);
    for (u32 n = LOG_SIZE_MIN; n <= N_MAX; n++) {
        *(volatile u16 *)selector = 0;
        EXPECT(sys_log_quiesce(cpu) == 0);
        EXPECT(log_file_lay_out(area, PLACE, BASE, LOG_SIZE(n) | control, stamp) == 0);
        EXPECT(log_reader_begin(&reader, area, cpu, PLACE, stamp) == 0);
        *(volatile u16 *)selector = LOG_SELECTOR(0, PLACE);
        stamp = read_often(&reader);
    }
    an_error_leaves_the_file(&reader);
    child_kill(pid);
    EXPECT(sys_log_close() == 0);
    EXPECT(sys_region_destroy((u64)area) == 0);
}
