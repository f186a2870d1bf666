// SPDX-License-Identifier: MIT
// Asks the machine for the hardware events that it can count.
#include "counts/event_list.h"
#include "wire/dci.h"

static int take_events(void *context, const dci_response *response)
{
    event_list_add(context, response->pmu_events);
    return KOV_OK;
}

int event_list_fetch(struct event_list *list)
{
    Orrery__Dci__PmuEventsRequest body = ORRERY__DCI__PMU_EVENTS_REQUEST__INIT;
    return dci_call(DCI_REQUEST(PMU_EVENTS, pmu_events, &body),
                    ORRERY__DCI__RESPONSE__BODY_PMU_EVENTS, "cannot list events", take_events,
                    list);
}
