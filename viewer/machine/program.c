// SPDX-License-Identifier: MIT
// A program that runs in the machine for this client.
#include "machine/program.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/lines.h"
#include "tools/terminal.h"
#include "wire/dci.h"
#include "wire/patience.h"
#include "wire/resume.h"
#include "wire/session.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ARGUMENTS_MAX 32 // limit of RunStartRequest (proto/dci.options), as is the next
#define ARGUMENT_BYTES_MAX 255

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct program *program = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_RUN_ENDED) {
        program->status = event->run_ended->status;
        program->ended = true;
        return KOV_OK;
    }
    const ProtobufCBinaryData *data = &event->run_output->data;
    if (program->out == NULL) {
        bytes_append(&program->output, data->data, data->len);
        return KOV_OK;
    }
    bool before = lines_as_they_are(true);
    fwrite(data->data, 1, data->len, program->out);
    bool written = fflush(program->out) == 0;
    lines_as_they_are(before); // a measurement's tables follow
    return written ? KOV_OK : fail(KOV_FAILED, "cannot write the output");
}

// ---- its place and its file --------------------------------------------------------------------

static int take_open(void *context, const dci_response *response)
{
    ((struct program *)context)->number = response->run_open->run;
    return KOV_OK;
}

static int upload_file(const struct program *program, const char *path, FILE *file)
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
        body.run = program->number;
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

// Returns whether a file is a program of this host, or of any other machine: /bin/cat is here, too,
// but means the machine's.
static bool is_foreign(const char *path)
{
    unsigned char head[EI_NIDENT + 4] = {0}; // e_ident, e_type, e_machine
    FILE *file = fopen(path, "rbe");
    size_t count = file == NULL ? 0 : fread(head, 1, sizeof(head), file);
    if (file != NULL)
        fclose(file);
    bool big = head[EI_DATA] == ELFDATA2MSB;
    const unsigned char *of = head + EI_NIDENT + 2;
    return count == sizeof(head) && memcmp(head, ELFMAG, SELFMAG) == 0 &&
           !(big && (of[0] << 8 | of[1]) == EM_PPC64);
}

// Returns whether the program is a file on this host that may run in the machine, unless the user
// wants one of the machine's own.
static bool is_local(const struct program *program)
{
    struct stat status;
    if (program->in_machine || stat(program->path, &status) != 0)
        return false;
    return S_ISFIFO(status.st_mode) || (S_ISREG(status.st_mode) && !is_foreign(program->path));
}

// Tells what else the name means here, once the machine has no such program.
static void tell_of_file(const struct program *program)
{
    const char *path = program->path;
    struct stat status;
    if (program->in_machine || stat(path, &status) != 0)
        return;
    if (S_ISDIR(status.st_mode))
        warn("%s is a folder here", path);
    else if (S_ISREG(status.st_mode) && is_foreign(path))
        warn("%s is a program for another processor here", path);
}

static int upload(const struct program *program)
{
    FILE *file = fopen(program->path, "rb");
    if (file == NULL)
        return fail(KOV_FAILED, "cannot read %s: %s", program->path, strerror(errno));
    int code = upload_file(program, program->path, file);
    fclose(file);
    return code;
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

int program_open(struct program *program, const char *path, int count, char *const *arguments)
{
    program->path = path;
    int code = check_arguments(count, arguments);
    if (code != KOV_OK)
        return code;
    dci_on_run(take_event, program);
    Orrery__Dci__RunOpenRequest body = ORRERY__DCI__RUN_OPEN_REQUEST__INIT;
    code = dci_call(DCI_REQUEST(RUN_OPEN, run_open, &body), ORRERY__DCI__RESPONSE__BODY_RUN_OPEN,
                    "cannot run a program", take_open, program);
    program->uploaded = is_local(program);
    if (code == KOV_OK && program->uploaded)
        code = upload(program);
    return code;
}

// ---- its start ---------------------------------------------------------------------------------

static int take_start(void *context, const dci_response *response)
{
    ((struct program *)context)->pid = response->run_start->pid;
    return KOV_OK;
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

int program_start(struct program *program, int count, char **arguments, double seconds)
{
    bool local = program->uploaded;
    char *name = local ? name_of(program->path) : memory_copy_text(program->path);
    Orrery__Dci__RunStartRequest body = ORRERY__DCI__RUN_START_REQUEST__INIT;
    body.run = program->number;
    body.program = name;
    body.stack_bytes = program->stack_bytes;
    body.n_arguments = (size_t)count;
    body.arguments = arguments;
    program->kill_by = clock_now() + seconds;
    program->connections = resume_account()->times;
    int code =
        dci_call(DCI_REQUEST(RUN_START, run_start, &body), ORRERY__DCI__RESPONSE__BODY_RUN_START,
                 "cannot start the program", take_start, program);
    free(name);
    if (code == KOV_FAILED && !local)
        tell_of_file(program);
    return code;
}

// ---- while it runs -----------------------------------------------------------------------------

static int take_input(void *context, const dci_response *response)
{
    struct program *program = context;
    size_t taken = response->run_input->taken;
    if (taken > program->input_bytes)
        return fail(KOV_CONNECTION, "the machine took more than it was given");
    program->input_bytes -= taken;
    memmove(program->input, program->input + taken, program->input_bytes);
    return KOV_OK;
}

static int send_input(struct program *program)
{
    Orrery__Dci__RunInputRequest body = ORRERY__DCI__RUN_INPUT_REQUEST__INIT;
    body.run = program->number;
    body.data = (ProtobufCBinaryData){program->input_bytes, program->input};
    body.end = program->input_ended;
    int error;
    int code =
        dci_try(DCI_REQUEST(RUN_INPUT, run_input, &body), ORRERY__DCI__RESPONSE__BODY_RUN_INPUT,
                take_input, program, INFINITY, &error);
    // It may have ended meanwhile, which its last event tells.
    program->end_told = program->input_ended && (program->input_bytes == 0 || error != 0);
    return code;
}

static int feed(struct program *program)
{
    if (program->ended || program->end_told)
        return KOV_OK;
    if (!program->input_ended && program->input_bytes == 0) {
        long count = program->no_input ? -1 : terminal_read(program->input, sizeof(program->input));
        program->input_ended = count < 0;
        program->input_bytes = count > 0 ? (size_t)count : 0;
    }
    return program->input_bytes > 0 || program->input_ended ? send_input(program) : KOV_OK;
}

static int end_it(struct program *program)
{
    Orrery__Dci__KillRequest body = ORRERY__DCI__KILL_REQUEST__INIT;
    body.pid = program->pid;
    body.status = PROGRAM_KILLED;
    int error;
    program->ended_for = interrupted() ? PROGRAM_INTERRUPTED : PROGRAM_LIMIT;
    patience_window_over();
    return dci_try(DCI_REQUEST(KILL, kill, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET, NULL, NULL,
                   INFINITY, &error);
}

int program_attend(struct program *program)
{
    if (program->ended)
        return KOV_OK;
    if (resume_account()->times != program->connections)
        return fail(KOV_CONNECTION, "the program ended with the connection");
    if (program->ended_for != 0)
        return clock_now() > patience_end() ? fail(KOV_FAILED, "the program does not end") : KOV_OK;
    if (interrupted() || clock_now() > program->kill_by)
        return end_it(program);
    return feed(program);
}

// ---- the end -----------------------------------------------------------------------------------

int program_verdict(const struct program *program)
{
    bool killed = program->status == PROGRAM_KILLED; // it may have ended by itself just before
    if (killed && program->ended_for == PROGRAM_LIMIT)
        return fail(PROGRAM_LIMIT, "the program was ended, as its time was over");
    if (killed && program->ended_for == PROGRAM_INTERRUPTED)
        return fail(PROGRAM_INTERRUPTED, "the program was ended by Ctrl-C");
    if (program->status >= 0x10000)
        return fail(PROGRAM_CRASHED, "the program was killed by an exception, vector 0x%" PRIx32,
                    program->status - 0x10000);
    if (program->status == 0)
        return KOV_OK;
    bool fits = program->status > 0 && program->status <= 255;
    return fail(fits ? program->status : KOV_FAILED, "the program ended with status %" PRId32,
                program->status);
}

void program_free(struct program *program)
{
    dci_on_run(NULL, NULL);
    bytes_free(&program->output);
}
