// SPDX-License-Identifier: MIT
// The example of docs/logs.md, "In programs", word by word. tests/system/test_own_logs.py compares
// the words.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <user/log.h>
#include <user/log_event.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define EVENTS_OF_EXAMPLE 10u

int log_example(void)
{
    if (tell(0, 0, NULL, 0) != 0)
        return 1;
    for (u32 bytes = 1; bytes <= EVENTS_OF_EXAMPLE; bytes++) {
        // clang-format off
    s64 told = log_event(3, 7, bytes);
        // clang-format on
        if (told != 0)
            return 2;
    }
    return tell(0, 0, NULL, 0) == 0 ? 0 : 3;
}

static s64 begin(struct log_reader *reader, u32 pid)
{
    u32 cpu = 0;
    u8 buffer[8]; // of answers, which are empty
    // clang-format off
    struct sys_inspect_request want = {.pid = pid, .operation = INSPECT_LOG, .arguments = {cpu, 1}};
    struct sys_inspect_request look = {.pid = pid, .operation = INSPECT_LOG, .arguments = {cpu, 0}};
    s64 state = sys_process_inspect(&want, buffer, sizeof(buffer));
    while (state == 0 && (state = sys_process_inspect(&look, buffer, sizeof(buffer))) == E_AGAIN) {
        thread_sleep_us(1000);
        state = 0;
    }
    // clang-format on
    EXPECT(state == 0);
    return log_reader_begin_program(reader, owner_area, PLACE, BASE, CONTROL,
                                    (u32)(time_now() / 64));
}

void example(void)
{
    static struct row rows[ROWS_MAX];
    struct log_reader reader;
    u32 pid = child_start("example", 0), found = 0;

    wait_told();
    EXPECT(begin(&reader, pid) == 0);
    go_on();
    wait_told();
    s64 count = log_read(&reader, (u32 *)rows);
    for (s64 i = 0; i < count; i++)
        if (rows[i].event == 3)
            EXPECT(rows[i].current == DOMAIN && rows[i].correspondent == 7 &&
                   rows[i].counter == ++found);
    EXPECT(found == EVENTS_OF_EXAMPLE);
    go_on();
    EXPECT(child_end(pid) == 0);
    owner_lets_go();
}
