// SPDX-License-Identifier: MIT
// `kov locks --sleep`: logs sleep locks for a while and prints the account.
#include "locks/sleep_locks.h"
#include "locks/sleep_print.h"
#include "machine/scan.h"
#include "machine/workload.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "wire/session.h"

#define DEFAULT_SECONDS 5
#define READ_SECONDS 0.2

// From the command line.
static bool timeline;
static u64 object; // COID; 0: all

const struct option sleep_locks_options[] = {
    FLAG(0, "timeline", &timeline, "with --sleep: each change of each queue"),
    NUMBER(0, "object", &object, 1, UINT64_MAX, "COID",
           "with --sleep: only this BlockedThreadQueues object of the --pid"),
    OPTIONS_END,
};

// ---- the window --------------------------------------------------------------------------------

struct sleep_window {
    struct sleep_choice choice;
    struct sleep_report report;
    struct programs programs;
    double next; // when to read the logs again, by clock_now()
};

static int tick(void *context)
{
    struct sleep_window *window = context;
    if (clock_now() < window->next)
        return KOV_OK;
    int code = sleep_log_read(&window->report);
    window->next = clock_now() + READ_SECONDS;
    return code;
}

// Asks for names before and after the window, since processes and objects come and go.
static int measure(const struct arguments *arguments, double seconds, struct sleep_window *window,
                   struct workload_result *workload)
{
    struct sleep_report *report = &window->report;
    const struct pid_list *pids = &window->choice.pids;
    const struct workload_watch watch = {.handler = tick, .context = window};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = workload_prepare(arguments, workload);
    if (code == KOV_OK)
        code = scan_objects(&report->snapshot,
                            pids->count == 1 ? scan_scope_of(pids->pids[0]) : SCAN_ALL);
    if (code == KOV_OK)
        code = sleep_log_begin(&window->choice, &report->account.begin);
    if (code == KOV_OK)
        code = workload_window(arguments, seconds, DEFAULT_SECONDS, &watch, workload);
    if (code == KOV_OK)
        code = sleep_log_read(report);
    if (code == KOV_OK)
        code = sleep_log_end();
    if (code == KOV_OK)
        code = scan_objects(&report->snapshot, SCAN_ALL); // those of the choice may have ended
    if (code != KOV_OK)
        return code;
    report->timebase_hz = session_machine()->timebase_hz;
    sleep_account_end(&report->account, report->account.end);
    return KOV_OK;
}

int sleep_locks_run(const struct arguments *arguments, double seconds, const char *pids)
{
    struct sleep_window window = {0};
    // Memory grows with them, so they are kept only if they are shown: JSON has them always.
    window.report.account.keep_changes = timeline || output_form() == OUTPUT_JSON;
    struct workload_result workload = {0};
    window.report.programs = &window.programs;
    window.choice.object = object;
    int code = pid_list_parse("--pid", pids, 1, &window.choice.pids);
    if (code == KOV_OK && object != 0 && window.choice.pids.count != 1)
        code = fail(KOV_USAGE, "--object needs --pid with the one process that it is of");
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = measure(arguments, seconds, &window, &workload);
    if (code == KOV_OK)
        sleep_show(&window.report, timeline, arguments->has_workload ? &workload : NULL);
    if (code == KOV_OK)
        code = workload_verdict(&workload);
    sleep_report_free(&window.report);
    programs_close(&window.programs);
    workload_free(&workload);
    return code;
}
