// SPDX-License-Identifier: MIT
// The example of docs/logs.md, word by word, with a process that calls. tests/system/test_logs.py
// compares the words.
#include "tests.h"

#include <expect.h>
#include <orrery/memory.h>
#include <user/log.h>
#include <user/time.h>

#define CALLS 100 // rows of four words: they fit the file

static s64 call_and_read(u8 *area, struct log_head *head, u32 *rows)
{
    // clang-format off
    struct log_reader reader;
    u32 control = LOG_SIZE(10) | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_WITH_COUNTER |
                  LOG_STAMP_HARDWARE;
    log_file_lay_out(area, 0x4100, 0x8000, control, (u32)(time_now() / 64));
    log_reader_begin(&reader, area, 0, 0x4100, (u32)(time_now() / 64));
    head->domains[1].selectors[LOG_CALL_SENT] = LOG_SELECTOR(0, 0x4100);
    sys_log_enable(LOG_OF_CALLS, true);
    // clang-format on
    struct child child = {.role = "call", .argument = CALLS, .domain = 1};
    EXPECT(child_end(child_start(&child)) == 0);
    return log_read(&reader, rows);
}

void example(void)
{
    static u32 rows[1 << 10];
    u8 *area;
    bool given = area_add(0, &area) == 0;

    EXPECT(given);
    if (!given)
        return;
    EXPECT(call_and_read(area, (struct log_head *)area, rows) == CALLS);
    for (u32 i = 0; i < CALLS; i++)
        EXPECT(rows[4 * i] == 1 && rows[4 * i + 1] == 0 && rows[4 * i + 2] == 1);
    EXPECT(sys_log_close() == 0);
    EXPECT(sys_region_destroy((u64)area) == 0);
}
