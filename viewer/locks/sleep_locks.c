// SPDX-License-Identifier: MIT
// `kov locks --sleep`: switches the logging of sleep locks on,
// takes the records now and then, prints the account.
#include "locks/sleep_locks.h"
#include "locks/sleep_print.h"
#include "machine/scan.h"
#include "machine/workload.h"
#include "symbols/programs.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/pid_list.h"
#include "wire/dci.h"
#include "wire/session.h"

#include <stdlib.h>

#define DEFAULT_SECONDS 5
#define READ_SECONDS 0.2

static bool timeline;
static u64 object; // COID; 0: all

const struct option sleep_locks_options[] = {
    FLAG(0, "timeline", &timeline, "with --sleep: each change of each queue"),
    NUMBER(0, "object", &object, 1, UINT64_MAX, "COID",
           "with --sleep: only this BlockedThreadQueues object of the --pid"),
    OPTIONS_END,
};

static struct pid_list wanted;

static int parse_pids(const char *text)
{
    int code = pid_list_parse("--pid", text, 1, &wanted);
    if (code == KOV_OK && object != 0 && wanted.count != 1)
        return fail(KOV_USAGE, "--object needs --pid with the one process that it is of");
    return code;
}

// ---- requests ----------------------------------------------------------------------------------

static int take_enabled(void *context, const dci_response *response)
{
    *(u64 *)context = response->sleep_locks_enable->time;
    return KOV_OK;
}

static int enable(bool on, u64 *time)
{
    Orrery__Dci__SleepLocksEnableRequest body = ORRERY__DCI__SLEEP_LOCKS_ENABLE_REQUEST__INIT;
    body.on = on;
    body.n_pids = on ? wanted.count : 0;
    body.pids = wanted.pids;
    body.coid = on ? object : 0;
    return dci_call(DCI_REQUEST(SLEEP_LOCKS_ENABLE, sleep_locks_enable, &body),
                    ORRERY__DCI__RESPONSE__BODY_SLEEP_LOCKS_ENABLE, "cannot log sleep locks",
                    take_enabled, time);
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

static int read_records(struct sleep_report *report)
{
    Orrery__Dci__SleepLocksReadRequest body = ORRERY__DCI__SLEEP_LOCKS_READ_REQUEST__INIT;
    return dci_call(DCI_REQUEST(SLEEP_LOCKS_READ, sleep_locks_read, &body),
                    ORRERY__DCI__RESPONSE__BODY_SLEEP_LOCKS_READ,
                    "cannot read the logs of sleep locks", take_records, report);
}

// ---- the window --------------------------------------------------------------------------------

static int tick(void *context)
{
    static double next;
    if (clock_now() < next)
        return KOV_OK;
    int code = read_records(context);
    next = clock_now() + READ_SECONDS;
    return code;
}

static struct scan_scope scope(void)
{
    return wanted.count == 1 ? scan_scope_of(wanted.pids[0]) : SCAN_ALL;
}

static int log_window(const struct arguments *arguments, double seconds,
                      struct sleep_report *report, struct workload_result *workload)
{
    workload_on_tick(tick, report);
    int code = workload_window(arguments, seconds, DEFAULT_SECONDS, workload);
    workload_on_tick(NULL, NULL);
    return code == KOV_OK ? read_records(report) : code;
}

// Names are asked for before and after, for processes and objects that come and go.
static int measure(const struct arguments *arguments, double seconds, struct sleep_report *report,
                   struct workload_result *workload)
{
    u64 ended;
    int code = session_begin(true);
    if (code == KOV_OK)
        code = scan_objects(&report->snapshot, scope());
    if (code == KOV_OK)
        code = enable(true, &report->account.begin);
    if (code == KOV_OK)
        code = log_window(arguments, seconds, report, workload);
    if (code == KOV_OK)
        code = enable(false, &ended);
    if (code == KOV_OK)
        code = scan_objects(&report->snapshot, SCAN_ALL); // those named may have ended
    if (code != KOV_OK)
        return code;
    report->timebase_hz = session_machine()->timebase_hz;
    sleep_account_end(&report->account, report->account.end);
    return KOV_OK;
}

static void report_free(struct sleep_report *report)
{
    failures_free(&report->failures);
    sleep_account_free(&report->account);
    snapshot_free(&report->snapshot);
}

int sleep_locks_run(const struct arguments *arguments, double seconds, const char *pids)
{
    struct sleep_report report = {.account.keep_changes = timeline || settings.json};
    struct workload_result workload = {0};
    int code = parse_pids(pids);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = measure(arguments, seconds, &report, &workload);
    if (code == KOV_OK)
        sleep_show(&report, timeline, arguments->has_workload ? &workload : NULL);
    if (code == KOV_OK)
        code = workload_verdict(&workload);
    report_free(&report);
    workload_free(&workload);
    programs_close();
    return code;
}
