// SPDX-License-Identifier: MIT
// What is refused, and why. Nothing refused has changed anything.
#include "tests.h"

#include <orrery/pmu.h>
#include <orrery/sys.h>
#include <user/scheduler.h>

static s64 sample(const struct profile_event *event, u64 *value)
{
    (void)event;
    *value = 0;
    return 0;
}

#define SENSOR(...) profile_sensor_add(&(struct profile_sensor){__VA_ARGS__})

static void sensors(void)
{
    EXPECT(SENSOR(NULL, "", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("", "", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("Upper", "", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("a b", "", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("1st", "", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("thirteen_long", "", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("number", "", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("good", NULL, PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("good", "%s", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("good", "8 letter", PROFILE_U64, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("good", "", PROFILE_X64 + 1, PROFILE_SAFE, sample) == E_INVAL);
    EXPECT(SENSOR("good", "", PROFILE_U64, 77, sample) == E_INVAL);
    EXPECT(SENSOR("good", "", PROFILE_U64, PROFILE_SAFE, NULL) == E_INVAL);
    EXPECT(SENSOR("pc", "", PROFILE_U64, PROFILE_SAFE, sample) == E_EXIST);
}

static void too_many_sensors(void)
{
    static char names[PROFILE_SENSORS][8];
    static struct profile_sensor all[PROFILE_SENSORS];
    u32 added = 0;
    s64 error = 0;

    while (added < PROFILE_SENSORS && error == 0) {
        snprintf(names[added], sizeof(names[added]), "s%u", added);
        all[added] =
            (struct profile_sensor){names[added], "ticks", PROFILE_X64, PROFILE_SAFE, sample};
        error = profile_sensor_add(&all[added]);
        added += error == 0;
    }
    EXPECT(error == E_LIMIT && added >= PROFILE_CONTEXT_SENSORS + 1 && added < PROFILE_SENSORS);
}

static const char *const many[] = {"s0", "s1",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7", "s8",
                                   "s9", "s10", "s11", "s12", "s13", "s14", "s15", "s16"};

static s64 context(const char *provider, const char *name, u32 count, const char *const *named)
{
    return profile_context_add(&(struct profile_context){
        .provider = provider, .name = name, .sensors = named, .sensor_count = count});
}

static void contexts(void)
{
    static const char *const twice[] = {"pc", "cpu", "pc"};
    static const char *const unknown[] = {"pc", "nobody"};
    static const char *const none[] = {NULL};

    EXPECT(context(NULL, "good", 1, many) == E_INVAL);
    EXPECT(context("sched", "good", 1, many) == E_INVAL); // a major of the kernel's
    EXPECT(context("sixteen_letters_", "good", 1, many) == E_INVAL);
    EXPECT(context(PROVIDER, "twenty_four_letters_long", 1, many) == E_INVAL);
    EXPECT(context(PROVIDER, "good_2", 1, many) == E_INVAL);
    EXPECT(context(PROVIDER, "good", 0, many) == E_INVAL);
    EXPECT(context(PROVIDER, "good", 1, NULL) == E_INVAL);
    EXPECT(context(PROVIDER, "good", 3, twice) == E_INVAL);
    EXPECT(context(PROVIDER, "good", 2, unknown) == E_NOENT);
    EXPECT(context(PROVIDER, "good", 1, none) == E_NOENT);
    EXPECT(context(PROVIDER, "picked", 1, many) == E_EXIST);
    EXPECT(context(PROVIDER, "good", PROFILE_CONTEXT_SENSORS + 1, many) == E_LIMIT);
    EXPECT(event_id("good") == 0);
}

// 16 sensors fill four events. With one sensor each, contexts end before the process's events do.
static void too_many_contexts(void)
{
    static char names[PROFILE_CONTEXTS + 1][8];
    s64 number = context(PROVIDER, "full", PROFILE_CONTEXT_SENSORS, many);

    EXPECT(number > 0);
    EXPECT(event_id("full_4") == event_id("full") + 3);
    for (u32 i = 0; i <= PROFILE_CONTEXTS && number != E_LIMIT; i++) {
        snprintf(names[i], sizeof(names[i]), "c%uc", i);
        s64 next = context(PROVIDER, names[i], 1, many);
        EXPECT(next == number + 1 || (next == E_LIMIT && number == PROFILE_CONTEXTS));
        EXPECT((event_id(names[i]) != 0) == (next > 0));
        number = next;
    }
    EXPECT(number == E_LIMIT);
}

#define SOURCE(...) profile_source_add(&(struct profile_source){__VA_ARGS__})
#define TIMER(name_, context_, cpu_, period_)                                                      \
    SOURCE(.name = (name_), .kind = PROFILE_TIMER, .context = (context_), .cpu = (cpu_),           \
           .period = (period_))
#define COUNTER(filter_, period_)                                                                  \
    SOURCE(.name = "bad", .kind = PROFILE_COUNTER, .context = 1, .event = 999,                     \
           .filter = (filter_), .period = (period_))

static void sources(void)
{
    EXPECT(TIMER("bad", 1, 0, PROFILE_TIMER_MIN - 1) == E_INVAL);
    EXPECT(TIMER("bad", 1, 0, PROFILE_TIMER_MAX + 1) == E_INVAL);
    EXPECT(TIMER("bad", 1, user_cpu_count(), 1000) == E_INVAL);
    EXPECT(TIMER("Bad", 1, 0, 1000) == E_INVAL);
    EXPECT(TIMER("bad", 0, 0, 1000) == E_NOENT);
    EXPECT(TIMER("bad", PROFILE_CONTEXTS + 1, 0, 1000) == E_NOENT);
    EXPECT(TIMER("own", 1, 0, 1000) == E_EXIST);
    EXPECT(COUNTER(SYS_PMU_USER, SYS_PERIOD_MIN - 1) == E_INVAL);
    EXPECT(COUNTER(SYS_PMU_USER, SYS_PERIOD_MAX + 1ul) == E_INVAL);
    EXPECT(COUNTER(0, SYS_PERIOD_MIN) == E_INVAL);
    EXPECT(COUNTER(1u << 31, SYS_PERIOD_MIN) == E_INVAL);
    EXPECT(SOURCE(.name = "bad", .kind = 77, .context = 1) == E_INVAL);
}

// The shortest and the longest timer are among them.
static void too_many_sources(void)
{
    static char names[PROFILE_SOURCES + 1][8];
    s64 last = TIMER("shortest", 1, 0, PROFILE_TIMER_MIN);

    EXPECT(last > 0 && TIMER("longest", 1, 0, PROFILE_TIMER_MAX) == last + 1);
    last++;
    for (u32 i = 0; i <= PROFILE_SOURCES && last != E_LIMIT; i++) {
        snprintf(names[i], sizeof(names[i]), "n%un", i);
        s64 next = SOURCE(.name = names[i], .kind = PROFILE_OWN, .context = 1);
        EXPECT(next == last + 1 || (next == E_LIMIT && last == PROFILE_SOURCES));
        last = next;
    }
    EXPECT(last == E_LIMIT);
}

static void switches(void)
{
    struct profile_source_counts counts;

    EXPECT(profile_enable(PROFILE_SOURCES + 1, true) == E_INVAL);
    EXPECT(profile_enable(UINT32_MAX, false) == E_INVAL);
    EXPECT(profile_source_count(0, &counts) == E_INVAL);
    EXPECT(profile_source_count(PROFILE_SOURCES + 1, &counts) == E_INVAL);
    EXPECT(profile_enable(1, true) == 0 && profile_enable(1, true) == 0);
    EXPECT(profile_enable(1, false) == 0 && profile_enable(1, false) == 0);
}

void limits(void)
{
    sensors();
    too_many_sensors();
    contexts();
    too_many_contexts();
    sources();
    too_many_sources();
    switches();
    printf("test-profile-contexts: limits done\n");
}
