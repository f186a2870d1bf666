// SPDX-License-Identifier: MIT
// Plans of several claims: who is joined, who takes turns, who keeps his counters; and whatever is
// claimed, by the rules that each claim can rely on.
#include <orrery/errors.h>
#include <pmu/share.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BOTH (MODEL_KERNEL | MODEL_USER)

static struct pmu_claim claim[PMU_CLAIMS];
static bool here[PMU_CLAIMS];
static struct pmu_plan plans[2];
static struct pmu_plan *plan; // the latest, NULL: none
static struct pmu_conflict conflict;
static char text[256];

// As on the 970FX: few counters count larx, all count instructions.
static u32 counters_for(u32 event)
{
    static const u32 counters[MODEL_EVENTS] = {
        [MODEL_INSTRUCTIONS] = 0xff, [MODEL_CYCLES] = 0xff, [MODEL_LARX] = 0x08,
        [MODEL_STCX] = 0x18,         [MODEL_LOADS] = 0x81,  [MODEL_STORES] = 0x42,
    };
    return counters[event] != 0 ? counters[event] : 0x0f;
}

static int set_up(void **state)
{
    (void)state;
    memset(claim, 0, sizeof(claim));
    memset(here, 0, sizeof(here));
    plan = NULL;
    return 0;
}

static void add(u32 index, u32 event, u32 filter, u32 set)
{
    struct pmu_request *request = &claim[index].request;
    request->item[request->items++] = (struct pmu_item){
        .event = (u8)event, .filter = (u8)filter, .set = (u8)set, .counters = counters_for(event)};
}

// With instructions as what turns are measured in.
static void begin(u32 index, bool steady)
{
    claim[index] = (struct pmu_claim){
        .request = {.sets = 1, .share = {1}}, .slice = 1000 * (index + 1), .steady = steady};
    add(index, MODEL_INSTRUCTIONS, BOTH, PMU_EVERY_GROUP);
    here[index] = true;
}

static s64 share(void)
{
    const struct pmu_claim *claims[PMU_CLAIMS];
    struct pmu_plan *next = plan == &plans[0] ? &plans[1] : &plans[0];
    for (u32 i = 0; i < PMU_CLAIMS; i++)
        claims[i] = here[i] ? &claim[i] : NULL;
    s64 error = pmu_share(claims, plan, next, &conflict);
    if (error == 0)
        plan = next;
    else
        pmu_conflict_text(&next->request, &conflict, text, sizeof(text));
    return error;
}

static u32 counter(u32 index, u32 item)
{
    return pmu_view_counter(&plan->view[index], item);
}

static void equal_events_are_counted_once(void **state)
{
    (void)state;
    begin(0, false);
    add(0, MODEL_LARX, BOTH, 0);
    begin(3, false);
    add(3, MODEL_STORES, BOTH, 0);
    add(3, MODEL_LARX, BOTH, 0);
    assert_int_equal(share(), 0);
    assert_int_equal(plan->allocation.groups, 1);
    assert_int_equal(plan->request.items, 3);
    assert_int_equal(counter(0, 0), counter(3, 0));
    assert_int_equal(counter(0, 1), 3);
    assert_int_equal(counter(3, 2), 3);
    assert_int_equal(plan->view[1].groups, 0);
    assert_int_equal(plan->slice, 1000);
}

// As of a sampling session that takes turns and samples instructions.
static void a_claim_sees_each_of_its_items_though_they_are_equal(void **state)
{
    (void)state;
    begin(0, false);
    add(0, MODEL_INSTRUCTIONS, BOTH, 0);
    begin(1, false);
    assert_int_equal(share(), 0);
    assert_int_equal(plan->allocation.groups, 1);
    assert_int_not_equal(counter(0, 0), PMU_COUNTERS);
    assert_int_not_equal(counter(0, 1), PMU_COUNTERS);
    assert_int_not_equal(counter(0, 0), counter(0, 1));
    assert_int_equal(counter(1, 0), counter(0, 0));
}

// It keeps its counters though others would do as well, and the newcomer could have them.
static void a_newcomer_moves_nobody(void **state)
{
    (void)state;
    begin(1, false);
    add(1, MODEL_STORES, MODEL_USER, 0);
    assert_int_equal(share(), 0);
    u32 stores = counter(1, 1), slices = counter(1, 0);
    begin(0, false);
    add(0, MODEL_STORES, MODEL_KERNEL, 0);
    add(0, MODEL_CYCLES, BOTH, 0);
    assert_int_equal(share(), 0);
    assert_int_equal(plan->allocation.groups, 1);
    assert_int_equal(counter(1, 1), stores);
    assert_int_equal(counter(1, 0), slices);
    here[0] = false;
    assert_int_equal(share(), 0);
    assert_int_equal(counter(1, 1), stores);
}

// Nobody need take turns, if one moves.
static void all_are_joined_if_one_moves(void **state)
{
    (void)state;
    begin(0, false);
    add(0, MODEL_STCX, BOTH, 0);
    claim[0].request.item[1].counters = 0x18;
    assert_int_equal(share(), 0);
    u32 first = counter(0, 1);
    begin(1, false);
    add(1, MODEL_LARX, BOTH, 0);
    claim[1].request.item[1].counters = 1u << first;
    assert_int_equal(share(), 0);
    assert_int_equal(plan->allocation.groups, 1);
    assert_int_equal(counter(1, 1), first);
    assert_int_not_equal(counter(0, 1), first);
}

static void what_does_not_fit_takes_turns(void **state)
{
    (void)state;
    begin(0, false);
    add(0, MODEL_LARX, MODEL_USER, 0);
    begin(1, false);
    add(1, MODEL_LARX, MODEL_KERNEL, 0);
    begin(2, false);
    add(2, MODEL_LOADS, BOTH, 0);
    assert_int_equal(share(), 0);
    assert_int_equal(plan->allocation.groups, 1 + 1);
    // Who came first, and who fits, is counted all the time but for what excludes it.
    assert_int_not_equal(counter(2, 1), PMU_COUNTERS);
    assert_int_equal(counter(1, 1), PMU_COUNTERS);
    for (u32 i = 0; i < 3; i++)
        assert_int_not_equal(counter(i, 0), PMU_COUNTERS);
    assert_int_equal(plan->allocation.group[0].share + plan->allocation.group[1].share,
                     PMU_WHOLE_TIME);
    assert_int_equal(plan->allocation.group[0].share, PMU_WHOLE_TIME / 2);
}

static void steady_claims_keep_their_counters_or_are_refused(void **state)
{
    (void)state;
    begin(0, true);
    add(0, MODEL_LARX, BOTH, 0);
    assert_int_equal(share(), 0);
    begin(1, false);
    for (u32 event = MODEL_STCX; event < MODEL_EVENTS; event++)
        add(1, event, BOTH, 0);
    assert_int_equal(share(), 0);
    assert_true(plan->allocation.groups > 1);
    assert_int_equal(counter(0, 1), 3);
    // No place for another that needs the same counter.
    begin(2, true);
    add(2, MODEL_LARX, MODEL_USER, 0);
    assert_int_equal(share(), E_BUSY);
    assert_string_equal(text, "larx, larx:u: 2 events, only counter 3");
    here[2] = false;
    begin(3, false);
    add(3, MODEL_LARX, MODEL_USER, 0);
    assert_int_equal(share(), E_BUSY);
    here[3] = false;
    assert_int_equal(share(), 0);
}

static void shares_hold_within_a_claim(void **state)
{
    (void)state;
    begin(0, false);
    claim[0].request.sets = 2;
    claim[0].request.share[0] = 3;
    claim[0].request.share[1] = 1;
    add(0, MODEL_LARX, MODEL_USER, 0);
    add(0, MODEL_LARX, MODEL_KERNEL, 1);
    assert_int_equal(share(), 0);
    assert_int_equal(plan->allocation.groups, 2);
    assert_int_equal(plan->allocation.group[0].share, PMU_WHOLE_TIME / 4 * 3);
    begin(1, false);
    add(1, MODEL_LARX, BOTH, 0);
    assert_int_equal(share(), 0);
    assert_int_equal(plan->allocation.groups, 3);
    assert_int_equal(plan->allocation.group[0].share, PMU_WHOLE_TIME / 8 * 3);
    assert_int_equal(plan->allocation.group[2].share, PMU_WHOLE_TIME / 2);
}

static void too_many_sets_are_a_limit(void **state)
{
    (void)state;
    for (u32 i = 0; i < 3; i++) {
        begin(i, false);
        claim[i].request.sets = 6;
        for (u32 set = 0; set < 6; set++) {
            claim[i].request.share[set] = 1;
            add(i, MODEL_LARX, BOTH, set);
        }
    }
    assert_int_equal(share(), E_LIMIT);
    here[1] = false;
    assert_int_equal(share(), 0);
}

// ---- whatever is claimed -----------------------------------------------------------------------

static u32 draw(u32 below)
{
    return (u32)random() % below;
}

static void begin_random(u32 index)
{
    begin(index, draw(4) == 0);
    if (draw(3) == 0)
        claim[index].request.sets = 1 + draw(3);
    for (u32 set = 0; set < claim[index].request.sets; set++)
        claim[index].request.share[set] = 1 + draw(9);
    for (u32 n = draw(claim[index].steady ? 3 : 9); n != 0; n--) {
        u32 event = draw(MODEL_EVENTS), filter = 1 + draw(3);
        u32 set = draw(claim[index].request.sets);
        bool twice = false;
        for (u32 i = 0; i < claim[index].request.items; i++) {
            const struct pmu_item *item = &claim[index].request.item[i];
            twice |= item->event == event && item->filter == filter && item->set == set;
        }
        if (!twice)
            add(index, event, filter, set);
    }
}

// Each item is where its claim is told that it is, in a group of its set at least.
static void check_view(u32 index)
{
    const struct pmu_allocation *view = &plan->view[index];
    u64 seen = 0;
    for (u32 group = 0; group < view->groups; group++) {
        for (u32 i = 0; i < PMU_COUNTERS; i++) {
            u32 own = view->group[group].item[i], all = plan->allocation.group[group].item[i];
            if (own == PMU_NO_ITEM)
                continue;
            assert_int_equal(plan->request.item[all].event, claim[index].request.item[own].event);
            assert_int_equal(plan->request.item[all].filter, claim[index].request.item[own].filter);
            assert_int_equal(claim[index].request.item[own].counters >> i & 1, 1);
            seen |= 1UL << own;
        }
        assert_non_null(memchr(view->group[group].item, 0, PMU_COUNTERS));
    }
    assert_int_equal(seen, (1UL << claim[index].request.items) - 1);
    for (u32 i = 0; claim[index].steady && i < claim[index].request.items; i++)
        assert_int_not_equal(counter(index, i), PMU_COUNTERS);
}

static void claims_come_and_go_at_random(void **state)
{
    (void)state;
    u32 refused = 0, made = 0;
    srandom(1);
    for (u32 round = 0; round < 20000; round++) {
        u32 index = draw(PMU_CLAIMS), moved[PMU_CLAIMS][8];
        bool before = here[index];
        for (u32 i = 0; i < PMU_CLAIMS && plan != NULL; i++) {
            for (u32 item = 0; here[i] && claim[i].steady && item < claim[i].request.items; item++)
                moved[i][item] = counter(i, item);
        }
        if (before)
            here[index] = false;
        else
            begin_random(index);
        bool any = false;
        for (u32 i = 0; i < PMU_CLAIMS; i++)
            any |= here[i];
        s64 error = any ? share() : 0;
        plan = any ? plan : NULL;
        if (error != 0) {
            refused++;
            assert_false(before); // who could share with another can without it
            here[index] = false;
            continue;
        }
        made++;
        for (u32 i = 0; i < PMU_CLAIMS; i++) {
            if (!here[i])
                continue;
            check_view(i);
            for (u32 item = 0; i != index && claim[i].steady && item < claim[i].request.items;
                 item++)
                assert_int_equal(counter(i, item), moved[i][item]);
        }
    }
    print_message("%u plans, %u refusals\n", made, refused);
    assert_true(refused > 100 && made > 1000);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_events_are_counted_once),
        TEST(a_claim_sees_each_of_its_items_though_they_are_equal),
        TEST(a_newcomer_moves_nobody),
        TEST(all_are_joined_if_one_moves),
        TEST(what_does_not_fit_takes_turns),
        TEST(steady_claims_keep_their_counters_or_are_refused),
        TEST(shares_hold_within_a_claim),
        TEST(too_many_sets_are_a_limit),
        TEST(claims_come_and_go_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
