// SPDX-License-Identifier: MIT
// Workloads in the guest: starts one, waits for its end, reads its own account.
#include "machine/workload.h"
#include "machine/program.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/text.h"
#include "wire/dci.h"
#include "wire/link.h"
#include "wire/patience.h"

#include <inttypes.h>
#include <math.h>
#include <orrery/errors.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_BYTES 256 // with the end; the machine takes no more
#define REPORT_BYTES 2048 // with the end; the machine tells no more
#define POLL_SECONDS 0.05
#define PROGRAM_SECONDS 0.02 // between two looks at standard input

static int take_workloads(void *context, const dci_response *response)
{
    for (size_t i = 0; i < response->workloads->n_workloads; i++) {
        Orrery__Dci__Workload *workload = response->workloads->workloads[i];
        text_make_printable(workload->name, false);
        text_make_printable(workload->help, false);
        json_t *row = put_object(context, NULL);
        put_text(row, "name", workload->name);
        put_text(row, "help", workload->help);
    }
    return KOV_OK;
}

int workloads_fetch(json_t *list)
{
    Orrery__Dci__WorkloadsRequest body = ORRERY__DCI__WORKLOADS_REQUEST__INIT;
    return dci_call(DCI_REQUEST(WORKLOADS, workloads, &body), ORRERY__DCI__RESPONSE__BODY_WORKLOADS,
                    "cannot list workloads", take_workloads, list);
}

static int take_runs(void *context, const dci_response *response)
{
    for (size_t i = 0; i < response->workload_runs->n_runs; i++) {
        const Orrery__Dci__WorkloadRun *run = response->workload_runs->runs[i];
        text_make_printable(run->command, false);
        json_t *row = put_object(context, NULL);
        put_u64(row, "id", run->id);
        put_text(row, "command", run->command);
        put_bool(row, "running", run->running);
        put_s64(row, "error", run->result);
        put_u64(row, "began", run->began);
        if (run->running)
            json_object_set_new(row, "ended", json_null());
        else
            put_u64(row, "ended", run->ended);
    }
    return KOV_OK;
}

int workload_runs_fetch(json_t *list)
{
    Orrery__Dci__WorkloadRunsRequest body = ORRERY__DCI__WORKLOAD_RUNS_REQUEST__INIT;
    return dci_call(DCI_REQUEST(WORKLOAD_RUNS, workload_runs, &body),
                    ORRERY__DCI__RESPONSE__BODY_WORKLOAD_RUNS, "cannot list runs of workloads",
                    take_runs, list);
}

static int join_command(const struct arguments *arguments, char command[COMMAND_BYTES])
{
    size_t length = 0;
    bool parameters = strchr(arguments->workload[0], ':') != NULL;
    for (int i = 0; i < arguments->workload_count; i++) {
        const char *separator = i == 0 ? "" : parameters ? "," : ":";
        parameters = parameters || i > 0;
        length += (size_t)snprintf(command + length, COMMAND_BYTES - length, "%s%s", separator,
                                   arguments->workload[i]);
        if (length >= COMMAND_BYTES)
            return fail(KOV_USAGE, "the workload with its parameters is longer than %d bytes",
                        COMMAND_BYTES - 1);
    }
    return KOV_OK;
}

static int take_id(void *context, const dci_response *response)
{
    *(u64 *)context = response->workload_start->id;
    return KOV_OK;
}

int workload_start(const struct arguments *arguments, u64 *id)
{
    char command[COMMAND_BYTES];
    int code = join_command(arguments, command);
    if (code != KOV_OK)
        return code;
    Orrery__Dci__WorkloadStartRequest body = ORRERY__DCI__WORKLOAD_START_REQUEST__INIT;
    body.command = command;
    char what[COMMAND_BYTES + 40];
    snprintf(what, sizeof(what), "cannot start workload '%s'", command);
    return dci_call(DCI_REQUEST(WORKLOAD_START, workload_start, &body),
                    ORRERY__DCI__RESPONSE__BODY_WORKLOAD_START, what, take_id, id);
}

int workload_stop(u64 id)
{
    Orrery__Dci__WorkloadStopRequest body = ORRERY__DCI__WORKLOAD_STOP_REQUEST__INIT;
    body.id = id;
    return dci_call(DCI_REQUEST(WORKLOAD_STOP, workload_stop, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot stop the workload", NULL, NULL);
}

static int take_status(void *context, const dci_response *response)
{
    struct workload_result *result = context;
    const Orrery__Dci__WorkloadStatusReply *reply = response->workload_status;
    workload_free(result);
    result->running = reply->running;
    result->error = reply->result;
    result->report = memory_copy_text(reply->report);
    if (strlen(result->report) >= REPORT_BYTES) // it lies: kov serve keeps many of these
        result->report[REPORT_BYTES - 1] = '\0';
    text_make_printable(result->report, true);
    return KOV_OK;
}

int workload_status(u64 id, struct workload_result *result)
{
    Orrery__Dci__WorkloadStatusRequest body = ORRERY__DCI__WORKLOAD_STATUS_REQUEST__INIT;
    body.id = id;
    result->id = id;
    return dci_call(DCI_REQUEST(WORKLOAD_STATUS, workload_status, &body),
                    ORRERY__DCI__RESPONSE__BODY_WORKLOAD_STATUS, "cannot ask after the workload",
                    take_status, result);
}

// Returns whether a program of its own is given in place of a workload.
static bool is_program(const struct arguments *arguments)
{
    return arguments->has_workload && strcmp(arguments->workload[0], "run") == 0;
}

int workload_prepare(const struct arguments *arguments, struct workload_result *result)
{
    static u64 stack_bytes;
    static const struct option options[] = {PROGRAM_STACK_OPTION(&stack_bytes), OPTIONS_END};
    if (!is_program(arguments))
        return KOV_OK;
    int used, left = arguments->workload_count - 1;
    char **program = arguments->workload + 1;
    int code = options_parse_leading(options, left, program, &used);
    if (code != KOV_OK)
        return code;
    program += used;
    left -= used;
    if (left > 0 && strcmp(program[0], "--") == 0)
        return fail(KOV_USAGE, "the program follows `run` at once: its options need no `--`");
    if (left == 0)
        return fail(KOV_USAGE, "give a program after `run`: a file here, or one of the machine's");
    result->program = memory_get(sizeof(*result->program));
    *result->program = (struct program){.stack_bytes = stack_bytes,
                                        .out = output_form() == OUTPUT_TABLES ? stdout : stderr};
    result->words = used + 2;
    return program_open(result->program, program[0], left - 1, program + 1);
}

static int look(const struct workload_watch *watch)
{
    return watch == NULL || watch->handler == NULL ? KOV_OK : watch->handler(watch->context);
}

static bool is_enough(const struct workload_watch *watch)
{
    return watch != NULL && watch->enough != NULL && *watch->enough;
}

// Waits until the workload ends. The window is over when the workload has been told to stop.
static int wait_for_workload(u64 id, double seconds, const struct workload_watch *watch,
                             struct workload_result *result)
{
    double end = clock_now() + seconds;
    bool stopping = false;
    for (;;) {
        int code = workload_status(id, result);
        if (code != KOV_OK || !result->running)
            return code;
        // When interrupted, dci_listen returns at once, so a plain pause keeps the polling slow.
        if (stopping)
            interrupt_sleep(POLL_SECONDS);
        else
            code = dci_listen(POLL_SECONDS);
        if (code == KOV_OK)
            code = look(watch);
        if (code == KOV_OK && !stopping &&
            (interrupted() || clock_now() > end || is_enough(watch))) {
            stopping = true;
            patience_window_over();
            code = workload_stop(id);
        }
        if (code != KOV_OK)
            return code;
    }
}

static int wait_in_window(u64 id, double seconds, const struct workload_watch *watch,
                          struct workload_result *result)
{
    seconds = seconds > 0 ? seconds : INFINITY;
    patience_window(seconds);
    int code = wait_for_workload(id, seconds, watch, result);
    patience_window_over();
    return code;
}

int workload_wait(u64 id, double seconds, struct workload_result *result)
{
    return wait_in_window(id, seconds, NULL, result);
}

// Listens for that long. A request ends dci_listen but does not shorten the window.
static int listen_and_look(double seconds, const struct workload_watch *watch)
{
    double end = clock_now() + seconds;
    int code = KOV_OK;
    while (code == KOV_OK && !interrupted() && !link_ended() && !is_enough(watch) &&
           clock_now() < end) {
        code = dci_listen(fmin(end - clock_now(), POLL_SECONDS));
        if (code == KOV_OK)
            code = look(watch);
    }
    return code;
}

static int wait_for_program(struct program *program, const struct workload_watch *watch)
{
    int code = KOV_OK;
    while (code == KOV_OK && !program->ended) {
        if (is_enough(watch))
            program->kill_by = 0;
        code = program_attend(program);
        if (code == KOV_OK && interrupted()) // dci_listen returns at once then
            interrupt_sleep(POLL_SECONDS);
        if (code == KOV_OK)
            code = dci_listen(PROGRAM_SECONDS);
        if (code == KOV_OK)
            code = look(watch);
    }
    return code;
}

static int program_window(const struct arguments *arguments, double seconds,
                          const struct workload_watch *watch, struct workload_result *result)
{
    struct program *program = result->program;
    seconds = seconds > 0 ? seconds : INFINITY;
    int code = program_start(program, arguments->workload_count - result->words,
                             arguments->workload + result->words, seconds);
    patience_window(seconds);
    if (code == KOV_OK)
        code = wait_for_program(program, watch);
    patience_window_over();
    return code;
}

int workload_window(const struct arguments *arguments, double seconds, double otherwise,
                    const struct workload_watch *watch, struct workload_result *result)
{
    int code;
    if (!arguments->has_workload) {
        seconds = seconds > 0 ? seconds : otherwise;
        patience_window(seconds);
        code = listen_and_look(seconds, watch);
        patience_window_over();
        return code;
    }
    if (result->program != NULL)
        return program_window(arguments, seconds, watch, result);
    u64 id;
    code = workload_start(arguments, &id);
    return code == KOV_OK ? wait_in_window(id, seconds, watch, result) : code;
}

int workload_verdict(const struct workload_result *result)
{
    if (result->program != NULL)
        return program_verdict(result->program);
    if (result->running || result->error == 0)
        return KOV_OK;
    return fail(KOV_FAILED, "the workload ended with an error: %s", orrery_strerror(result->error));
}

void workload_print(FILE *out, const struct workload_result *result)
{
    fprintf(out, "workload %" PRIu64 " %s%s%s\n", result->id,
            result->running ? "is running" : "ended",
            result->running || result->error == 0 ? "" : ": ",
            result->running || result->error == 0 ? "" : orrery_strerror(result->error));
    for (const char *line = result->report; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void workload_print_account(const struct workload_result *result)
{
    const struct program *program = result->program;
    if (program != NULL) {
        printf("\n%s, process %" PRIu32 ", ended with status %" PRId32 "\n", program->path,
               program->pid, program->status);
        return;
    }
    fputs("\nThe workload's own account: ", stdout);
    workload_print(stdout, result);
}

static void json_line(json_t *json, const char *line, size_t length)
{
    char text[2048];
    snprintf(text, sizeof(text), "%.*s", (int)(length < sizeof(text) ? length : sizeof(text) - 1),
             line);
    char *value = strchr(text, ' ');
    if (value != NULL)
        *value++ = '\0';
    u64 number;
    if (value == NULL)
        put_text(json, text, NULL);
    else if (text_to_u64(value, 0, UINT64_MAX, &number) && value[1] != 'x')
        put_u64(json, text, number);
    else
        put_text(json, text, value);
}

void workload_json(json_t *json, const char *key, const struct workload_result *result)
{
    json_t *row = put_object(json, key);
    if (result->program != NULL) {
        put_u64(row, "pid", result->program->pid);
        put_s64(row, "status", result->program->status);
        return;
    }
    put_u64(row, "id", result->id);
    put_bool(row, "running", result->running);
    put_s64(row, "result", result->error);
    json_t *object = put_object(row, "report");
    for (const char *line = result->report; line != NULL && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (length > 0)
            json_line(object, line, length);
        line += length + (line[length] == '\n');
    }
}

void workload_free(struct workload_result *result)
{
    if (result->program != NULL)
        program_free(result->program);
    free(result->program);
    result->program = NULL;
    free(result->report);
    result->report = NULL;
}
