// SPDX-License-Identifier: MIT
// DREF counts by object and CPU, read at one moment.
#include "counts/dref.h"
#include "wire/dci.h"

#include <stdlib.h>

int dref_enable(bool on, struct scan_scope scope)
{
    Orrery__Dci__DrefEnableRequest body = ORRERY__DCI__DREF_ENABLE_REQUEST__INIT;
    body.on = on;
    body.scope = scope.scope;
    body.pid = scope.pid;
    return dci_call(DCI_REQUEST(DREF_ENABLE, dref_enable, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot switch the counting of DREFs",
                    NULL, NULL);
}

static int take_counts(void *context, const dci_response *response)
{
    struct dref_reading *reading = context;
    const Orrery__Dci__DrefReadReply *reply = response->dref_read;
    if (reading->begin == 0)
        reading->begin = reply->begin;
    reading->end = reply->end;
    if (reply->failure != NULL)
        failures_add(&reading->failures, reply->pid, reply->failure->error,
                     reply->failure->message);
    for (size_t i = 0; i < reply->n_counts; i++) {
        const Orrery__Dci__DrefCount *count = reply->counts[i];
        if (count->cpu >= ORRERY_MAX_CPUS)
            return fail(KOV_CONNECTION, "the machine counts DREFs on CPU %u, which cannot be",
                        count->cpu);
        if (reading->count == DREF_COUNTS_MAX)
            return fail(KOV_CONNECTION, "the machine tells of more than %u DREF counts",
                        DREF_COUNTS_MAX);
        reading->counts = memory_grow(reading->counts, reading->count, &reading->capacity,
                                      sizeof(*reading->counts));
        reading->counts[reading->count++] = (struct dref_count){reply->pid, count->coid, count->cpu,
                                                                count->invocations, count->misses};
    }
    return KOV_OK;
}

int dref_read(struct dref_reading *reading, struct scan_scope scope)
{
    Orrery__Dci__DrefReadRequest body = ORRERY__DCI__DREF_READ_REQUEST__INIT;
    body.scope = scope.scope;
    body.pid = scope.pid;
    dref_free(reading);
    int code =
        dci_call(DCI_REQUEST(DREF_READ, dref_read, &body), ORRERY__DCI__RESPONSE__BODY_DREF_READ,
                 "cannot read DREF counts", take_counts, reading);
    if (reading->count > 1)
        qsort(reading->counts, reading->count, sizeof(*reading->counts), dref_compare);
    return code;
}

void dref_free(struct dref_reading *reading)
{
    free(reading->counts);
    failures_free(&reading->failures);
    *reading = (struct dref_reading){0};
}
