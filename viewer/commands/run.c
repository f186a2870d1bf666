// SPDX-License-Identifier: MIT
// `kov run`: runs a program in the machine, one of its own or an uploaded one.
#include "commands/commands.h"
#include "output/columns.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/terminal.h"
#include "wire/dci.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TURN_SECONDS 0.02 // between two looks at standard input
#define INPUT_BYTES 4096
#define ARGUMENTS_MAX 32 // limit of RunStartRequest (proto/dci.options), as is the next
#define ARGUMENT_BYTES_MAX 255

static bool no_input, in_machine;
static double limit;

static const struct option own_options[] = {
    FLAG('m', "machine", &in_machine,
         "PROGRAM is the machine's, even if there is such a file here"),
    FLAG(0, "no-input", &no_input, "give it no standard input"),
    SECONDS('d', "duration", &limit, 86400, "kill it after so long"),
    OPTIONS_END,
};

struct run {
    u32 number, pid;
    bool ended;
    s32 status;
    struct bytes output; // with --json
    u8 input[INPUT_BYTES];
    size_t input_bytes;
    bool input_ended, end_told;
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct run *run = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_RUN_ENDED) {
        run->status = event->run_ended->status;
        run->ended = true;
    }
    if (event->body_case != ORRERY__DCI__EVENT__BODY_RUN_OUTPUT)
        return KOV_OK;
    const ProtobufCBinaryData *data = &event->run_output->data;
    if (output_form() == OUTPUT_JSON) { // the whole output is one text of the document
        bytes_append(&run->output, data->data, data->len);
        return KOV_OK;
    }
    fwrite(data->data, 1, data->len, stdout);
    return fflush(stdout) == 0 ? KOV_OK : fail(KOV_FAILED, "cannot write the output");
}

// ---- starting ----------------------------------------------------------------------------------

static int take_open(void *context, const dci_response *response)
{
    ((struct run *)context)->number = response->run_open->run;
    return KOV_OK;
}

static int upload_file(const struct run *run, const char *path, FILE *file)
{
    const Orrery__Dci__Limits *limits = session_hello()->limits;
    size_t most = limits == NULL ? 0 : limits->chunk_bytes;
    size_t size = most == 0 || most > 65536 ? 4096 : most;
    u8 *piece = memory_get(size);
    int code = KOV_OK;
    while (code == KOV_OK) {
        size_t count = fread(piece, 1, size, file);
        if (count == 0)
            break;
        Orrery__Dci__RunUploadRequest body = ORRERY__DCI__RUN_UPLOAD_REQUEST__INIT;
        body.run = run->number;
        body.data = (ProtobufCBinaryData){count, piece};
        code =
            dci_call(DCI_REQUEST(RUN_UPLOAD, run_upload, &body),
                     ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot upload the program", NULL, NULL);
    }
    free(piece);
    if (code == KOV_OK && ferror(file))
        return fail(KOV_FAILED, "cannot read %s: %s", path, strerror(errno));
    return code;
}

// Returns whether the program is a regular file on this host, unless the user wants one in the
// machine.
static bool is_local(const char *path)
{
    struct stat status;
    return !in_machine && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int upload(const struct run *run, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return fail(KOV_FAILED, "cannot read %s: %s", path, strerror(errno));
    int code = upload_file(run, path, file);
    fclose(file);
    return code;
}

static int take_start(void *context, const dci_response *response)
{
    ((struct run *)context)->pid = response->run_start->pid;
    return KOV_OK;
}

static int check_arguments(int count, char *const *arguments)
{
    if (count > ARGUMENTS_MAX)
        return fail(KOV_USAGE, "%d arguments; the machine takes at most %d", count, ARGUMENTS_MAX);
    for (int i = 0; i < count; i++)
        if (strlen(arguments[i]) > ARGUMENT_BYTES_MAX)
            return fail(KOV_USAGE, "argument %d has %zu bytes; the machine takes at most %d", i + 1,
                        strlen(arguments[i]), ARGUMENT_BYTES_MAX);
    return KOV_OK;
}

static int start(struct run *run, const char *program, int count, char **arguments)
{
    Orrery__Dci__RunStartRequest body = ORRERY__DCI__RUN_START_REQUEST__INIT;
    body.run = run->number;
    body.program = (char *)program;
    body.n_arguments = (size_t)count;
    body.arguments = arguments;
    return dci_call(DCI_REQUEST(RUN_START, run_start, &body), ORRERY__DCI__RESPONSE__BODY_RUN_START,
                    "cannot start the program", take_start, run);
}

// Returns the name of an uploaded program: its file's name, without folder and ".elf".
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = memory_copy_text(slash == NULL ? path : slash + 1);
    char *ending = strstr(name, ".elf");
    if (ending != NULL && ending != name && ending[4] == '\0')
        *ending = '\0';
    return name;
}

static int begin(struct run *run, const char *path, int count, char **values)
{
    bool local = is_local(path);
    Orrery__Dci__RunOpenRequest body = ORRERY__DCI__RUN_OPEN_REQUEST__INIT;
    int code =
        dci_call(DCI_REQUEST(RUN_OPEN, run_open, &body), ORRERY__DCI__RESPONSE__BODY_RUN_OPEN,
                 "cannot run a program", take_open, run);
    if (code == KOV_OK && local)
        code = upload(run, path);
    if (code != KOV_OK)
        return code;
    char *name = local ? name_of(path) : memory_copy_text(path);
    code = start(run, name, count, values);
    free(name);
    return code;
}

// Joins the arguments before "--" and after it.
static char **program_arguments(const struct arguments *arguments, int *count)
{
    size_t before = (size_t)(arguments->count - 1), after = (size_t)arguments->workload_count;
    char **values = memory_get((before + after) * sizeof(*values));
    memcpy(values, arguments->values + 1, before * sizeof(*values));
    memcpy(values + before, arguments->workload, after * sizeof(*values));
    *count = (int)(before + after);
    return values;
}

// ---- while it runs -----------------------------------------------------------------------------

static int take_input(void *context, const dci_response *response)
{
    struct run *run = context;
    size_t taken = response->run_input->taken;
    if (taken > run->input_bytes)
        return fail(KOV_CONNECTION, "the machine took more than it was given");
    run->input_bytes -= taken;
    memmove(run->input, run->input + taken, run->input_bytes);
    return KOV_OK;
}

static int send_input(struct run *run)
{
    Orrery__Dci__RunInputRequest body = ORRERY__DCI__RUN_INPUT_REQUEST__INIT;
    body.run = run->number;
    body.data = (ProtobufCBinaryData){run->input_bytes, run->input};
    body.end = run->input_ended;
    int error;
    int code = dci_try(DCI_REQUEST(RUN_INPUT, run_input, &body),
                       ORRERY__DCI__RESPONSE__BODY_RUN_INPUT, take_input, run, INFINITY, &error);
    // It may have ended meanwhile, which its last event tells.
    run->end_told = run->input_ended && (run->input_bytes == 0 || error != 0);
    return code;
}

static int feed(struct run *run)
{
    if (run->ended || run->end_told)
        return KOV_OK;
    if (!run->input_ended && run->input_bytes == 0) {
        long count = no_input ? -1 : terminal_read(run->input, sizeof(run->input));
        run->input_ended = count < 0;
        run->input_bytes = count > 0 ? (size_t)count : 0;
    }
    return run->input_bytes > 0 || run->input_ended ? send_input(run) : KOV_OK;
}

static int kill_it(const struct run *run)
{
    Orrery__Dci__KillRequest body = ORRERY__DCI__KILL_REQUEST__INIT;
    body.pid = run->pid;
    body.status = 1;
    int error;
    return dci_try(DCI_REQUEST(KILL, kill, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET, NULL, NULL,
                   INFINITY, &error);
}

static int wait_for_program(struct run *run, double seconds)
{
    double end = clock_now() + seconds;
    int code = KOV_OK;
    bool killed = false;
    while (code == KOV_OK && !run->ended) {
        if (!killed && (interrupted() || clock_now() > end)) {
            patience_window_over();
            code = kill_it(run);
            killed = true;
        } else if (killed && clock_now() > patience_end()) {
            return fail(KOV_FAILED, "the program does not end");
        }
        if (code == KOV_OK && !killed)
            code = feed(run);
        if (code == KOV_OK)
            code = dci_take(TURN_SECONDS);
    }
    return code;
}

// ---- the end -----------------------------------------------------------------------------------

static void tell(const struct run *run)
{
    json_t *document = json_object();
    bytes_append((struct bytes *)&run->output, "", 1);
    put_u64(document, "pid", run->pid);
    put_s64(document, "status", run->status);
    put_text(document, "output", (const char *)run->output.data);
    document_tell(document, NULL); // people have seen the output
}

static int verdict(const struct run *run)
{
    if (run->status >= 0x10000)
        return fail(KOV_FAILED, "the program was killed by an exception, vector 0x%" PRIx32,
                    run->status - 0x10000);
    if (run->status != 0)
        return fail(KOV_FAILED, "the program ended with status %" PRId32, run->status);
    return KOV_OK;
}

static int run_program(const char *path, int count, char **values)
{
    struct run run = {0};
    interrupt_catch();
    int code = session_begin(true);
    dci_on_event(take_event, &run);
    if (code == KOV_OK)
        code = begin(&run, path, count, values);
    double seconds = limit > 0 ? limit : INFINITY;
    patience_window(seconds);
    if (code == KOV_OK)
        code = wait_for_program(&run, seconds);
    patience_window_over();
    dci_on_event(NULL, NULL);
    if (code == KOV_OK)
        tell(&run);
    if (code == KOV_OK)
        code = verdict(&run);
    bytes_free(&run.output);
    return code;
}

static int run_command(const struct arguments *arguments)
{
    if (arguments->count == 0)
        return fail(KOV_USAGE, "give a program: a file here, or one of the machine's");
    int count;
    char **values = program_arguments(arguments, &count);
    int code = check_arguments(count, values);
    if (code == KOV_OK)
        code = run_program(arguments->values[0], count, values);
    free(values);
    return code;
}

const struct command command_run = {
    .name = "run",
    .synopsis = "[-m] [--no-input] [-d SECONDS] PROGRAM [ARGUMENTS…]",
    .summary = "Run a program in the machine, and print its output",
    .details =
        "PROGRAM is an ELF file here, which is uploaded, or else a program of the machine's, by\n"
        "name or path. Options of the program itself follow the words `--`. Standard input goes\n"
        "to it. Ctrl-C kills it. Exit status 0: the program's was 0.",
    .options = {own_options},
    .max_arguments = 1 << 20,
    .takes_workload = true,
    .run = run_command,
};
