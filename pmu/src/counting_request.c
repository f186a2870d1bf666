// SPDX-License-Identifier: MIT
// Checks a request to count, and makes a claim of it.
#include <orrery/errors.h>
#include <pmu/counting_request.h>
#include <stdio.h>
#include <string.h>

#define FLAGS (SYS_PMU_BY_PROCESS | SYS_PMU_BY_THREAD | SYS_PMU_READABLE)
#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)

_Static_assert(SYS_PMU_KERNEL == MODEL_KERNEL && SYS_PMU_USER == MODEL_USER, "filters are flags");
_Static_assert(SYS_PMU_ITEMS <= PMU_ITEMS_MAX && SYS_PMU_SETS <= PMU_SETS_MAX, "limits");

// ---- checks ------------------------------------------------------------------------------------

static bool valid_item(const struct sys_pmu_counting *counting, const struct sys_pmu_item *item)
{
    return item->event < PMU_EVENTS && item->filter != 0 && (item->filter & ~BOTH) == 0 &&
           item->set < counting->set_count && item->reserved == 0;
}

static bool valid_slice(const struct sys_pmu_counting *counting)
{
    return (counting->slice_event == MODEL_INSTRUCTIONS || counting->slice_event == MODEL_CYCLES) &&
           (counting->slice == 0 ||
            (counting->slice >= SYS_PMU_SLICE_MIN && counting->slice <= SYS_PMU_SLICE_MAX));
}

static bool valid(const struct sys_pmu_counting *counting, u32 cpus)
{
    if (counting->item_count == 0 || counting->item_count > SYS_PMU_ITEMS ||
        counting->set_count == 0 || counting->set_count > SYS_PMU_SETS || !valid_slice(counting) ||
        (counting->cpu_mask & ~cpus) != 0 || (counting->flags & ~FLAGS) != 0 ||
        counting->reserved2 != 0)
        return false;
    for (u32 set = 0; set < counting->set_count; set++) {
        if (counting->shares[set] == 0 || counting->shares[set] > SYS_PMU_SHARE_MAX)
            return false;
    }
    for (u32 i = 0; i < counting->item_count; i++) {
        if (!valid_item(counting, &counting->items[i]))
            return false;
    }
    return true;
}

// ---- the request -------------------------------------------------------------------------------

static bool same(const struct pmu_item *a, const struct pmu_item *b)
{
    return a->event == b->event && a->filter == b->filter &&
           (a->set == b->set || a->set == PMU_EVERY_GROUP);
}

// Returns the item's place in the request, or that of an equal one; PMU_ITEMS_MAX: no room.
static u32 add_item(struct pmu_request *request, const struct pmu_item *item)
{
    u32 place = 0;
    while (place < request->items && !same(&request->item[place], item))
        place++;
    if (place == request->items && place < PMU_ITEMS_MAX)
        request->item[request->items++] = *item;
    return place;
}

static struct pmu_item item_of(u32 event, u32 filter, u32 set, const struct pmu_offer *offer)
{
    return (struct pmu_item){.event = (u8)event,
                             .filter = (u8)filter,
                             .set = (u8)set,
                             .counters = offer->counters[event]};
}

static s64 add_items(struct counting_plan *plan, const struct sys_pmu_counting *counting,
                     const struct pmu_offer *offer)
{
    struct pmu_item slices = item_of(counting->slice_event, BOTH, PMU_EVERY_GROUP, offer);
    add_item(&plan->claim.request, &slices);
    for (u32 i = 0; i < counting->item_count; i++) {
        const struct sys_pmu_item *asked = &counting->items[i];
        struct pmu_item item = item_of(asked->event, asked->filter, asked->set, offer);
        u32 place = add_item(&plan->claim.request, &item);
        if (place == PMU_ITEMS_MAX)
            return E_LIMIT;
        plan->place[i] = (u8)place;
    }
    return 0;
}

static s64 say(s64 error, const char *what, char *message, u64 bytes)
{
    if (bytes != 0)
        snprintf(message, bytes, "%s", what);
    return error;
}

s64 counting_plan_make(const struct sys_pmu_counting *counting, const struct pmu_offer *offer,
                       u32 cpus, struct counting_plan *plan, char *message, u64 bytes)
{
    if (!valid(counting, cpus))
        return say(E_INVAL, "a number is out of its range", message, bytes);
    if (offer->counters[counting->slice_event] == 0)
        return say(E_NOTSUP, "no unit of this machine counts what slices are measured in", message,
                   bytes);
    *plan = (struct counting_plan){
        .claim = {.slice = counting->slice != 0 ? counting->slice : SYS_PMU_SLICE_DEFAULT,
                  .steady = (counting->flags & SYS_PMU_READABLE) != 0,
                  .read = (counting->flags & SYS_PMU_READABLE) != 0,
                  .request = {.sets = counting->set_count, .groups = PMU_GROUPS_MAX}},
        .items = counting->item_count,
        .flags = counting->flags,
    };
    memcpy(plan->claim.request.share, counting->shares, sizeof(counting->shares));
    if (add_items(plan, counting, offer) != 0)
        return say(E_LIMIT, "too many events", message, bytes);
    return say(0, "", message, bytes);
}
