// SPDX-License-Identifier: MIT
// `kov run`: runs a program in the machine, one of its own or an uploaded one.
#include "commands/commands.h"
#include "machine/program.h"
#include "output/columns.h"
#include "output/document.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "wire/dci.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN_SECONDS 0.02 // between two looks at standard input

static bool no_input, in_machine;
static double limit;
static u64 stack_bytes;

static const struct option own_options[] = {
    FLAG('m', "machine", &in_machine,
         "PROGRAM is the machine's, even if there is such a file here"),
    FLAG(0, "no-input", &no_input, "give it no standard input"),
    PROGRAM_STACK_OPTION(&stack_bytes),
    SECONDS('d', "duration", &limit, 86400, "kill it after so long"),
    OPTIONS_END,
};

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

static int wait_for_program(struct program *program)
{
    int code = KOV_OK;
    while (code == KOV_OK && !program->ended) {
        code = program_attend(program);
        if (code == KOV_OK)
            code = dci_take(TURN_SECONDS);
    }
    return code;
}

static void tell(struct program *program)
{
    json_t *document = json_object();
    bytes_append(&program->output, "", 1);
    put_u64(document, "pid", program->pid);
    put_s64(document, "status", program->status);
    put_text(document, "output", (const char *)program->output.data);
    document_tell(document, NULL); // people have seen the output
}

static int run_program(const char *path, int count, char **values)
{
    bool json = output_form() == OUTPUT_JSON; // the whole output is one text of the document
    struct program program = {.in_machine = in_machine,
                              .no_input = no_input,
                              .stack_bytes = stack_bytes,
                              .out = json ? NULL : stdout};
    double seconds = limit > 0 ? limit : INFINITY;
    interrupt_catch();
    int code = session_begin(true);
    if (code == KOV_OK)
        code = program_open(&program, path, count, values);
    if (code == KOV_OK)
        code = program_start(&program, count, values, seconds);
    patience_window(seconds);
    if (code == KOV_OK)
        code = wait_for_program(&program);
    patience_window_over();
    if (code == KOV_OK)
        tell(&program);
    if (code == KOV_OK)
        code = program_verdict(&program);
    program_free(&program);
    return code;
}

static int run_command(const struct arguments *arguments)
{
    if (arguments->count == 0)
        return fail(KOV_USAGE, "give a program: a file here, or one of the machine's");
    int count;
    char **values = program_arguments(arguments, &count);
    int code = run_program(arguments->values[0], count, values);
    free(values);
    return code;
}

const struct command command_run = {
    .name = "run",
    .synopsis = "[-m] [--no-input] [--stack SIZE] [-d SECONDS] PROGRAM [ARGUMENTS…]",
    .summary = "Run a program in the machine, and print its output",
    .details =
        "PROGRAM is an ELF file here, which is uploaded, or else a program of the machine's, by\n"
        "name or path; also if the file here is for another processor, as /bin/cat is. Options of\n"
        "the program itself follow the words `--`. Standard input goes to it. Ctrl-C ends\n"
        "it. The exit status is the program's; 124 if -d ended it, 130 if Ctrl-C did, 139 if an\n"
        "exception did, as when its stack is too small: the program says how large it is, or 1 MB\n"
        "is taken. `kov stat -- run PROGRAM`, and so on, measure while it runs; of the options\n"
        "here only --stack can stand behind that `run`, before PROGRAM.",
    .options = {own_options},
    .max_arguments = 1 << 20,
    .takes_workload = true,
    .run = run_command,
};
