// SPDX-License-Identifier: MIT
// The measurements of S004, figures 5.1 to 5.6: what logging costs calls, and what reading a log
// costs while another CPU writes it. scripts/eval-s004 makes tables of what is printed.
//
// `make bench` has lines for figure 5.2, of calls without bulk.
//
//   logged ROUNDS     figures 5.1 to 5.3: a pair of processes on each CPU
//   reading TIMES     figures 5.4 to 5.6: a pair on the last CPU, the reader on this one
#include "bench.h"

#include <orrery/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <user/log.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define CLIENT 1 // domains
#define SERVER 2
#define PLACE 0x4100
#define BASE 0x8000
#define FILE_512 LOG_SIZE(7)
#define ROW_1 LOG_WITH_EVENT
#define ROW_4 (ROW_1 | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_WITH_COUNTER)
#define ROW_5 (ROW_4 | LOG_STAMP_HARDWARE | LOG_PADDING(3))
#define N_MAX 11 // files of 8,192 bytes
#define TRIES_MAX 100
#define BENCH_ROUNDS 1000
#define BENCH_TRIES 5 // the least counts: an interrupt in the midst is none of a call's

static u8 *areas[ORRERY_MAX_CPUS];
static struct peer servers[ORRERY_MAX_CPUS];

static bool add_area(u32 cpu)
{
    struct sys_region region = {
        .bytes = LOG_AREA_BYTES, .kind = REGION_SHARED, .prot = PROT_R | PROT_W};
    s64 memory = sys_memory_new("log", LOG_AREA_BYTES);

    region.memory = (cap_t)memory;
    if (memory < 0 || sys_region_create(0, &region) != 0 || sys_log_area((cap_t)memory, cpu) != 0)
        return false;
    areas[cpu] = (u8 *)region.address;
    return true;
}

static bool map_domains(u32 cpu)
{
    return sys_log_domain((u32)getpid(), 0, CLIENT) == 0 &&
           sys_log_domain(servers[cpu].pid, 0, SERVER) == 0;
}

// ---- figures 5.1 to 5.3 -------------------------------------------------------------------------

// sides: of a call and its answer that are logged, from LOG_CALL_SENT on.
static const struct configuration {
    const char *name;
    bool owned, on;
    u32 sides, control;
    bool service; // and service times of both
} configurations[] = {
    {"native", false, false, 0, 0, false},
    {"disabled", true, false, 1, FILE_512 | ROW_5, false},
    {"0-entry", true, true, 1, FILE_512, false},
    {"1-entry", true, true, 1, FILE_512 | ROW_1, false},
    {"4-entry", true, true, 1, FILE_512 | ROW_4, false},
    {"5-entry", true, true, 1, FILE_512 | ROW_5, false},
    {"4-sides", true, true, 4, FILE_512 | ROW_5, false},
    {"service", true, false, 0, FILE_512 | ROW_5, true},
};
static const u32 sizes[] = {0, 32, 64, 128, 192, 256};

struct runner {
    u32 cpu, rounds, bytes;
    u64 start, end;
    bool failed;
};
static struct semaphore go;

static s64 run(void *argument)
{
    struct runner *runner = argument;

    semaphore_down(&go);
    u32 before = user_disable();
    runner->start = time_now();
    runner->failed = pingpong(servers[runner->cpu].cap, runner->rounds, runner->bytes) != 0;
    runner->end = time_now();
    user_enable(before);
    return 0;
}

// Ticks from the first call to the last answer, all pairs at once. 0: something failed.
static u64 run_all(u32 rounds, u32 bytes)
{
    struct runner runners[ORRERY_MAX_CPUS];
    struct thread *threads[ORRERY_MAX_CPUS];
    u64 start = UINT64_MAX, end = 0;
    bool failed = false;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        runners[cpu] = (struct runner){.cpu = cpu, .rounds = rounds, .bytes = bytes};
        if (thread_create(&threads[cpu], &attributes, run, &runners[cpu]) != 0)
            return 0;
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        semaphore_up(&go);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        thread_join(threads[cpu], NULL);
        failed |= runners[cpu].failed;
        start = runners[cpu].start < start ? runners[cpu].start : start;
        end = runners[cpu].end > end ? runners[cpu].end : end;
    }
    return failed ? 0 : end - start;
}

// The least of so many tries; 0: something failed.
static u64 run_often(u32 rounds, u32 bytes, u32 tries)
{
    u64 least = UINT64_MAX;

    for (u32 i = 0; i < tries; i++)
        least = min_u64(least, run_all(rounds, bytes));
    return least;
}

static bool lay_out(const struct configuration *configuration)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        if (areas[cpu] == NULL && !add_area(cpu))
            return false;
        struct log_head *head = (struct log_head *)areas[cpu];
        *(volatile struct log_register *)(areas[cpu] + PLACE) =
            (struct log_register){BASE, configuration->control};
        for (u32 side = 0; side < 4; side++)
            for (u32 domain = CLIENT; domain <= SERVER; domain++)
                head->domains[domain].selectors[LOG_CALL_SENT + side] =
                    side < configuration->sides ? LOG_SELECTOR(0, PLACE) : 0;
        for (u32 domain = CLIENT; domain <= SERVER; domain++)
            head->domains[domain].selectors[LOG_SERVICE_TIME] = LOG_SELECTOR(0, PLACE);
        if (!map_domains(cpu))
            return false;
    }
    return sys_log_enable(LOG_OF_CALLS, configuration->on) == 0 &&
           sys_log_enable(LOG_OF_SERVICE, configuration->service) == 0;
}

// Measures calls of the first `count` sizes in each configuration, each so many times: tells what a
// call takes at least, in nanoseconds. Returns false if something failed.
static bool measure_logged(u32 rounds, u32 count, u32 tries,
                           void (*tell)(const struct configuration *, u32 bytes, double ns))
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        if (!peer_start(&servers[cpu], "raw", cpu))
            return false;
    run_all(rounds, 0); // what is done once has been done then
    for (u32 i = 0; i < ARRAY_SIZE(configurations); i++) {
        const struct configuration *configuration = &configurations[i];
        if (configuration->owned && !lay_out(configuration))
            return false;
        for (u32 size = 0; size < count; size++) {
            u64 ticks = run_often(rounds, sizes[size], tries);
            if (ticks == 0)
                return false;
            tell(configuration, sizes[size],
                 (double)ticks * 1e9 / (double)time_hz() / rounds / user_cpu_count());
        }
        if (configuration->on)
            sys_log_enable(LOG_OF_CALLS, false);
    }
    return true;
}

static void tell_figure(const struct configuration *configuration, u32 bytes, double ns)
{
    printf("EVAL call %s %u %.2f\n", configuration->name, bytes, ns);
}

int logged_calls(u32 rounds)
{
    if (!measure_logged(rounds, ARRAY_SIZE(sizes), 1, tell_figure))
        return 1;
    printf("EVAL done\n");
    return 0;
}

static void tell_more(const struct configuration *configuration, u32 bytes, double ns)
{
    static double native;

    (void)bytes;
    if (!configuration->owned)
        native = ns;
    else
        printf("BENCH logs.%s %.1f ns\n", configuration->name, ns - native);
}

bool bench_logged(void)
{
    bool measured = measure_logged(BENCH_ROUNDS, 1, BENCH_TRIES, tell_more);

    sys_log_close();
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        peer_end(&servers[cpu]);
    return measured;
}

// ---- figures 5.4 to 5.6 -------------------------------------------------------------------------

static u32 rows[1 << N_MAX];

static s64 call_for_ever(void *argument)
{
    (void)argument;
    user_disable();
    while (pingpong(servers[user_cpu_count() - 1].cap, 1000, 0) == 0)
        ;
    return 1;
}

// All of the file, again until the kernel has written nothing meanwhile. How often; TRIES_MAX + 1:
// given up.
static u32 read_without_stopping(const struct log_reader *reader)
{
    const u32 *file = (const u32 *)(reader->area + reader->base);
    u32 words = reader->bytes / sizeof(u32);

    for (u32 tries = 1; tries <= TRIES_MAX; tries++) {
        u32 before = __atomic_load_n(&reader->place->offset, __ATOMIC_ACQUIRE);
        u32 newest = ((before - reader->row_bytes - reader->base) & (reader->bytes - 1)) / 4 + 1;
        for (u32 i = 0; i < words; i++)
            rows[i] = __atomic_load_n(&file[i], __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&reader->place->offset, __ATOMIC_RELAXED) == before &&
            __atomic_load_n(&file[newest], __ATOMIC_RELAXED) == rows[newest])
            return tries;
    }
    return TRIES_MAX + 1;
}

static u32 read_once(struct log_reader *reader, bool stopping)
{
    if (!stopping)
        return read_without_stopping(reader);
    return log_read(reader, rows) >= 0 ? reader->passes : TRIES_MAX + 1;
}

// Each begins when the kernel has just written a row, so that it is surely at work.
static void read_often(struct log_reader *reader, u32 times, bool stopping)
{
    u32 counts[TRIES_MAX + 2] = {0};
    u64 ticks = 0;

    for (u32 i = 0; i < times; i++) {
        u32 before = __atomic_load_n(&reader->place->offset, __ATOMIC_RELAXED);
        while (__atomic_load_n(&reader->place->offset, __ATOMIC_ACQUIRE) == before)
            ;
        u64 start = time_now();
        counts[read_once(reader, stopping)]++;
        ticks += time_now() - start;
    }
    printf("EVAL read %s %u %.1f", stopping ? "stopping" : "restarting", reader->bytes,
           (double)ticks * 1e9 / (double)time_hz() / times);
    for (u32 tries = 1; tries < ARRAY_SIZE(counts); tries++)
        if (counts[tries] != 0)
            printf(" %u:%u", tries, counts[tries]);
    printf("\n");
}

int reading_logs(u32 times)
{
    u32 cpu = user_cpu_count() - 1;
    u32 control = LOG_WITH_CORRESPONDENT | LOG_STAMP_HARDWARE;
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *writer;
    struct log_reader reader;

    attributes.cpu = cpu;
    if (!peer_start(&servers[cpu], "raw", cpu) || !add_area(cpu) || !map_domains(cpu) ||
        thread_create(&writer, &attributes, call_for_ever, NULL) != 0)
        return 1;
    u16 *selector = &((struct log_head *)areas[cpu])->domains[CLIENT].selectors[LOG_CALL_SENT];
    for (u32 n = LOG_SIZE_MIN; n <= N_MAX; n++) {
        u32 since = (u32)(time_now() / 64);
        *(volatile u16 *)selector = 0;
        if (sys_log_enable(LOG_OF_CALLS, false) != 0 || sys_log_quiesce(cpu) != 0 ||
            log_file_lay_out(areas[cpu], PLACE, BASE, LOG_SIZE(n) | control, since) != 0 ||
            log_reader_begin(&reader, areas[cpu], cpu, PLACE, since) != 0)
            return 1;
        *(volatile u16 *)selector = LOG_SELECTOR(0, PLACE);
        if (sys_log_enable(LOG_OF_CALLS, true) != 0)
            return 1;
        read_often(&reader, times, true);
        read_often(&reader, times, false);
    }
    printf("EVAL done\n");
    return 0;
}
