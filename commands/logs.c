// SPDX-License-Identifier: MIT
// Shows the logs for schedulers (orrery/log.h): who calls whom, how long the run queues are, and
// more on request.
#include "common.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/log.h>
#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <orrery/sched.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/log.h>
#include <user/time.h>

#define SECOND_US 1000000
#define NAP_US 10000
#define SECONDS_MAX 86400
#define STAMPS_IN_SECOND 8000000 // LOG_STAMP_HARDWARE
#define TICKS_IN_STAMP 64
// Rows are shown so much later, in the order of time: a CPU may stamp a row and store it later than
// others store theirs, if the host gives it no time in between.
#define HELD_STAMPS STAMPS_IN_SECOND

// Offsets in a CPU's area, behind the descriptors.
#define EVENTS_REGISTER 0x4010
#define QUEUE_REGISTER 0x4018
#define COUNT_REGISTERS 0x4100 // of a domain each
#define COUNTS 0x5000          // a row of four entries each
#define QUEUE_FILE 0x6000
#define EVENTS_FILE 0x8000
#define QUEUE_SIZE 10 // 2^n entries
#define EVENTS_SIZE 13
#define COUNT_SIZE 2

struct row {
    u32 event, current, correspondent, counter, stamp;
    u32 padding[3];
};
#define ROW_BYTES ((u32)sizeof(struct row))
#define ROW_FLAGS                                                                                  \
    (LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_WITH_COUNTER |               \
     LOG_STAMP_HARDWARE | LOG_PADDING(3))

static struct cpu {
    u8 *area;
    struct log_reader events, queue;
} cpus[ORRERY_MAX_CPUS];
static u32 cpu_count;
static bool counting; // count calls by domain, instead of showing them
static u64 rows_shown;

// Characteristics by name; the first two are the default without -l. Events of enum log_event.
static const struct characteristic {
    const char *name;
    u32 number, events;
} characteristics[] = {
    {"calls", LOG_OF_CALLS, 1u << LOG_CALL_SENT},
    {"run-queue", LOG_OF_RUN_QUEUE, 0},
    {"passing", LOG_OF_CALLS,
     1u << LOG_CALL_SENT | 1u << LOG_CALL_TAKEN | 1u << LOG_ANSWER_SENT | 1u << LOG_ANSWER_TAKEN |
         1u << LOG_MESSAGE_SENT | 1u << LOG_MESSAGE_TAKEN},
    {"service", LOG_OF_SERVICE, 1u << LOG_SERVICE_TIME},
    {"memory", LOG_OF_MEMORY, 1u << LOG_MEMORY},
};
static u32 wanted, events_wanted; // bits of enum log_characteristic, of enum log_event

static void want(const struct characteristic *one)
{
    wanted |= 1u << one->number;
    events_wanted |= one->events;
}

// Parses names with commas between. Returns false if one is unknown, or there is none.
static bool want_names(const char *names)
{
    for (;;) {
        u64 length = strcspn(names, ",");
        u32 i = 0;
        while (i < ARRAY_SIZE(characteristics) &&
               (strlen(characteristics[i].name) != length ||
                strncmp(characteristics[i].name, names, length) != 0))
            i++;
        if (i == ARRAY_SIZE(characteristics))
            return false;
        want(&characteristics[i]);
        if (names[length] == '\0')
            return true;
        names += length + 1;
    }
}

// ---- laying out ---------------------------------------------------------------------------------

static void set_register(u8 *area, u32 place, u32 offset, u32 control)
{
    *(struct log_register *)(area + place) = (struct log_register){offset, control};
}

static s64 lay_file(struct log_reader *reader, u32 cpu, u32 place, u32 base, u32 n)
{
    u32 since = (u32)(time_now() / TICKS_IN_STAMP);
    s64 error = log_file_lay_out(cpus[cpu].area, place, base, LOG_SIZE(n) | ROW_FLAGS, since);

    return error != 0 ? error : log_reader_begin(reader, cpus[cpu].area, cpu, place, since);
}

static s64 lay_out(u32 cpu)
{
    s64 error = log_area_map(cpu, &cpus[cpu].area);
    if (error < 0)
        return error;
    u8 *area = cpus[cpu].area;
    struct log_head *head = (struct log_head *)area;
    error = lay_file(&cpus[cpu].events, cpu, EVENTS_REGISTER, EVENTS_FILE, EVENTS_SIZE);
    if (error == 0)
        error = lay_file(&cpus[cpu].queue, cpu, QUEUE_REGISTER, QUEUE_FILE, QUEUE_SIZE);
    if (error != 0)
        return error;
    head->run_queue = counting ? 0 : LOG_SELECTOR(0, QUEUE_REGISTER);
    for (u32 domain = 1; domain < LOG_DOMAINS; domain++) {
        u32 place = counting ? COUNT_REGISTERS + domain * 8 : EVENTS_REGISTER;
        if (counting)
            set_register(area, place, COUNTS + domain * 16,
                         LOG_SIZE(COUNT_SIZE) | LOG_COUNTER_ADD | LOG_PADDING(3));
        for (u32 event = 0; event < LOG_EVENTS; event++)
            if (events_wanted >> event & 1)
                head->domains[domain].selectors[event] = LOG_SELECTOR(0, place);
    }
    return 0;
}

// ---- domains ------------------------------------------------------------------------------------

static char names[LOG_DOMAINS][PROCESS_NAME_MAX + 1];

// Gives each existing process a domain of its own while there are any, except this one: its own
// prints would be logged as calls. Processes that they start are in their domains.
static s64 map_processes(void)
{
    struct sys_process_info infos[32];
    u64 cursor = 0;
    s64 got, error = 0;
    u32 domain = 0;

    while (error == 0 && (got = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)got / sizeof(infos[0]) && error == 0; i++) {
            if (infos[i].pid == (u32)sys_process_pid(0))
                continue;
            domain += domain < LOG_DOMAINS - 1;
            error = sys_log_domain(infos[i].pid, 0, domain);
            snprintf(names[domain], sizeof(names[0]), "%.*s", PROCESS_NAME_MAX, infos[i].name);
            printf("domain %u: process %u, %s\n", domain, infos[i].pid, names[domain]);
            error = error == E_NOENT ? 0 : error; // it has ended
        }
    return error;
}

// ---- reading ------------------------------------------------------------------------------------

#define ROWS_MAX (((4u << EVENTS_SIZE) + (4u << QUEUE_SIZE)) / sizeof(struct row))
static struct read_row {
    struct row row;
    u32 cpu;
} found[2 * ORRERY_MAX_CPUS * ROWS_MAX]; // held ones, and what a reading adds
static u32 found_count;

static s64 read_file(u32 cpu, struct log_reader *reader)
{
    static struct row rows[(4u << EVENTS_SIZE) / sizeof(struct row)];
    s64 count = log_read(reader, (u32 *)rows);

    for (s64 i = 0; i < count; i++)
        found[found_count++] = (struct read_row){rows[i], cpu};
    return count < 0 ? count : 0;
}

static int compare(const void *one, const void *other)
{
    const struct read_row *left = one, *right = other;
    s32 difference = (s32)(left->row.stamp - right->row.stamp);

    return difference != 0 ? difference : (s32)(left->cpu - right->cpu);
}

static void show(const struct read_row *found_row)
{
    static const char *const events[] = {
        [LOG_SERVICE_TIME] = "service",      [LOG_CALL_SENT] = "call",
        [LOG_CALL_TAKEN] = "call-taken",     [LOG_ANSWER_SENT] = "answer",
        [LOG_ANSWER_TAKEN] = "answer-taken", [LOG_MESSAGE_SENT] = "message",
        [LOG_MESSAGE_TAKEN] = "msg-taken",   [LOG_MEMORY] = "memory",
        [LOG_RUN_QUEUE] = "run-queue"};
    const struct row *row = &found_row->row;

    printf("%10.6f %3u %-12s %6u %13u %10d\n", (double)row->stamp / STAMPS_IN_SECOND,
           found_row->cpu, events[row->event], row->current, row->correspondent, (s32)row->counter);
}

static void show_first(u32 count)
{
    for (u32 i = 0; i < count; i++)
        show(&found[i]);
    rows_shown += count;
    found_count -= count;
    memmove(found, found + count, found_count * sizeof(found[0]));
}

// Reads all logs, and shows what was stamped before `until`; also later rows, if there would be no
// room for another reading.
static s64 read_all(u32 until)
{
    s64 error = 0;
    u32 due = 0;

    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++) {
        error = read_file(cpu, &cpus[cpu].events);
        if (error == 0)
            error = read_file(cpu, &cpus[cpu].queue);
    }
    qsort(found, found_count, sizeof(found[0]), compare);
    while (due < found_count &&
           ((s32)(found[due].row.stamp - until) < 0 || found_count - due > ARRAY_SIZE(found) / 2))
        due++;
    show_first(due);
    return error;
}

// ---- the whole ----------------------------------------------------------------------------------

static void report_counts(void)
{
    printf("%6s %10s  %s\n", "DOMAIN", "CALLS", "NAME");
    for (u32 domain = 1; domain < LOG_DOMAINS; domain++) {
        u64 calls = 0;
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            calls += *(const u32 *)(cpus[cpu].area + COUNTS + domain * 16);
        if (calls != 0)
            printf("%6u %10lu  %s\n", domain, calls, names[domain]);
    }
}

static void report_rows(void)
{
    u64 gaps = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        gaps += cpus[cpu].events.lost + cpus[cpu].queue.lost;
    printf("%lu rows; lost: rows at %lu places\n", rows_shown, gaps);
}

static s64 enable_wanted(void)
{
    s64 error = 0;

    for (u32 characteristic = 0; characteristic < LOG_CHARACTERISTICS; characteristic++)
        if (error == 0 && (wanted >> characteristic & 1))
            error = sys_log_enable(characteristic, true);
    return error;
}

static s64 run(u64 seconds)
{
    u64 end = time_now() + time_from_us(seconds * SECOND_US);
    s64 error = enable_wanted();

    if (error != 0)
        return error;
    if (!counting)
        printf("%10s %3s %-12s %6s %13s %10s\n", "TIME", "CPU", "EVENT", "DOMAIN", "CORRESPONDENT",
               "COUNTER");
    while (error == 0 && time_now() < end) {
        usleep(NAP_US);
        if (!counting)
            error = read_all((u32)(time_now() / TICKS_IN_STAMP) - HELD_STAMPS);
    }
    if (!counting && error == 0)
        error = read_all((u32)(time_now() / TICKS_IN_STAMP));
    show_first(found_count);
    s64 closed = sys_log_close();
    if (counting)
        report_counts();
    else
        report_rows();
    return error != 0 ? error : closed;
}

// Parses the words before the seconds.
static bool parse_options(int argc, char **argv)
{
    counting = argc == 3 && strcmp(argv[1], "-c") == 0;
    if (argc == 4 && strcmp(argv[1], "-l") == 0)
        return want_names(argv[2]);
    want(&characteristics[0]);
    if (!counting)
        want(&characteristics[1]);
    return argc == (counting ? 3 : 2);
}

// ---- who has them -------------------------------------------------------------------------------

// Fills in a process that may be the scheduler. Returns false if there is none.
static bool find_scheduler(struct sys_process_info *info)
{
    u64 cursor = 0;

    while (sys_process_list(&cursor, info, sizeof(*info)) > 0)
        if (strcmp(info->name, SCHED_PROGRAM) == 0 && (info->rights & RIGHT_PLACE) != 0)
            return true;
    return false;
}

// Says whose the logs are, if it is the scheduler that has them.
static void tell_owner(void)
{
    struct sys_process_info info;
    struct sched_state state;
    struct sys_inspect_request request = {.operation = INSPECT_SCHED, .arguments = {sizeof(state)}};

    if (!find_scheduler(&info))
        return;
    request.pid = info.pid;
    if (sys_process_inspect(&request, &state, sizeof(state)) < (s64)sizeof(state) ||
        strcmp(state.policy, "none") == 0)
        return;
    fprintf(stderr, "logs: " SCHED_PROGRAM " (process %u) owns the logs; its policy is %.*s\n",
            info.pid, SCHED_POLICY_BYTES, state.policy);
}

int main(int argc, char **argv)
{
    struct sys_info info;
    u64 seconds;
    s64 error;

    command_begin(
        argc, argv,
        "logs [-c | -l NAME,...] SECONDS\n"
        "shows what the logs for schedulers have: calls between domains and lengths of run "
        "queues\n-c: counts the calls of each domain\n-l: these instead, of calls, run-queue, "
        "passing (both sides of calls, answers, messages), service (ticks), memory (pages)");
    if (!parse_options(argc, argv) || !parse_number(argv[argc - 1], SECONDS_MAX, &seconds))
        return command_usage();
    error = sys_info(&info);
    cpu_count = info.cpu_count;
    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++)
        error = lay_out(cpu);
    if (error == 0)
        error = map_processes();
    if (error == 0)
        error = run(seconds);
    if (error == E_BUSY)
        tell_owner();
    return error == 0 ? 0 : complain_error("logs", error);
}
