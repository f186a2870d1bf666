// SPDX-License-Identifier: MIT
// Groups of events that do not conflict. A slot is one counter in one group. A set fits into k
// groups if its items can be matched with their slots. Matching uses augmenting paths: where an
// item finds all its slots held, their holders make room if they can move, and so on. So a set is
// split only when no arrangement of its items works. If the search fails, the items it met are the
// reason: they hold every slot that any of them can use, and are one too many (Hall's theorem).
#include <orrery/errors.h>
#include <pmu/allocate.h>
#include <stdio.h>
#include <string.h>

#define SLOTS (PMU_GROUPS_MAX * PMU_COUNTERS)
#define ANY_GROUP PMU_GROUPS_MAX

// 1 … 16 divide it, so a set's share divides evenly among any number of groups.
#define SHARE_UNIT 720720UL

// One set's groups. Each holds the items that are in every group.
struct packing {
    const struct pmu_request *request;
    u32 groups;
    bool settled; // no item goes to another group any more
    u8 holder[SLOTS];
};

// A breadth-first search for a free slot: slots in the order of reaching them.
#define UNREACHED 0xff
#define FIRST_MOVE 0xfe
struct search {
    u32 reached;
    u8 slot[SLOTS];
    // The slot whose holder can move here; FIRST_MOVE: the item to place.
    u8 from[SLOTS];
};

_Static_assert(SLOTS < FIRST_MOVE, "slots are bytes");

static void reach(const struct packing *packing, struct search *search, u32 item, u32 group,
                  u32 from)
{
    u32 first = group == ANY_GROUP ? 0 : group;
    u32 last = group == ANY_GROUP ? packing->groups - 1 : group;
    for (u32 g = first; g <= last; g++) {
        for (u32 counter = 0; counter < PMU_COUNTERS; counter++) {
            u32 slot = g * PMU_COUNTERS + counter;
            if ((packing->request->item[item].counters >> counter & 1) == 0 ||
                search->from[slot] != UNREACHED)
                continue;
            search->from[slot] = (u8)from;
            search->slot[search->reached++] = (u8)slot;
        }
    }
}

// Moves each holder on the path to the slot reached from its own. The item takes the first.
static void move_along(struct packing *packing, const struct search *search, u32 slot, u32 item)
{
    for (; search->from[slot] != FIRST_MOVE; slot = search->from[slot])
        packing->holder[slot] = packing->holder[search->from[slot]];
    packing->holder[slot] = (u8)item;
}

static u32 home(const struct packing *packing, u32 item, u32 slot)
{
    bool stays = packing->settled || packing->request->item[item].set == PMU_EVERY_GROUP;
    return stays ? slot / PMU_COUNTERS : ANY_GROUP;
}

static u32 counters_of(const struct pmu_request *request, u64 items)
{
    u32 counters = 0;
    for (u32 i = 0; i < request->items; i++)
        counters |= (items >> i & 1) != 0 ? request->item[i].counters : 0;
    return counters;
}

// Places the item in the group, or in any, and moves others where it must. If there is no room,
// moves nothing and sets *conflict.
static bool place(struct packing *packing, u32 item, u32 group, struct pmu_conflict *conflict)
{
    struct search search = {0};
    u64 met = 1UL << item;
    memset(search.from, UNREACHED, sizeof(search.from));
    reach(packing, &search, item, group, FIRST_MOVE);
    for (u32 i = 0; i < search.reached; i++) {
        u32 slot = search.slot[i];
        u32 holder = packing->holder[slot];
        if (holder == PMU_NO_ITEM) {
            move_along(packing, &search, slot, item);
            return true;
        }
        met |= 1UL << holder;
        reach(packing, &search, holder, home(packing, holder, slot), slot);
    }
    *conflict = (struct pmu_conflict){met, counters_of(packing->request, met), packing->groups};
    return false;
}

// Empties the groups, and places the items that are in every one.
static bool begin(struct packing *packing, const struct pmu_request *request, u32 groups,
                  struct pmu_conflict *conflict)
{
    *packing = (struct packing){.request = request, .groups = groups};
    memset(packing->holder, PMU_NO_ITEM, sizeof(packing->holder));
    for (u32 group = 0; group < groups; group++) {
        for (u32 i = 0; i < request->items; i++) {
            if (request->item[i].set == PMU_EVERY_GROUP && !place(packing, i, group, conflict))
                return false;
        }
    }
    return true;
}

static bool pack(struct packing *packing, const struct pmu_request *request, u32 set, u32 groups,
                 struct pmu_conflict *conflict)
{
    if (!begin(packing, request, groups, conflict))
        return false;
    for (u32 i = 0; i < request->items; i++) {
        if (request->item[i].set == set && !place(packing, i, ANY_GROUP, conflict))
            return false;
    }
    return true;
}

static u32 groups_with(const struct packing *packing, u32 item)
{
    u32 count = 0;
    for (u32 slot = 0; slot < packing->groups * PMU_COUNTERS; slot++)
        count += packing->holder[slot] == item;
    return count;
}

static bool holds(const struct packing *packing, u32 group, u32 item)
{
    return memchr(packing->holder + group * PMU_COUNTERS, (int)item, PMU_COUNTERS) != NULL;
}

// Gives spare counters to items that already are in other groups: longer counting means less
// scaling.
static void fill(struct packing *packing, u32 set)
{
    struct pmu_conflict unused;
    packing->settled = true;
    for (u32 copies = 1; copies < packing->groups; copies++) {
        for (u32 group = 0; group < packing->groups; group++) {
            for (u32 i = 0; i < packing->request->items; i++) {
                if (packing->request->item[i].set == set && !holds(packing, group, i) &&
                    groups_with(packing, i) == copies)
                    place(packing, i, group, &unused);
            }
        }
    }
}

// ---- checks ------------------------------------------------------------------------------------

static bool valid_item(const struct pmu_request *request, const struct pmu_item *item)
{
    u32 modes = item->filter & (MODEL_KERNEL | MODEL_USER);
    return item->event < PMU_EVENTS && modes != 0 &&
           (item->filter & ~(MODEL_KERNEL | MODEL_USER | MODEL_TAGGED)) == 0 &&
           (item->set < request->sets || item->set == PMU_EVERY_GROUP) &&
           item->counters >> PMU_COUNTERS == 0;
}

static bool valid(const struct pmu_request *request)
{
    if (request->items == 0 || request->items > PMU_ITEMS_MAX || request->sets == 0 ||
        request->sets > PMU_SETS_MAX || request->groups < request->sets ||
        request->groups > PMU_GROUPS_MAX)
        return false;
    for (u32 set = 0; set < request->sets; set++) {
        if (request->share[set] == 0 || request->share[set] > SYS_PMU_SHARE_MAX)
            return false;
    }
    for (u32 i = 0; i < request->items; i++) {
        if (!valid_item(request, &request->item[i]))
            return false;
    }
    return true;
}

// The driver's counter does not distinguish user and kernel.
static bool countable(const struct pmu_item *item)
{
    bool both = (item->filter & (MODEL_KERNEL | MODEL_USER)) == (MODEL_KERNEL | MODEL_USER);
    return item->counters != 0 && (both || pmu_events[item->event].unit != PMU_UNIT_DRIVER);
}

// Checks that each item can be counted at all, beside those that are in every group.
static s64 check_items(struct packing *packing, const struct pmu_request *request,
                       struct pmu_conflict *conflict)
{
    *conflict = (struct pmu_conflict){.groups = 1};
    for (u32 i = 0; i < request->items; i++) {
        if (!countable(&request->item[i]))
            conflict->items |= 1UL << i;
    }
    if (conflict->items != 0)
        return E_NOTSUP;
    for (u32 i = 0; i < request->items; i++) {
        if (!begin(packing, request, 1, conflict) ||
            (request->item[i].set != PMU_EVERY_GROUP && !place(packing, i, ANY_GROUP, conflict)))
            return E_BUSY;
    }
    return 0;
}

// ---- all sets ----------------------------------------------------------------------------------

static void append(struct pmu_allocation *allocation, const struct packing *packing, u32 set)
{
    for (u32 group = 0; group < packing->groups; group++) {
        struct pmu_group *to = &allocation->group[allocation->groups++];
        to->set = (u8)set;
        memcpy(to->item, packing->holder + group * PMU_COUNTERS, PMU_COUNTERS);
    }
}

static u64 weight(const struct pmu_request *request, const struct pmu_allocation *allocation,
                  u32 group)
{
    u32 set = allocation->group[group].set;
    u64 siblings = 0;
    for (u32 i = 0; i < allocation->groups; i++)
        siblings += allocation->group[i].set == set;
    return request->share[set] * (SHARE_UNIT / siblings);
}

// Each group ends where the sum of weights including its own ends, rounded. So the shares add up.
static void divide_time(const struct pmu_request *request, struct pmu_allocation *allocation)
{
    u64 total = 0;
    u64 sum = 0;
    for (u32 group = 0; group < allocation->groups; group++)
        total += weight(request, allocation, group);
    for (u32 group = 0; group < allocation->groups; group++) {
        u64 begin_at = sum * PMU_WHOLE_TIME / total;
        sum += weight(request, allocation, group);
        allocation->group[group].share = (u32)(sum * PMU_WHOLE_TIME / total - begin_at);
    }
}

s64 pmu_allocate(const struct pmu_request *request, struct pmu_allocation *allocation,
                 struct pmu_conflict *conflict)
{
    struct packing packing;
    *conflict = (struct pmu_conflict){0};
    if (!valid(request))
        return E_INVAL;
    s64 error = check_items(&packing, request, conflict);
    if (error != 0)
        return error;
    allocation->groups = 0;
    for (u32 set = 0; set < request->sets; set++) {
        // Every set after this one needs a group too.
        u32 room = request->groups - allocation->groups - (request->sets - 1 - set);
        u32 groups = 1;
        while (!pack(&packing, request, set, groups, conflict)) {
            if (groups++ == room)
                return E_LIMIT;
        }
        fill(&packing, set);
        append(allocation, &packing, set);
    }
    divide_time(request, allocation);
    return 0;
}

// ---- words -------------------------------------------------------------------------------------

// Text that grows and is cut at its end.
struct text {
    char *to;
    u64 bytes, used;
};

static void group_add(struct text *text, const char *words)
{
    u64 length = strlen(words);
    u64 room = text->bytes - 1 - text->used;
    length = length < room ? length : room;
    memcpy(text->to + text->used, words, length);
    text->used += length;
    text->to[text->used] = 0;
}

static void add_number(struct text *text, u32 number)
{
    char digits[12];
    snprintf(digits, sizeof(digits), "%u", number);
    group_add(text, digits);
}

static u32 add_items(struct text *text, const struct pmu_request *request, u64 items)
{
    u32 count = 0;
    for (u32 i = 0; i < request->items; i++) {
        const struct pmu_item *item = &request->item[i];
        u32 modes = item->filter & (MODEL_KERNEL | MODEL_USER);
        if ((items >> i & 1) == 0)
            continue;
        group_add(text, count++ == 0 ? "" : ", ");
        group_add(text, pmu_events[item->event].name);
        group_add(text, modes == MODEL_USER ? ":u" : modes == MODEL_KERNEL ? ":k" : "");
    }
    return count;
}

static void add_counters(struct text *text, u32 counters)
{
    group_add(text, (counters & (counters - 1)) == 0 ? "counter" : "counters");
    for (u32 counter = 0; counter < PMU_COUNTERS; counter++) {
        if ((counters >> counter & 1) == 0)
            continue;
        group_add(text, " ");
        add_number(text, counter);
    }
}

void pmu_conflict_text(const struct pmu_request *request, const struct pmu_conflict *conflict,
                       char *to, u64 bytes)
{
    struct text text = {.to = to, .bytes = bytes};
    to[0] = 0;
    u32 count = add_items(&text, request, conflict->items);
    if (conflict->counters == 0) {
        group_add(&text, ": cannot be counted");
        return;
    }
    group_add(&text, ": ");
    add_number(&text, count);
    group_add(&text, " events, only ");
    add_counters(&text, conflict->counters);
    if (conflict->groups > 1) {
        group_add(&text, " in ");
        add_number(&text, conflict->groups);
        group_add(&text, " groups");
    }
}
