// SPDX-License-Identifier: MIT
// Calls that are logged while a monitor records their switches, both on the fast path: each row and
// each record is there, and they stand in the order of time in which they were written.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <trace/reasons.h>
#include <user/scheduler.h>

#define CHILD 1 // domains, and what the monitor calls them
#define MASTER 2
#define CALLS 200UL
#define RECORDS 4096
#define PLACE 0x7200
#define FILE 0xe000u
#define CONTROL (LOG_SIZE(10) | LOG_WITH_EVENT | LOG_STAMP_HARDWARE)

static struct sys_monitor_record records[RECORDS];
static struct row {
    u32 event, stamp;
} rows[512];
static u32 record_count, row_count; // of what there is now
static u32 next_row;                // those before it are joined
static s64 monitor;

void monitor_child(u32 pid)
{
    EXPECT(sys_monitor_track_pid((cap_t)monitor, pid, 0, CHILD, 1u << SYS_MONITOR_SWITCH) == 0);
}

static void read_records(u32 cpu)
{
    struct sys_monitor_stat stat = {0};
    s64 bytes;

    record_count = 0;
    while ((bytes = sys_monitor_read((cap_t)monitor, cpu, (u64)&records[record_count], 0x4000)) > 0)
        record_count += (u32)((u64)bytes / sizeof(records[0]));
    EXPECT(sys_monitor_stat((cap_t)monitor, cpu, &stat) == 0);
    EXPECT(stat.lost == 0 && stat.fired == record_count && record_count <= RECORDS - 512);
}

// Each of the two comes and leaves in turn, and whoever leaves for the other does so at one time.
static void records_are_whole(void)
{
    bool runs[] = {[CHILD] = false, [MASTER] = true};

    for (u32 i = 0; i < record_count; i++) {
        const struct sys_monitor_record *record = &records[i];
        if (record->word[0] == SYS_MONITOR_STAYS)
            continue;
        bool comes = record->word[0] == SYS_MONITOR_COMES;
        EXPECT(runs[record->id] != comes);
        runs[record->id] = comes;
        if (!comes && record->word[1] == SYS_MONITOR_FAST_PATH)
            EXPECT(i + 1 < record_count && records[i + 1].word[0] == SYS_MONITOR_COMES &&
                   records[i + 1].id != record->id && records[i + 1].time == record->time);
    }
}

// The row that was written between two records. False: there is none.
static bool join(u32 event, u64 before, u64 time)
{
    while (next_row < row_count &&
           ((s32)(rows[next_row].stamp - (u32)(before / 64)) < 0 || rows[next_row].event != event))
        next_row++;
    return next_row < row_count && (s32)(rows[next_row++].stamp - (u32)(time / 64)) <= 0;
}

// How many switches calls and answers made on the fast path: each has its row.
static u32 join_all(void)
{
    u32 found = 0;

    next_row = 0;
    for (u32 i = 1; i < record_count; i++) {
        const struct sys_monitor_record *record = &records[i];
        bool call = record->reason == REASON_CALL;
        if (record->word[0] != SYS_MONITOR_LEAVES || record->word[1] != SYS_MONITOR_FAST_PATH)
            continue;
        EXPECT(record->id == (call ? CHILD : MASTER) && (call || record->reason == REASON_REPLY));
        EXPECT(join(call ? LOG_CALL_SENT : LOG_ANSWER_SENT, records[i - 1].time, record->time));
        found++;
    }
    return found;
}

static u32 rows_with(u32 event)
{
    u32 count = 0;

    for (u32 i = 0; i < row_count; i++)
        count += rows[i].event == event;
    return count;
}

void monitored(void)
{
    u8 *areas[ORRERY_MAX_CPUS];
    u64 bytes = sizeof(records);
    u32 cpu = user_cpu();
    struct child child = {
        .role = "call", .argument = CALLS, .cpu = cpu, .domain = CHILD, .monitored = true};
    char option[8];
    bool slow = sys_option("ipc", option, sizeof(option)) == 0;
    bool laid_out = lay_out_counts(areas);

    EXPECT(laid_out);
    if (!laid_out)
        return;
    struct log_register *place = (struct log_register *)(areas[cpu] + PLACE);
    struct log_head *head = (struct log_head *)areas[cpu];
    *place = (struct log_register){FILE, CONTROL};
    head->domains[CHILD].selectors[LOG_CALL_SENT] = LOG_SELECTOR(0, PLACE);
    head->domains[MASTER].selectors[LOG_ANSWER_SENT] = LOG_SELECTOR(0, PLACE);
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, MASTER) == 0);
    EXPECT(sys_log_enable(LOG_OF_CALLS, true) == 0);
    monitor = sys_monitor_create(&bytes);
    EXPECT(monitor > 0 &&
           sys_monitor_track((cap_t)monitor, 0, 0, MASTER, 1u << SYS_MONITOR_SWITCH) == 0);
    EXPECT(sys_monitor_resume((cap_t)monitor) == 0);
    EXPECT(child_end(child_start(&child)) == 0);
    EXPECT(sys_monitor_suspend((cap_t)monitor) == 0);
    read_records(cpu);
    row_count = (place->offset - FILE) / (u32)sizeof(rows[0]);
    memcpy(rows, areas[cpu] + FILE, sizeof(rows));
    EXPECT(rows_with(LOG_CALL_SENT) == CALLS && rows_with(LOG_ANSWER_SENT) == CALLS);
    EXPECT(count_of(areas, LOG_CALL_TAKEN, MASTER) == CALLS);
    EXPECT(count_of(areas, LOG_ANSWER_TAKEN, CHILD) == CALLS);
    records_are_whole();
    u32 joined = join_all();
    EXPECT(slow ? joined == 0 : joined >= CALLS && joined <= 2 * CALLS);
    printf("test-logs: %u rows, %u of them with a record of the fast path\n", row_count, joined);
    EXPECT(sys_cap_drop((cap_t)monitor) == 0);
    EXPECT(sys_log_close() == 0);
    forget_counts(areas);
}
