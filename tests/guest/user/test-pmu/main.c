// SPDX-License-Identifier: MIT
// Counting through the system calls of orrery/pmu.h, on all CPUs; on a machine without the model
// unit, that it says so.
// Needs RIGHT_MONITOR. Argument `brief`, or boot option brief=1: without the hundred intervals.
#include "tests.h"

#include <estimate.h>
#include <orrery/sys.h>
#include <rows.h>
#include <stdio.h>
#include <string.h>

u64 failures;
char message[WORDS_BYTES];

static struct sys_pmu_event events[SYS_PMU_ITEMS];
static u32 event_count;

void check_is(const char *what, int line, s64 got, s64 expected)
{
    if (got == expected)
        return;
    printf("FAIL line %d: %s is %ld, expected %ld\n", line, what, got, expected);
    failures++;
}

// ---- requests -----------------------------------------------------------------------------------

static const struct sys_pmu_event *find(const char *name)
{
    for (u32 i = 0; i < event_count; i++) {
        if (strcmp(events[i].name, name) == 0)
            return &events[i];
    }
    check_is(name, __LINE__, 0, 1);
    return &events[0];
}

u32 event(const char *name)
{
    return find(name)->event;
}

u32 counters(const char *name)
{
    return (u32)__builtin_popcountl(find(name)->counters);
}

struct sys_pmu_counting request(void)
{
    return (struct sys_pmu_counting){
        .set_count = 1, .shares = {1}, .slice_event = event("instructions")};
}

void add(struct sys_pmu_counting *counting, const char *name, u32 filter, u32 set)
{
    counting->items[counting->item_count++] =
        (struct sys_pmu_item){.event = event(name), .filter = filter, .set = set};
}

s64 start(const struct sys_pmu_counting *counting)
{
    memset(message, 'x', sizeof(message));
    return sys_pmu_count_start(counting, message, sizeof(message));
}

static pmu_wide wide(const struct sys_pmu_wide *sum)
{
    return (pmu_wide)sum->high << 64 | sum->low;
}

static struct scaled_count scale(const struct sys_pmu_count *count)
{
    static _Alignas(16) u8 space[PMU_MULTIPLEX_BYTES(1)];
    struct pmu_multiplex *sums = (struct pmu_multiplex *)space;
    struct pmu_estimate found;

    pmu_multiplex_begin(sums, 1);
    sums->time = count->total;
    sums->item[0] = (struct pmu_sums){.slices = count->slices,
                                      .time = count->measured,
                                      .count = count->count,
                                      .time_squares = wide(&count->time_squares),
                                      .count_squares = wide(&count->count_squares),
                                      .products = wide(&count->products)};
    pmu_multiplex_read(sums, 0, &found);
    return (struct scaled_count){.count = found.count,
                                 .error = found.error,
                                 .measured = found.measured,
                                 .total = found.time};
}

void read_counts(s64 session, u32 cpu, const struct sys_pmu_counting *counting,
                 struct scaled_count counts[SYS_PMU_ITEMS])
{
    static struct sys_pmu_count found[SYS_PMU_ITEMS];
    memset(found, 0xff, sizeof(found));
    CHECK_IS(sys_pmu_count_read(session, cpu, found, sizeof(found)),
             counting->item_count * sizeof(found[0]));
    for (u32 i = 0; i < counting->item_count; i++)
        counts[i] = scale(&found[i]);
}

// ---- events -------------------------------------------------------------------------------------

static void list_events(void)
{
    while (event_count < SYS_PMU_ITEMS && sys_pmu_event_get(event_count, &events[event_count]) == 0)
        event_count++;
    CHECK_IS(sys_pmu_event_get(event_count, &events[0]), E_NOENT);
    CHECK_IS(sys_pmu_event_get(UINT32_MAX, &events[0]), E_NOENT);
    CHECK_IS(sys_pmu_event_get(0, NULL), E_FAULT);
    for (u32 i = 0; i < event_count; i++) {
        CHECK_IS(events[i].counters != 0 && events[i].meaning[0] != 0, true);
        CHECK_IS(strcmp(events[i].unit, "model"), 0);
        for (u32 j = 0; j < i; j++)
            CHECK_IS(strcmp(events[i].name, events[j].name) != 0, true);
    }
    printf("test-pmu: %u events\n", event_count);
}

static void check_exactness(void)
{
    for (u32 i = 0; i < event_count; i++) {
        bool modelled = strstr(events[i].name, "miss") != NULL ||
                        strcmp(events[i].name, "mispredicted") == 0 ||
                        strcmp(events[i].name, "cycles") == 0;
        CHECK_IS(events[i].modelled, modelled);
    }
}

// Nothing is offered, and the first event that there would be is refused.
static void without_unit(void)
{
    struct sys_pmu_counting counting = {.set_count = 1, .shares = {1}, .item_count = 1};
    struct sys_pmu_count count;
    counting.items[0].filter = BOTH;
    CHECK_IS(start(&counting), E_NOTSUP);
    printf("test-pmu: refused: %s\n", message);
    CHECK_IS(strlen(message) > 10 && strlen(message) < sizeof(message), true);
    CHECK_IS(sys_pmu_count_read(1, 0, &count, sizeof(count)), E_STALE);
    CHECK_IS(sys_pmu_count_stop(1), E_STALE);
    CHECK_IS(sys_pmu_exclude(1, true), E_NOTSUP);
}

// ---- children -----------------------------------------------------------------------------------

// Ends with a session that runs.
static int leave(void)
{
    struct sys_pmu_counting counting = request();
    add(&counting, "larx", BOTH, 0);
    add(&counting, "larx", SYS_PMU_USER, 0); // two groups: timers run
    CHECK_IS(start(&counting) > 0, true);
    return failures != 0;
}

static int unprivileged(void)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_count count;
    add(&counting, "larx", BOTH, 0);
    CHECK_IS(start(&counting), E_PERM);
    CHECK_IS(sys_pmu_count_read(1, 0, &count, sizeof(count)), E_PERM);
    CHECK_IS(sys_pmu_count_stop(1), E_PERM);
    CHECK_IS(sys_pmu_exclude(1, true), E_PERM);
    return failures != 0;
}

int main(int argc, char **argv)
{
    char text[8];
    bool brief =
        (argc > 1 && strcmp(argv[1], "brief") == 0) || sys_option("brief", text, sizeof(text)) == 0;
    if (argc > 2)
        return burn(argv[2], strcmp(argv[1], "hide") == 0);
    list_events();
    if (argc > 1 && strcmp(argv[1], "leave") == 0)
        return leave();
    if (argc > 1 && strcmp(argv[1], "unprivileged") == 0)
        return unprivileged();
    if (event_count == 0) {
        without_unit();
    } else {
        check_exactness();
        refusals();
        counts();
        sharing();
        tasks();
        own();
        turns();
        if (!brief)
            intervals();
    }
    row_exact(0, failures, "test-pmu: checks that failed");
    failures += rows_end("test-pmu");
    printf("test-pmu: %s\n", failures == 0 ? "ok" : "FAILED");
    return failures != 0;
}
