// SPDX-License-Identifier: MIT
// The events of both units, in one list of names, and which of them this machine offers. Any
// context; nothing here locks or allocates.
#ifndef PMU_EVENTS_H
#define PMU_EVENTS_H

#include <orrery/pmu_model.h>

// The model unit's events have its own numbers (enum model_event); the driver's follow.
enum pmu_event_number {
    PMU_RUN_CYCLES = MODEL_EVENTS, // PMC6
    PMU_EVENTS
};

// Counters of both units in one numbering: those of the model unit, then PMC6. So a group of events
// (pmu/allocate.h) may use both units.
#define PMU_DRIVER_COUNTER MODEL_COUNTERS
#define PMU_COUNTERS (MODEL_COUNTERS + 1)

enum pmu_event_unit { PMU_UNIT_MODEL, PMU_UNIT_DRIVER };

struct pmu_event {
    const char *name; // as users and machine configurations spell it
    const char *meaning;
    enum pmu_event_unit unit;
};

extern const struct pmu_event pmu_events[PMU_EVENTS];

// The events that this machine offers. Zeroed: none.
struct pmu_offer {
    char machine[32];         // the modelled one; empty: there is no model unit
    u32 counters[PMU_EVENTS]; // bit n: counter n can count the event; 0: no counter can
    u32 exact;                // bit e: event e is counted exactly; else by a model
};

// Adds the driver's events. Its counter measures the CPU's time, whatever the model unit does.
void pmu_offer_driver(struct pmu_offer *offer);

// Adds the events of the model unit that has answered MODEL_ATTACH in page. Returns 0; E_NOTSUP if
// none has answered; or E_PROTO if the answer is not of MODEL_VERSION or describes an impossible
// machine: a counter that does not exist, events that no counter can count, a name without an end.
// On an error *offer is unchanged. Reads each word of page once, so all that is offered has been
// checked, whatever the page holds later.
s64 pmu_offer_model(struct pmu_offer *offer, const struct model_page *page);

#endif
