// SPDX-License-Identifier: MIT
// Makes one plan of many claims. A claim is either joined, with its items in every group, or has
// sets of its own, which take turns with those of others. Attempts that disturb least come first.
#include <orrery/errors.h>
#include <pmu/share.h>
#include <string.h>

#define ANY_COUNTER 0xff

struct draft {
    const struct pmu_claim *const *claims;
    struct pmu_plan *plan;
    struct pmu_conflict *conflict;
    u8 place[PMU_CLAIMS][PMU_ITEMS_MAX];  // places of each claim's items in the plan's request
    u8 before[PMU_CLAIMS][PMU_ITEMS_MAX]; // the counter it has now, or ANY_COUNTER
    u8 pin[PMU_CLAIMS][PMU_ITEMS_MAX];    // the counter it must have, or ANY_COUNTER
};

u32 pmu_view_counter(const struct pmu_allocation *view, u32 item)
{
    u32 counter = 0;
    while (counter < PMU_COUNTERS && view->group[0].item[counter] != item)
        counter++;
    for (u32 group = 0; group < view->groups && counter < PMU_COUNTERS; group++) {
        if (view->group[group].item[counter] != item)
            return PMU_COUNTERS;
    }
    return view->groups == 0 ? PMU_COUNTERS : counter;
}

// ---- the request -------------------------------------------------------------------------------

// Adds an item of a claim whose earlier items have the places `taken`. Returns its place, or
// PMU_ITEMS_MAX if full. An event that is counted all the time is counted once, for everybody. But
// two items of one claim never share a counter: its view shows one item a counter.
static u32 add_item(struct pmu_request *request, const struct pmu_item *item, const u8 *taken,
                    u32 count)
{
    u32 place = 0;

    for (; place < request->items; place++) {
        struct pmu_item *other = &request->item[place];
        if (item->set == PMU_EVERY_GROUP && other->set == PMU_EVERY_GROUP &&
            memchr(taken, (int)place, count) == NULL && other->event == item->event &&
            other->filter == item->filter && (other->counters & item->counters) != 0 &&
            (other->source == 0 || item->source == 0 || other->source == item->source)) {
            other->counters &= item->counters;
            other->source |= item->source;
            return place;
        }
    }
    if (place < PMU_ITEMS_MAX)
        request->item[request->items++] = *item;
    return place;
}

// Adds a claim's sets. Shares are parts of a claim's time, and each claim gets the same time.
static void add_sets(struct pmu_request *request, const struct pmu_request *claim)
{
    u64 sum = 0;

    for (u32 set = 0; set < claim->sets; set++)
        sum += claim->share[set];
    for (u32 set = 0; set < claim->sets; set++) {
        u64 share = (claim->share[set] * SYS_PMU_SHARE_MAX + sum / 2) / sum;
        request->share[request->sets++] = share != 0 ? (u32)share : 1;
    }
}

static s64 add_claim(struct draft *draft, u32 index, bool joined)
{
    struct pmu_request *request = &draft->plan->request;
    const struct pmu_claim *claim = draft->claims[index];
    u32 first = request->sets;

    if (!joined && first + claim->request.sets > PMU_SETS_MAX)
        return E_LIMIT;
    if (!joined)
        add_sets(request, &claim->request);
    for (u32 i = 0; i < claim->request.items; i++) {
        struct pmu_item item = claim->request.item[i];
        u8 pin = draft->pin[index][i];
        bool every = joined || item.set == PMU_EVERY_GROUP;
        item.set = every ? PMU_EVERY_GROUP : (u8)(first + item.set);
        item.source = claim->read ? PMU_UNSAMPLED : item.source;
        if (every && pin != ANY_COUNTER)
            item.counters &= 1u << pin;
        u32 place = add_item(request, &item, draft->place[index], i);
        if (place == PMU_ITEMS_MAX)
            return E_LIMIT;
        draft->place[index][i] = (u8)place;
    }
    return 0;
}

static bool is_claim(const struct draft *draft, u32 among, u32 index)
{
    return (among >> index & 1) != 0 && draft->claims[index] != NULL;
}

// Allocates the claims of mask among; those also in in_turn get sets of their own.
static s64 allocate(struct draft *draft, u32 among, u32 in_turn)
{
    struct pmu_request *request = &draft->plan->request;
    s64 error = 0;

    *request = (struct pmu_request){.groups = PMU_GROUPS_MAX};
    *draft->conflict = (struct pmu_conflict){0};
    for (u32 i = 0; i < PMU_CLAIMS && error == 0; i++) {
        if (is_claim(draft, among, i))
            error = add_claim(draft, i, (in_turn >> i & 1) == 0);
    }
    if (request->sets == 0) {
        request->sets = 1;
        request->share[0] = 1;
    }
    return error != 0 ? error : pmu_allocate(request, &draft->plan->allocation, draft->conflict);
}

// ---- attempts ----------------------------------------------------------------------------------

#define ALL ((1u << PMU_CLAIMS) - 1)

static u32 steady_ones(const struct draft *draft)
{
    u32 mask = 0;

    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        if (draft->claims[i] != NULL && draft->claims[i]->steady)
            mask |= 1u << i;
    }
    return mask;
}

// Returns the claims that must take turns, with others or among their own sets: their sets have
// shares.
static u32 with_sets(const struct draft *draft)
{
    u32 mask = 0;

    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        if (draft->claims[i] != NULL && draft->claims[i]->request.sets > 1)
            mask |= 1u << i;
    }
    return mask;
}

static void pin_these(struct draft *draft, u32 mask)
{
    memset(draft->pin, ANY_COUNTER, sizeof(draft->pin));
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        if ((mask >> i & 1) != 0)
            memcpy(draft->pin[i], draft->before[i], sizeof(draft->pin[i]));
    }
}

// Returns an item's counter in an allocation of one group.
static u32 counter_of(const struct pmu_allocation *allocation, u32 item)
{
    u32 counter = 0;

    while (allocation->group[0].item[counter] != item)
        counter++;
    return counter;
}

// Steady claims get their counters as if alone, and keep them when others come.
static s64 place_steady(struct draft *draft, u32 steady)
{
    s64 error = steady != 0 ? allocate(draft, steady, 0) : 0;

    for (u32 i = 0; i < PMU_CLAIMS && error == 0; i++) {
        if (!is_claim(draft, steady, i))
            continue;
        for (u32 item = 0; item < draft->claims[i]->request.items; item++)
            draft->pin[i][item] = (u8)counter_of(&draft->plan->allocation, draft->place[i][item]);
    }
    return error;
}

// Gives each claim sets of its own, except those that fit beside all others all the time.
static s64 place_in_turn(struct draft *draft, u32 steady)
{
    u32 in_turn = ALL & ~steady;

    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        if (is_claim(draft, in_turn & ~with_sets(draft), i) &&
            allocate(draft, ALL, in_turn & ~(1u << i)) == 0)
            in_turn &= ~(1u << i);
    }
    return allocate(draft, ALL, in_turn);
}

static s64 place_all(struct draft *draft)
{
    u32 steady = steady_ones(draft);

    if (with_sets(draft) == 0) {
        pin_these(draft, ALL);
        if (allocate(draft, ALL, 0) == 0)
            return 0;
        pin_these(draft, steady);
        if (allocate(draft, ALL, 0) == 0)
            return 0;
    }
    pin_these(draft, steady);
    s64 error = place_steady(draft, steady);
    return error != 0 ? error : place_in_turn(draft, steady);
}

// ---- views -------------------------------------------------------------------------------------

static void make_view(const struct draft *draft, u32 index)
{
    struct pmu_allocation *view = &draft->plan->view[index];

    *view = draft->plan->allocation;
    for (u32 group = 0; group < view->groups; group++) {
        u8 *items = view->group[group].item;
        memset(items, PMU_NO_ITEM, PMU_COUNTERS);
        for (u32 i = 0; i < draft->claims[index]->request.items; i++) {
            const u8 *all = draft->plan->allocation.group[group].item;
            const u8 *found = memchr(all, draft->place[index][i], PMU_COUNTERS);
            if (found != NULL)
                items[found - all] = (u8)i;
        }
    }
}

static void make_plan(const struct draft *draft)
{
    struct pmu_plan *plan = draft->plan;

    plan->slice_item = PMU_NO_ITEM;
    plan->slice = 0;
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        const struct pmu_claim *claim = draft->claims[i];
        plan->view[i].groups = 0;
        if (claim == NULL)
            continue;
        make_view(draft, i);
        if (claim->slice != 0 && (plan->slice == 0 || claim->slice < plan->slice)) {
            plan->slice = claim->slice;
            plan->slice_item = draft->place[i][0];
        }
    }
}

s64 pmu_share(const struct pmu_claim *const claims[PMU_CLAIMS], const struct pmu_plan *before,
              struct pmu_plan *plan, struct pmu_conflict *conflict)
{
    struct draft draft = {.claims = claims, .plan = plan, .conflict = conflict};

    memset(draft.before, ANY_COUNTER, sizeof(draft.before));
    for (u32 i = 0; i < PMU_CLAIMS && before != NULL; i++) {
        if (claims[i] == NULL || before->view[i].groups == 0)
            continue;
        for (u32 item = 0; item < claims[i]->request.items; item++) {
            u32 counter = pmu_view_counter(&before->view[i], item);
            draft.before[i][item] = counter < PMU_COUNTERS ? (u8)counter : ANY_COUNTER;
        }
    }
    s64 error = place_all(&draft);
    if (error == 0)
        make_plan(&draft);
    return error;
}
