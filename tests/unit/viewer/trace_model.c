// SPDX-License-Identifier: MIT
// The model of a trace: after each of a made-up machine's events it says what one finds who reads
// all events so far anew, by rules that are as plain as they are slow.
#include "unit.h"

#include "tools/kov.h"
#include "trace/trace_model.h"

#include <string.h>
#include <trace/reasons.h>

struct settings settings = {.kernel = "/nowhere", .programs = "/nowhere"};

#define CPUS 3
#define THREADS 11 // of the first ones, each is the idle thread of its CPU
#define ROUNDS 60
#define EVENTS 300
#define NOBODY ACTIVITY_NO_THREAD

struct told {
    bool lost; // events of the CPU are missing
    u32 cpu;
    u64 time;
    enum event_kind kind;
    u64 values[EVENT_FIELDS_MAX];
};

static struct told history[EVENTS + 1];
static u32 count;
static struct engine engine;
static struct trace_model model;
static u64 ids[THREADS];

// ---- what one reads ----------------------------------------------------------------------------

static bool is_switch(u32 i, u32 cpu)
{
    return !history[i].lost && history[i].cpu == cpu && history[i].kind == EVENT_SWITCH;
}

// Returns who is known to run on a CPU after so many events.
static u64 read_runs(u32 cpu, u32 events)
{
    u64 runs = NOBODY;
    for (u32 i = 0; i < events; i++) {
        const struct told *told = &history[i];
        if (told->cpu == cpu && told->lost)
            runs = NOBODY;
        else if (is_switch(i, cpu))
            runs = told->values[1];
        else if (told->cpu == cpu && told->kind == EVENT_STATE_THREAD && runs == NOBODY)
            runs = told->values[0];
    }
    return runs;
}

static u64 read_ran(u64 thread)
{
    u64 ran = 0;
    for (u32 i = 1; i < count; i++)
        for (u32 cpu = 0; cpu < CPUS; cpu++)
            if (read_runs(cpu, i) == thread)
                ran += history[i].time - history[i - 1].time;
    return ran;
}

// Returns on which CPU a thread runs or ran last, as so many events have told; CPUS: on none.
static u32 read_cpu(u64 thread, u32 events)
{
    for (u32 i = events; i-- > 0;) {
        u32 cpu = history[i].cpu;
        if ((is_switch(i, cpu) &&
             (history[i].values[0] == thread || history[i].values[1] == thread)) ||
            (read_runs(cpu, i) != thread && read_runs(cpu, i + 1) == thread))
            return cpu;
    }
    return CPUS;
}

static u64 priority(u64 thread)
{
    for (u32 i = 0; i < CPUS; i++)
        if (ids[i] == thread)
            return 0;
    return 2;
}

static bool read_idle(u64 thread)
{
    bool told = false;
    for (u32 i = 0; i < count; i++) {
        const struct told *event = &history[i];
        told |= !event->lost && ((event->kind == EVENT_SWITCH &&
                                  (event->values[0] == thread || event->values[1] == thread)) ||
                                 (event->kind == EVENT_STATE_THREAD && event->values[0] == thread));
    }
    return told && priority(thread) == 0;
}

static u64 read_pid(u64 thread, u32 events)
{
    for (u32 i = 0; i < events; i++)
        if (!history[i].lost && history[i].kind == EVENT_DISPATCHER_CREATE &&
            history[i].values[0] == thread)
            return history[i].values[1];
    return ACTIVITY_NO_PID;
}

// Returns the CPU's event before this one that tells of threads, or COUNT if there is none or
// something is missing.
static u32 read_previous(u32 event)
{
    for (u32 i = event; i-- > 0;) {
        if (history[i].cpu != history[event].cpu ||
            (!history[i].lost && history[i].kind == EVENT_OTHER))
            continue;
        return history[i].lost ? count : i;
    }
    return count;
}

// Returns which call was told that the CPU's next switch hands over; 0: none.
static u64 read_told(u32 event);

// Returns the switch of the fast path, if the event is a call or a reply right behind it; COUNT:
// it is none.
static u32 read_fast(u32 event)
{
    u32 last = read_previous(event);
    bool call = history[event].kind == EVENT_IPC_CALL;
    if (history[event].lost || (!call && history[event].kind != EVENT_IPC_REPLY) || last == count ||
        history[last].kind != EVENT_SWITCH)
        return count;
    u64 pid = read_pid(history[last].values[1], event);
    bool handed = read_told(last) != 0 && history[last].values[4] == REASON_CALL;
    bool serves = pid == ACTIVITY_NO_PID || pid == history[event].values[1];
    return !handed && (!call || (serves && history[event].values[3] != 0)) &&
                   history[last].values[4] == (call ? REASON_CALL : REASON_REPLY)
               ? last
               : count;
}

static u64 read_told(u32 event)
{
    for (u32 i = event; i-- > 0;) {
        const struct told *told = &history[i];
        if (told->cpu != history[event].cpu)
            continue;
        if (told->lost || told->kind == EVENT_SWITCH)
            return 0;
        if (told->kind == EVENT_IPC_CALL && told->values[3] != 0 && read_fast(i) == count)
            return told->values[2];
    }
    return 0;
}

// Returns who did what an event tells.
static u64 read_doer(u32 event)
{
    const struct told *told = &history[event];
    u32 fast = read_fast(event);
    return told->kind == EVENT_SWITCH ? told->values[0]
           : fast != count            ? history[fast].values[0]
                                      : read_runs(told->cpu, event);
}

// Returns the call that an event gave to the thread that now runs on its CPU; 0: none.
static u64 read_given(u32 event)
{
    const struct told *told = &history[event];
    if (told->kind == EVENT_SWITCH)
        return told->values[4] == REASON_CALL ? read_told(event) : 0;
    return told->kind == EVENT_IPC_CALL && read_fast(event) != count ? told->values[2] : 0;
}

static enum model_left read_left(u64 thread)
{
    for (u32 i = count; i-- > 0;) {
        const struct told *told = &history[i];
        if (told->lost && read_cpu(thread, i) == told->cpu)
            return LEFT_READY;
        if (!told->lost && told->kind == EVENT_SWITCH && told->values[0] == thread)
            return told->values[4] == REASON_PREEMPTED ? LEFT_READY : LEFT_ASLEEP;
    }
    return LEFT_READY;
}

// ---- the machine -------------------------------------------------------------------------------

static int ignore(void *context, const struct activity_interval *interval)
{
    (void)context;
    (void)interval;
    return KOV_OK;
}

static void begin_model(void)
{
    engine = (struct engine){.cpus = (1 << CPUS) - 1,
                             .descriptions = {.hz = 1000},
                             .recorded = {.begin = UINT64_MAX, .begin_told = true}};
    model = (struct trace_model){.machine = {.interval = ignore}, .end = UINT64_MAX};
    trace_model_begin(&model, &engine, 1);
    count = 0;
}

static void end_model(void)
{
    trace_model_free(&model);
}

static void tell(const struct told *told)
{
    struct event_description description = {.known = {.kind = told->kind, .told = 0xff}};
    struct trace_event event = {
        .time = told->time, .cpu = told->cpu, .description = &description, .kind = told->kind};
    const struct trace_loss loss = {
        .from = told->time, .to = told->time, .cpu = told->cpu, .packets = 1};
    memcpy(event.values, told->values, sizeof(event.values));
    history[count++] = *told;
    assert_int_equal(
        told->lost ? trace_model_loss(&model, &loss) : trace_model_event(&model, &event), KOV_OK);
}

static void check_threads(void)
{
    for (u32 i = 0; i < THREADS; i++) {
        u64 id = ids[i], now = history[count - 1].time;
        assert_int_equal(trace_model_pid(&model, id), read_pid(id, count));
        assert_int_equal(trace_model_ran(&model, id, now), read_ran(id));
        assert_int_equal(trace_model_left(&model, id), read_left(id));
        if (read_cpu(id, count) == CPUS)
            continue;
        assert_int_equal(activity_cpu(&model.machine, id), read_cpu(id, count));
        assert_int_equal(activity_is_idle(&model.machine, id), read_idle(id));
    }
}

static void check(u32 event)
{
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(trace_model_runs(&model, cpu), read_runs(cpu, count));
    if (history[event].lost)
        return;
    assert_int_equal(model.before.thread, read_runs(history[event].cpu, event));
    assert_int_equal(model.machine.doer, read_doer(event));
    assert_int_equal(model.machine.given, read_given(event));
}

// Returns a thread that runs nowhere and may run on the CPU.
static u64 pick(uint64_t *chance, u32 cpu, const u64 *runs)
{
    for (;;) {
        u32 i = (u32)(unit_random(chance) % THREADS);
        bool free = i >= CPUS || i == cpu;
        for (u32 other = 0; other < CPUS; other++)
            free = free && runs[other] != ids[i];
        if (free)
            return ids[i];
    }
}

// Makes the next event: what the machine does, whether or not one is told.
static void make(uint64_t *chance, u64 *runs, struct told *next)
{
    static const u64 reasons[] = {REASON_PREEMPTED, REASON_CALL, REASON_CALL, REASON_REPLY,
                                  REASON_EVENT};
    u64 what = unit_random(chance) % 100, number = unit_random(chance) % 1000 + 1;
    u64 *self = &runs[next->cpu], last = *self;
    if (what < 45) {
        *self = pick(chance, next->cpu, runs);
        next->kind = EVENT_SWITCH;
        next->values[0] = last;
        next->values[1] = *self;
        next->values[2] = priority(last);
        next->values[3] = priority(*self);
        next->values[4] = reasons[unit_random(chance) % ARRAY_SIZE(reasons)];
    } else if (what < 70) {
        next->kind = EVENT_IPC_CALL;
        next->values[1] = number % 5 == 0 ? number : read_pid(*self, count);
        next->values[2] = number;
        next->values[3] = number & 1;
    } else if (what < 78) {
        next->kind = EVENT_IPC_REPLY;
        next->values[0] = number;
    } else if (what < 88) {
        next->kind = EVENT_SYSCALL_ENTER;
        next->values[0] = 3;
    } else if (what < 92) {
        next->kind = EVENT_STATE_THREAD;
        next->values[0] = *self;
        next->values[1] = next->cpu;
        next->values[2] = priority(*self);
    } else if (what < 95) {
        u64 thread = ids[CPUS + unit_random(chance) % (THREADS - CPUS)];
        next->kind = EVENT_DISPATCHER_CREATE;
        next->values[0] = thread;
        next->values[1] =
            read_pid(thread, count) == ACTIVITY_NO_PID ? number : read_pid(thread, count);
    } else if (what < 97) {
        next->lost = true;
        *self = pick(chance, next->cpu, runs);
    } else {
        next->kind = EVENT_OTHER;
    }
}

static void the_model_says_what_one_reads(void **state)
{
    (void)state;
    uint64_t chance = 44;
    u32 lost = 0;
    for (u32 round = 0; round < ROUNDS; round++) {
        u64 runs[CPUS], time = 1;
        begin_model();
        for (u32 i = 0; i < THREADS; i++)
            ids[i] = i + 1 + (round % 2 == 0 ? 0 : unit_random(&chance) << 8);
        memcpy(runs, ids, sizeof(runs));
        for (u32 i = 0; i < EVENTS; i++) {
            time += unit_random(&chance) % 5;
            struct told next = {.time = time, .cpu = (u32)(unit_random(&chance) % CPUS)};
            make(&chance, runs, &next);
            tell(&next);
            check(i);
            lost += next.lost;
        }
        check_threads();
        end_model();
    }
    assert_in_range(lost, 100, UINT32_MAX); // what makes it unknown does come
}

// A thread that was created without a dispatcher, and runs, is the kernel's; unless something is
// missing, which may have told of one.
static void who_runs_without_a_dispatcher_is_the_kernels(void **state)
{
    (void)state;
    for (u32 lost = 0; lost < 2; lost++) {
        begin_model();
        tell(&(struct told){.time = 2, .kind = EVENT_THREAD_CREATE, .values = {7, 0, 1}});
        tell(&(struct told){.time = 3, .kind = EVENT_OTHER, .lost = lost != 0, .cpu = 1});
        assert_int_equal(trace_model_pid(&model, 7), ACTIVITY_NO_PID);
        tell(&(struct told){.time = 4, .kind = EVENT_SWITCH, .values = {5, 7, 2, 2, REASON_CALL}});
        assert_int_equal(trace_model_pid(&model, 7), lost ? ACTIVITY_NO_PID : 0);
        assert_int_equal(trace_model_pid(&model, 5), ACTIVITY_NO_PID);
        end_model();
    }
}

// Another walk knows the processes from its beginning, and nothing else.
static void what_is_kept_is_the_processes(void **state)
{
    (void)state;
    begin_model();
    tell(&(struct told){.time = 2, .kind = EVENT_DISPATCHER_CREATE, .values = {7, 70}});
    tell(&(struct told){.time = 4, .kind = EVENT_SWITCH, .values = {5, 7, 0, 2, REASON_EVENT}});
    struct trace_model first = model;
    activity_free(&first.machine);
    begin_model();
    trace_model_keep(&model, &first);
    assert_int_equal(trace_model_pid(&model, 7), 70);
    assert_int_equal(trace_model_ran(&model, 7, 9), 0);
    assert_false(activity_is_idle(&model.machine, 5));
    assert_int_equal(trace_model_runs(&model, 0), NOBODY);
    end_model();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_says_what_one_reads),
        cmocka_unit_test(who_runs_without_a_dispatcher_is_the_kernels),
        cmocka_unit_test(what_is_kept_is_the_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
