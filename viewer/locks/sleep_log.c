// SPDX-License-Identifier: MIT
// Switches the logs of sleep locks in the machine on and off, and reads them into an account.
#include "locks/sleep_log.h"
#include "tools/kov.h"
#include "wire/dci.h"

static int take_enabled(void *context, const dci_response *response)
{
    *(u64 *)context = response->sleep_locks_enable->time;
    return KOV_OK;
}

static int enable(Orrery__Dci__SleepLocksEnableRequest *body, u64 *time)
{
    return dci_call(DCI_REQUEST(SLEEP_LOCKS_ENABLE, sleep_locks_enable, body),
                    ORRERY__DCI__RESPONSE__BODY_SLEEP_LOCKS_ENABLE, "cannot log sleep locks",
                    take_enabled, time);
}

int sleep_log_begin(const struct sleep_choice *choice, u64 *time)
{
    Orrery__Dci__SleepLocksEnableRequest body = ORRERY__DCI__SLEEP_LOCKS_ENABLE_REQUEST__INIT;
    body.on = true;
    body.n_pids = choice->pids.count;
    body.pids = (u32 *)choice->pids.pids;
    body.coid = choice->object;
    return enable(&body, time);
}

int sleep_log_end(void)
{
    Orrery__Dci__SleepLocksEnableRequest body = ORRERY__DCI__SLEEP_LOCKS_ENABLE_REQUEST__INIT;
    u64 time;
    return enable(&body, &time);
}

static void take_log(struct sleep_report *report, u32 pid, const Orrery__Dci__SleepLockLog *log)
{
    sleep_account_object(&report->account, pid, log->coid, log->logged, log->lost,
                         log->buffer_bytes);
    for (size_t i = 0; i < log->n_records; i++) {
        const Orrery__Dci__SleepLockRecord *from = log->records[i];
        struct sleep_record record = {from->time,   from->queue,          from->thread,
                                      from->length, (u32)from->operation, from->lost};
        if (!sleep_account_record(&report->account, pid, log->coid, &record))
            report->nonsense++;
    }
}

static int take_records(void *context, const dci_response *response)
{
    struct sleep_report *report = context;
    const Orrery__Dci__SleepLocksReadReply *reply = response->sleep_locks_read;
    if (reply->failure != NULL)
        failures_add(&report->failures, reply->pid, reply->failure->error, reply->failure->message);
    for (size_t i = 0; i < reply->n_objects; i++)
        take_log(report, reply->pid, reply->objects[i]);
    report->account.end = reply->time;
    return KOV_OK;
}

int sleep_log_read(struct sleep_report *report)
{
    Orrery__Dci__SleepLocksReadRequest body = ORRERY__DCI__SLEEP_LOCKS_READ_REQUEST__INIT;
    return dci_call(DCI_REQUEST(SLEEP_LOCKS_READ, sleep_locks_read, &body),
                    ORRERY__DCI__RESPONSE__BODY_SLEEP_LOCKS_READ,
                    "cannot read the logs of sleep locks", take_records, report);
}

void sleep_report_free(struct sleep_report *report)
{
    failures_free(&report->failures);
    sleep_account_free(&report->account);
    snapshot_free(&report->snapshot);
}
