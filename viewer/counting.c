// SPDX-License-Identifier: MIT
// A counting session on the machine.
#include "counting.h"
#include "dci.h"

#include <string.h>

static int take_start(void *context, const dci_response *response)
{
    *(u64 *)context = response->count_start->time;
    return KOV_OK;
}

int counting_start(const struct count_request *wanted, u64 *time)
{
    Orrery__Dci__CountItem items[COUNT_ITEMS_MAX], *pointers[COUNT_ITEMS_MAX];
    Orrery__Dci__CountStartRequest body = ORRERY__DCI__COUNT_START_REQUEST__INIT;
    for (u32 i = 0; i < wanted->item_count; i++) {
        items[i] = (Orrery__Dci__CountItem)ORRERY__DCI__COUNT_ITEM__INIT;
        items[i].event = wanted->items[i].event->event;
        items[i].mode = (Orrery__Dci__CountMode)wanted->items[i].mode;
        items[i].set = wanted->items[i].set;
        pointers[i] = &items[i];
    }
    body.items = pointers;
    body.n_items = wanted->item_count;
    body.shares = (u32 *)wanted->shares;
    body.n_shares = wanted->set_count;
    body.cpu_mask = wanted->cpu_mask;
    body.slice_event = wanted->slice_event;
    body.slice = wanted->slice;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_COUNT_START;
    request.count_start = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_COUNT_START, "cannot count", take_start,
                    time);
}

int counting_trace(u64 majors)
{
    Orrery__Dci__CountTraceRequest body = ORRERY__DCI__COUNT_TRACE_REQUEST__INIT;
    body.majors = majors;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_COUNT_TRACE;
    request.count_trace = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot put counters into the trace", NULL, NULL);
}

// One CPU's counts, from either answer.
static int take_cpu(struct count_reading *reading, const Orrery__Dci__CountReply *reply)
{
    if (reading->cpu_count == ORRERY_MAX_CPUS || reply->n_counts != reading->items)
        return fail(KOV_CONNECTION, "the machine's counts are not those that were asked for");
    struct cpu_counts *to = &reading->cpus[reading->cpu_count++];
    to->cpu = reply->cpu;
    to->time = reading->time = reply->time;
    for (u32 i = 0; i < reading->items; i++)
        to->counts[i] = (struct count){
            .count = reply->counts[i]->count,
            .measured = reply->counts[i]->measured,
            .total = reply->counts[i]->total,
            .error = reply->counts[i]->error,
        };
    return KOV_OK;
}

static int take_read(void *context, const dci_response *response)
{
    return take_cpu(context, response->count_read);
}

static int take_stop(void *context, const dci_response *response)
{
    return take_cpu(context, response->count_stop);
}

static void begin(const struct count_request *wanted, struct count_reading *reading)
{
    memset(reading, 0, sizeof(*reading));
    reading->items = wanted->item_count;
}

int counting_read(const struct count_request *wanted, struct count_reading *reading)
{
    Orrery__Dci__CountReadRequest body = ORRERY__DCI__COUNT_READ_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_COUNT_READ;
    request.count_read = &body;
    begin(wanted, reading);
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_COUNT_READ, "cannot read the counts",
                    take_read, reading);
}

int counting_stop(const struct count_request *wanted, struct count_reading *reading)
{
    Orrery__Dci__CountStopRequest body = ORRERY__DCI__COUNT_STOP_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_COUNT_STOP;
    request.count_stop = &body;
    begin(wanted, reading);
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_COUNT_STOP, "cannot stop counting",
                    take_stop, reading);
}
