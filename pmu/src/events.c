// SPDX-License-Identifier: MIT
// The list of events, and those that a machine offers.
#include <orrery/errors.h>
#include <pmu/events.h>
#include <string.h>

#define EVENT(name, meaning)                                                                       \
    {                                                                                              \
        name, meaning, PMU_UNIT_MODEL                                                              \
    }

const struct pmu_event pmu_events[PMU_EVENTS] = {
    [MODEL_INSTRUCTIONS] = EVENT("instructions", "instructions completed"),
    [MODEL_CYCLES] = EVENT("cycles", "cycles of the modelled in-order core"),
    [MODEL_LARX] = EVENT("larx", "loads with reservation: attempts to take a lock"),
    [MODEL_STCX] = EVENT("stcx", "conditional stores, failed ones too"),
    [MODEL_STCX_FAILED] = EVENT("stcx-failed", "conditional stores that lost their reservation"),
    [MODEL_BRANCHES] = EVENT("branches", "conditional branches"),
    [MODEL_TAKEN] = EVENT("taken", "conditional branches taken"),
    [MODEL_MISPREDICTED] = EVENT("mispredicted", "conditional branches predicted wrong"),
    [MODEL_ITLB_MISS] = EVENT("itlb-miss", "fetches whose translation the TLB did not hold"),
    [MODEL_DTLB_MISS] = EVENT("dtlb-miss", "data accesses whose translation the TLB did not hold"),
    [MODEL_L1I_MISS] = EVENT("l1i-miss", "fetches that missed the first-level cache"),
    [MODEL_L1D_MISS] = EVENT("l1d-miss", "data accesses that missed the first-level cache"),
    [MODEL_L2_MISS] = EVENT("l2-miss", "accesses that missed the second-level cache"),
    [MODEL_LOADS] = EVENT("loads", "instructions that load"),
    [MODEL_STORES] = EVENT("stores", "instructions that store"),
    [PMU_RUN_CYCLES] = {"run-cycles", "cycles of the CPU itself, PMC6", PMU_UNIT_DRIVER},
};

void pmu_offer_driver(struct pmu_offer *offer)
{
    offer->counters[PMU_RUN_CYCLES] = 1u << PMU_DRIVER_COUNTER;
    offer->exact |= 1u << PMU_RUN_CYCLES;
}

// Makes exactly one load, whatever the compiler would do.
static u64 read_once(const u64 *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static s64 take_model(struct pmu_offer *offer, const struct model_page *page)
{
    u64 there = read_once(&page->events);
    if (there >> MODEL_EVENTS != 0)
        return E_PROTO;
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        u64 counters = read_once(&page->counters[event]);
        bool offered = (there >> event & 1) != 0;
        if (counters >> MODEL_COUNTERS != 0 || (offered && counters == 0))
            return E_PROTO;
        offer->counters[event] = offered ? (u32)counters : 0;
    }
    offer->exact |= (u32)(read_once(&page->exact) & there);
    memcpy(offer->machine, page->machine, sizeof(offer->machine));
    return memchr(offer->machine, 0, sizeof(offer->machine)) != NULL ? 0 : E_PROTO;
}

s64 pmu_offer_model(struct pmu_offer *offer, const struct model_page *page)
{
    struct pmu_offer with = *offer;
    if (read_once(&page->magic) != MODEL_MAGIC)
        return E_NOTSUP;
    if (read_once(&page->version) != MODEL_VERSION)
        return E_PROTO;
    s64 error = take_model(&with, page);
    if (error == 0)
        *offer = with;
    return error;
}
