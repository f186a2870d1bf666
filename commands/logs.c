// SPDX-License-Identifier: MIT
// The logs for schedulers, shown: who calls whom, and how long the run queues are (orrery/log.h).
#include "common.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/log.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/time.h>

#define SECOND_US 1000000
#define NAP_US 10000
#define SECONDS_MAX 86400
#define STAMPS_IN_SECOND 8000000 // LOG_STAMP_HARDWARE

// Where things lie in a CPU's area, behind the descriptors.
#define CALLS_REGISTER 0x4010
#define QUEUE_REGISTER 0x4018
#define COUNT_REGISTERS 0x4100 // of a domain each
#define COUNTS 0x5000          // a row of four entries each
#define QUEUE_FILE 0x6000
#define CALLS_FILE 0x8000
#define QUEUE_SIZE 10 // 2^n entries
#define CALLS_SIZE 13
#define COUNT_SIZE 2

struct row {
    u32 event, current, correspondent, counter, stamp;
    u32 padding[3];
};
#define ROW_BYTES ((u32)sizeof(struct row))
#define ROW_FLAGS                                                                                  \
    (LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_WITH_COUNTER |               \
     LOG_STAMP_HARDWARE | LOG_PADDING(3))

// A file of rows, as its reader sees it.
struct file {
    const struct log_register *control;
    u32 base, bytes, next; // in the area
    u32 last_stamp;        // of the row before next
    u32 gaps;              // how often rows were lost
};

static struct cpu {
    u8 *area;
    struct file calls, queue;
} cpus[ORRERY_MAX_CPUS];
static u32 cpu_count;
static bool counting; // calls are counted by domain, not shown
static u64 rows_shown;

// ---- laying out ---------------------------------------------------------------------------------

static s64 map_area(u32 cpu)
{
    s64 memory = sys_memory_new("logs", LOG_AREA_BYTES);
    if (memory < 0)
        return memory;
    struct sys_region region = {.bytes = LOG_AREA_BYTES,
                                .kind = REGION_SHARED,
                                .prot = PROT_R | PROT_W,
                                .memory = (cap_t)memory};
    s64 error = sys_region_create(0, &region);
    if (error == 0)
        error = sys_log_area((cap_t)memory, cpu);
    sys_cap_drop((cap_t)memory);
    cpus[cpu].area = (u8 *)region.address;
    return error;
}

static void set_register(u8 *area, u32 place, u32 offset, u32 control)
{
    *(struct log_register *)(area + place) = (struct log_register){offset, control};
}

static struct file lay_file(u8 *area, u32 place, u32 base, u32 n)
{
    set_register(area, place, base, LOG_SIZE(n) | ROW_FLAGS);
    return (struct file){.control = (const struct log_register *)(area + place),
                         .base = base,
                         .bytes = (u32)sizeof(u32) << n,
                         .next = base};
}

static s64 lay_out(u32 cpu)
{
    s64 error = map_area(cpu);
    if (error < 0)
        return error;
    u8 *area = cpus[cpu].area;
    struct log_head *head = (struct log_head *)area;
    cpus[cpu].calls = lay_file(area, CALLS_REGISTER, CALLS_FILE, CALLS_SIZE);
    cpus[cpu].queue = lay_file(area, QUEUE_REGISTER, QUEUE_FILE, QUEUE_SIZE);
    head->run_queue = counting ? 0 : LOG_SELECTOR(0, QUEUE_REGISTER);
    for (u32 domain = 1; domain < LOG_DOMAINS; domain++) {
        u32 place = counting ? COUNT_REGISTERS + domain * 8 : CALLS_REGISTER;
        if (counting)
            set_register(area, place, COUNTS + domain * 16,
                         LOG_SIZE(COUNT_SIZE) | LOG_COUNTER_ADD | LOG_PADDING(3));
        head->domains[domain].selectors[LOG_CALL_SENT] = LOG_SELECTOR(0, place);
    }
    return 0;
}

// ---- domains ------------------------------------------------------------------------------------

static char names[LOG_DOMAINS][PROCESS_NAME_MAX + 1];

// Each process that there is gets a domain of its own, as far as they go, but this one: what it
// prints would be calls to print. Those that they start are in theirs.
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

#define ROWS_MAX (((4u << CALLS_SIZE) + (4u << QUEUE_SIZE)) / sizeof(struct row))
static struct read_row {
    struct row row;
    u32 cpu;
} found[ORRERY_MAX_CPUS * ROWS_MAX];
static u32 found_count;

static const struct row *row_at(const struct file *file, const u8 *area, u32 offset)
{
    return (const struct row *)(area + file->base + (offset - file->base) % file->bytes);
}

// Takes the rows since the last time. If the last row of that time is not there any more, the
// kernel has gone round: rows were lost, and what was copied may be of several rounds.
static void read_file(u32 cpu, struct file *file)
{
    const u8 *area = cpus[cpu].area;
    u32 begin = found_count, end = __atomic_load_n(&file->control->offset, __ATOMIC_ACQUIRE);
    u32 stamp = file->last_stamp;
    const struct row *last = row_at(file, area, file->next + file->bytes - ROW_BYTES);

    for (u32 at = file->next; at != end;) {
        const struct row *row = row_at(file, area, at);
        found[found_count++] = (struct read_row){*row, cpu};
        stamp = row->stamp;
        at = file->base + (at + ROW_BYTES - file->base) % file->bytes;
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&last->stamp, __ATOMIC_RELAXED) != file->last_stamp) {
        found_count = begin;
        file->gaps++;
        end = __atomic_load_n(&file->control->offset, __ATOMIC_ACQUIRE);
        stamp = row_at(file, area, end + file->bytes - ROW_BYTES)->stamp;
    }
    file->next = end;
    file->last_stamp = stamp;
}

static int compare(const void *one, const void *other)
{
    const struct read_row *left = one, *right = other;
    s32 difference = (s32)(left->row.stamp - right->row.stamp);

    return difference != 0 ? difference : (s32)(left->cpu - right->cpu);
}

static void show(const struct read_row *found_row)
{
    const struct row *row = &found_row->row;
    bool queue = row->event == LOG_RUN_QUEUE;

    printf("%10.6f %3u %-9s %6u %13u %7u\n", (double)row->stamp / STAMPS_IN_SECOND, found_row->cpu,
           queue ? "run-queue" : "call", row->current, row->correspondent, row->counter);
}

static void read_all(void)
{
    found_count = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        read_file(cpu, &cpus[cpu].calls);
        read_file(cpu, &cpus[cpu].queue);
    }
    qsort(found, found_count, sizeof(found[0]), compare);
    for (u32 i = 0; i < found_count; i++)
        show(&found[i]);
    rows_shown += found_count;
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
        gaps += cpus[cpu].calls.gaps + cpus[cpu].queue.gaps;
    printf("%lu rows; lost: rows at %lu places\n", rows_shown, gaps);
}

static s64 run(u64 seconds)
{
    u64 end = time_now() + time_from_us(seconds * SECOND_US);
    s64 error = sys_log_enable(LOG_OF_CALLS, true);

    if (error == 0)
        error = sys_log_enable(LOG_OF_RUN_QUEUE, true);
    if (error != 0)
        return error;
    if (!counting)
        printf("%10s %3s %-9s %6s %13s %7s\n", "TIME", "CPU", "EVENT", "DOMAIN", "CORRESPONDENT",
               "COUNTER");
    while (time_now() < end) {
        usleep(NAP_US);
        if (!counting)
            read_all();
    }
    error = sys_log_close();
    if (counting)
        report_counts();
    else
        report_rows();
    return error;
}

int main(int argc, char **argv)
{
    struct sys_info info;
    u64 seconds;
    s64 error;

    command_begin(
        argc, argv,
        "logs [-c] SECONDS\n"
        "shows what the logs for schedulers have: calls between domains and lengths of run "
        "queues\n-c: counts the calls of each domain");
    counting = argc == 3 && strcmp(argv[1], "-c") == 0;
    if (argc != (counting ? 3 : 2) || !parse_number(argv[argc - 1], SECONDS_MAX, &seconds))
        return command_usage();
    error = sys_info(&info);
    cpu_count = info.cpu_count;
    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++)
        error = lay_out(cpu);
    if (error == 0)
        error = map_processes();
    if (error == 0)
        error = run(seconds);
    return error == 0 ? 0 : complain_error("logs", error);
}
