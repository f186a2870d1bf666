// SPDX-License-Identifier: MIT
// The monitor's view of processes: objects by scan, samples by object, counts by object, a process
// that does not answer. Samples two processes that run work-objects. Needs RIGHT_MONITOR.
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <orrery/pmu_model.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define PROCESSES 2
#define LONG "100000" // seconds: killed before
#define WANTED 2000   // samples
// Of a normal distribution in 10^10 cases one is farther off than so many standard deviations.
#define SIGMAS 6.5
// A host that lets a CPU wait makes it take several samples at once where it was,
// in place of those that are late.
#define AT_ONCE 5

static u64 failures;
static bool exact; // an instruction takes a nanosecond: nothing is late
static u64 buffer[INSPECT_BYTES / 8];

#define CHECK(condition) check(#condition, __LINE__, condition)

static bool check(const char *what, int line, bool holds)
{
    if (!holds) {
        printf("FAIL line %d: %s\n", line, what);
        failures++;
    }
    return holds;
}

static s64 ask_once(u32 pid, u32 operation, u64 a, u64 b, u64 *result)
{
    struct sys_inspect_request request = {.pid = pid, .operation = operation, .arguments = {a, b}};
    s64 bytes = sys_process_inspect(&request, buffer, sizeof(buffer));
    if (result != NULL)
        *result = request.results[0];
    return bytes;
}

// Of one that answers, but on a busy host not always within the kernel's second.
static s64 ask(u32 pid, u32 operation, u64 a, u64 b, u64 *result)
{
    s64 bytes;
    WAIT_FOR((bytes = ask_once(pid, operation, a, b, result)) != E_TIMEOUT);
    return bytes;
}

// ---- what there is -----------------------------------------------------------------------------

struct subject {
    u32 pid;
    coid_t process;      // the kernel's object
    coid_t light, heavy; // its own
    u32 thread;          // that its user code runs in, as the first sample said
    u64 samples, of_light, of_heavy, of_none, in_kernel, in_process, in_thread;
};

static u32 class_of(u32 pid, const char *implementation)
{
    for (u32 index = 0; ask(pid, INSPECT_CLASS, index, sizeof(struct sys_class), NULL) > 0;
         index++) {
        const struct sys_class *class = (const struct sys_class *)buffer;
        if (strcmp(class->implementation, implementation) == 0)
            return class->class_id;
    }
    return 0;
}

static coid_t object_of(u32 pid, u32 class_id)
{
    u64 cursor = 0;
    coid_t found = 0;
    s64 bytes;
    while ((bytes = ask(pid, INSPECT_SCAN, cursor, INSPECT_BYTES, &cursor)) > 0) {
        for (const char *at = (const char *)buffer; at < (const char *)buffer + bytes;) {
            const struct sys_object *object = (const struct sys_object *)at;
            if (object->class_id == class_id)
                found = object->coid;
            at += object->record_bytes;
        }
    }
    CHECK(bytes == 0);
    return found;
}

static coid_t kernel_object(u32 pid)
{
    struct sys_process_info info;
    u64 cursor = 0;
    while (sys_process_list(&cursor, &info, sizeof(info)) > 0) {
        if (info.pid == pid)
            return info.object;
    }
    return 0;
}

static s64 start(const char *const argv[])
{
    struct process_spawn spawn = PROCESS_SPAWN;
    char path[64];
    snprintf(path, sizeof(path), "bin/%s", argv[0]);
    spawn.path = path;
    spawn.argv = argv;
    spawn.rights = PROCESS_SAME_RIGHTS;
    return process_spawn(&spawn);
}

static void find_objects(struct subject *subject)
{
    u32 light, heavy;
    if (!CHECK(WAIT_FOR((light = class_of(subject->pid, "Light")) != 0 &&
                        (heavy = class_of(subject->pid, "Heavy")) != 0)))
        return;
    subject->light = object_of(subject->pid, light);
    subject->heavy = object_of(subject->pid, heavy);
    subject->process = kernel_object(subject->pid);
    CHECK(subject->light != 0 && subject->heavy != 0 && subject->process != 0);
}

// ---- samples -----------------------------------------------------------------------------------

static void count(struct subject *subject, const struct sys_sample *sample)
{
    subject->samples++;
    if (subject->thread == 0)
        subject->thread = sample->thread;
    subject->in_thread += sample->thread == subject->thread;
    if (sample->flags & SYS_SAMPLE_KERNEL) {
        subject->in_kernel++;
        subject->in_process += sample->coid == subject->process;
    } else if (sample->coid == subject->light) {
        subject->of_light++;
    } else if (sample->coid == subject->heavy) {
        subject->of_heavy++;
    } else {
        subject->of_none++;
    }
}

static void read_samples(s64 session, u32 cpu, struct subject *subjects)
{
    s64 bytes;
    while ((bytes = sys_sampling_read(session, cpu, 0, buffer, sizeof(buffer))) > 0) {
        for (const char *at = (const char *)buffer; at < (const char *)buffer + bytes;) {
            const struct sys_sample *sample = (const struct sys_sample *)at;
            for (u32 i = 0; i < PROCESSES; i++) {
                if (sample->pid == subjects[i].pid)
                    count(&subjects[i], sample);
            }
            at += sys_sample_bytes(sample);
        }
    }
}

// kernel: and some of the process's kernel object.
static bool have_enough(const struct subject *subjects, bool kernel)
{
    for (u32 i = 0; i < PROCESSES; i++) {
        if (subjects[i].of_light + subjects[i].of_heavy < WANTED ||
            (kernel && subjects[i].in_process == 0))
            return false;
    }
    return true;
}

// One event, until there are enough samples: a busy host takes its time.
static s64 sample(struct subject *subjects, u32 cpu, const struct sys_sampled_event *event,
                  u32 flags)
{
    u64 deadline = patience();
    struct sys_sampling sampling = {
        .callers = 4, .cpu_mask = 1u << cpu, .event_count = 1, .flags = flags, .events = {*event}};
    char message[96];
    s64 session = sys_sampling_start(&sampling, message, sizeof(message));
    if (session <= 0) {
        printf("test-monitor: not sampled: %s\n", message);
        return session;
    }
    do
        read_samples(session, cpu, subjects);
    while (!have_enough(subjects, event->filter & SYS_PMU_KERNEL) && wait_more(deadline));
    CHECK(sys_sampling_stop(session) == 0);
    read_samples(session, cpu, subjects);
    return session;
}

// precise: samples are neither late nor several at once.
static void judge(const struct subject *subject, bool precise)
{
    u64 work = subject->of_light + subject->of_heavy;
    u64 heavy = work != 0 ? subject->of_heavy * 1000 / work : 0;
    printf(
        "test-monitor: process %u: %lu samples, user %lu light %lu heavy (%lu.%lu %%) %lu other, "
        "kernel %lu, of its "
        "Process object %lu\n",
        subject->pid, subject->samples, subject->of_light, subject->of_heavy, heavy / 10,
        heavy % 10, subject->of_none, subject->in_kernel, subject->in_process);
    CHECK(work >= WANTED);
    // Three quarters, as n samples have it by chance;
    // tests/system holds it to 3 % where time is exact.
    double off = (double)subject->of_heavy - 0.75 * (double)work;
    double variance = (precise ? 1 : AT_ONCE) * 0.75 * 0.25 * (double)work;
    CHECK(off * off <= SIGMAS * SIGMAS * variance);
    CHECK(subject->thread != 0 && subject->in_thread > 0);
    // All work on one CPU. Not all: when an interrupt comes while processes change.
    if (precise) {
        CHECK(subject->of_none * 20 < work);
        CHECK(subject->in_thread * 50 > subject->samples * 49);
    }
}

// Processes that work on a CPU, and know their objects.
static bool start_work(struct subject *subjects, u32 cpu)
{
    char where[4];
    snprintf(where, sizeof(where), "%u", (unsigned)cpu);
    for (u32 i = 0; i < PROCESSES; i++) {
        s64 pid = start((const char *[]){"work-objects", LONG, where, NULL});
        if (!CHECK(pid > 0))
            return false;
        subjects[i] = (struct subject){.pid = (u32)pid};
    }
    for (u32 i = 0; i < PROCESSES; i++)
        find_objects(&subjects[i]);
    return true;
}

static void end_work(const struct subject *subjects)
{
    for (u32 i = 0; i < PROCESSES; i++) {
        CHECK(sys_process_kill(subjects[i].pid, 1) == 0);
        CHECK(process_wait(subjects[i].pid, &(s32){0}, patience()) == subjects[i].pid);
    }
}

static void forget_samples(struct subject *subject)
{
    *subject = (struct subject){.pid = subject->pid,
                                .process = subject->process,
                                .thread = subject->thread,
                                .light = subject->light,
                                .heavy = subject->heavy};
}

// By instructions in problem state, which the model unit counts if there is one.
static bool sample_instructions(struct subject *subjects, u32 cpu, u32 flags)
{
    const struct sys_sampled_event event = {.event = SYS_PMU_MODEL + MODEL_INSTRUCTIONS,
                                            .filter = SYS_PMU_USER,
                                            .period = flags != 0 ? 5003 : 50021,
                                            .randomise = 10};
    s64 session = sample(subjects, cpu, &event, flags);
    if (session == E_NOTSUP || !CHECK(session > 0))
        return false;
    printf("test-monitor: by instructions, %s\n", flags != 0 ? "precise" : "interrupts");
    for (u32 i = 0; i < PROCESSES; i++) {
        judge(&subjects[i], flags != 0);
        // An interrupt may come late, when the kernel runs; a record never.
        CHECK(flags == 0 || subjects[i].in_kernel == 0);
        forget_samples(&subjects[i]);
    }
    return true;
}

static void samples_by_instructions(void)
{
    struct subject subjects[PROCESSES];
    u32 cpu = user_cpu_count() - 1;
    if (!start_work(subjects, cpu))
        return;
    if (sample_instructions(subjects, cpu, 0))
        sample_instructions(subjects, cpu, SYS_SAMPLING_PRECISE);
    end_work(subjects);
}

static u64 calls_of(u32 pid, coid_t coid)
{
    u64 cursor = 0, calls = 0;
    s64 bytes = ask(pid, INSPECT_DREF_READ, 0, INSPECT_BYTES, &cursor);
    for (u64 i = 0; bytes > 0 && i < (u64)bytes / sizeof(struct sys_dref_count); i++) {
        const struct sys_dref_count *counted = &((const struct sys_dref_count *)buffer)[i];
        if (counted->coid == coid)
            calls += counted->invocations;
    }
    return calls;
}

static void samples_find_objects_of_processes(void)
{
    struct subject subjects[PROCESSES];
    u32 cpu = user_cpu_count() - 1;
    if (!start_work(subjects, cpu))
        return;
    const struct sys_sampled_event cycles = {.event = SYS_PMU_CYCLES,
                                             .filter = SYS_PMU_KERNEL | SYS_PMU_USER,
                                             .period = 100000,
                                             .randomise = 14};
    CHECK(sample(subjects, cpu, &cycles, 0) > 0);
    for (u32 i = 0; i < PROCESSES; i++) {
        judge(&subjects[i], exact);
        CHECK(subjects[i].in_process > 0);
    }
    // Counts of a process's objects.
    u32 pid = subjects[0].pid;
    CHECK(ask(pid, INSPECT_DREF_ENABLE, 1, 0, NULL) == 0);
    CHECK(WAIT_FOR(calls_of(pid, subjects[0].heavy) > 0));
    CHECK(ask(pid, INSPECT_DREF_ENABLE, 0, 0, NULL) == 0);
    end_work(subjects);
}

// ---- a process that is stuck -------------------------------------------------------------------

static int __attribute__((noreturn)) stuck(void)
{
    user_disable();
    for (;;)
        __asm__ volatile("");
}

static void a_stuck_process_is_told_as_such(void)
{
    s64 pid = start((const char *[]){"test-monitor", "stuck", NULL});
    if (!CHECK(pid > 0))
        return;
    u64 begin, cursor;
    CHECK(WAIT_FOR((begin = time_now()) != 0 &&
                   ask_once((u32)pid, INSPECT_SCAN, 0, INSPECT_BYTES, &cursor) == E_TIMEOUT));
    u64 ms = time_to_us(time_now() - begin) / 1000;
    CHECK(ms >= 900);
    printf("test-monitor: a stuck process is known after %lu ms\n", ms);
    CHECK(sys_process_kill((u32)pid, 1) == 0);
    CHECK(process_wait((u32)pid, &(s32){0}, patience()) == pid);
    CHECK(ask((u32)pid, INSPECT_SCAN, 0, INSPECT_BYTES, &cursor) == E_NOENT);
}

// ---- a process whose stack pointer lies --------------------------------------------------------

static int wild(void)
{
    static const u64 places[] = {
        0,          8,          0x123456789abcdef1, 0xc000000000400000, 0xc000100000000000,
        USER_START, USER_IMAGE, USER_END - 16,      USER_END,           UINT64_MAX - 7};
    user_disable();
    for (u32 i = 0; i < 20 * ARRAY_SIZE(places); i++) {
        u64 turns = 1000000;
        __asm__ volatile("mtctr %0\n\tmr 9,1\n\tmr 1,%1\n1:\tbdnz 1b\n\tmr 1,9"
                         :
                         : "r"(turns), "r"(places[i % ARRAY_SIZE(places)])
                         : "r9", "ctr");
    }
    user_enable(0);
    return 0;
}

static void samples_survive_wild_stack_pointers(void)
{
    struct sys_sampling sampling = {
        .callers = 16,
        .event_count = 1,
        .events = {
            {.event = SYS_PMU_CYCLES, .filter = SYS_PMU_KERNEL | SYS_PMU_USER, .period = 50000}}};
    s32 status = -1;
    char message[96];
    s64 session = sys_sampling_start(&sampling, message, sizeof(message));
    s64 pid = start((const char *[]){"test-monitor", "wild", NULL});
    CHECK(session > 0 && pid > 0);
    struct subject subjects[PROCESSES] = {{.pid = (u32)pid}};
    s64 ended;
    u64 deadline = patience();
    do {
        ended = process_wait((u32)pid, &status, time_after_us(20000));
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            read_samples(session, cpu, subjects);
    } while (ended == E_TIMEOUT && wait_more(deadline));
    CHECK(ended == pid && status == 0);
    CHECK(sys_sampling_stop(session) == 0);
    CHECK(subjects[0].samples > 0);
    printf("test-monitor: %lu samples of a process with wild stack pointers\n",
           subjects[0].samples);
}

int main(int argc, char **argv)
{
    char option[8];

    if (argc > 1 && strcmp(argv[1], "wild") == 0)
        return wild();
    if (argc > 1 && strcmp(argv[1], "stuck") == 0)
        return stuck();
    exact = sys_option("exact", option, sizeof(option)) == 0;
    samples_find_objects_of_processes();
    samples_by_instructions();
    samples_survive_wild_stack_pointers();
    a_stuck_process_is_told_as_such();
    printf("test-monitor: %s\n", failures == 0 ? "ok" : "FAILED");
    return failures != 0;
}
