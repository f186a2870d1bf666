// SPDX-License-Identifier: MIT
// `kov console`: the machine's console, its output and, for a controller, its input.
#include "commands/commands.h"
#include "symbols/report_places.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/lines.h"
#include "tools/options.h"
#include "tools/terminal.h"
#include "wire/dci.h"
#include "wire/patience.h"
#include "wire/resume.h"
#include "wire/session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define TURN_SECONDS 0.02
#define INPUT_BYTES 1024

static double limit;
static bool no_input;
static const char *file;

static const struct option own_options[] = {
    SECONDS('d', "duration", &limit, 86400, "how long (until Ctrl-C)"),
    FLAG(0, "no-input", &no_input, "only show"),
    TEXT('f', "file", &file, "FILE", "show this output of a machine, of one that panicked"),
    OPTIONS_END,
};

struct console {
    u64 position; // of the next byte
    u64 lost;     // bytes that were printed, but that the machine did not keep long enough
    bool input;
    struct report_places places;
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct console *console = context;
    if (event->body_case != ORRERY__DCI__EVENT__BODY_CONSOLE)
        return KOV_OK;
    const Orrery__Dci__ConsoleOutput *output = event->console;
    if (output->position > console->position)
        console->lost += output->position - console->position;
    console->position = output->position + output->data.len;
    lines_as_they_are(true);
    report_places_write(&console->places, (const char *)output->data.data, output->data.len,
                        stdout);
    return fflush(stdout) == 0 ? KOV_OK : fail(KOV_FAILED, "cannot write the output");
}

static int take_position(void *context, const dci_response *response)
{
    struct console *console = context;
    u64 position = response->console_attach->position;
    if (console->position != 0 && position > console->position)
        console->lost += position - console->position;
    console->position = position;
    return KOV_OK;
}

static int attach(void *context)
{
    struct console *console = context;
    Orrery__Dci__ConsoleAttachRequest body = ORRERY__DCI__CONSOLE_ATTACH_REQUEST__INIT;
    body.from = console->position;
    return dci_call(DCI_REQUEST(CONSOLE_ATTACH, console_attach, &body),
                    ORRERY__DCI__RESPONSE__BODY_CONSOLE_ATTACH, "cannot attach to the console",
                    take_position, console);
}

static int take_taken(void *context, const dci_response *response)
{
    *(size_t *)context = response->console_input->taken;
    return KOV_OK;
}

// Types all of it, as fast as the console takes it.
static int type(const u8 *data, size_t size, double end)
{
    while (size > 0 && !interrupted() && clock_now() < end) {
        size_t taken = 0;
        Orrery__Dci__ConsoleInputRequest body = ORRERY__DCI__CONSOLE_INPUT_REQUEST__INIT;
        body.data = (ProtobufCBinaryData){size, (u8 *)data};
        dci_request request = ORRERY__DCI__REQUEST__INIT;
        request.body_case = ORRERY__DCI__REQUEST__BODY_CONSOLE_INPUT;
        request.console_input = &body;
        int code = dci_call(&request, ORRERY__DCI__RESPONSE__BODY_CONSOLE_INPUT,
                            "cannot type at the console", take_taken, &taken);
        if (code == KOV_OK && taken == 0)
            code = dci_listen(TURN_SECONDS);
        if (code != KOV_OK)
            return code;
        taken = taken > size ? size : taken;
        data += taken;
        size -= taken;
    }
    return KOV_OK;
}

static int attend(struct console *console)
{
    int code = attach(console);
    double length = limit > 0 ? limit : INFINITY, end = clock_now() + length;
    resume_begin(attach, console);
    patience_window(length);
    while (code == KOV_OK && !interrupted() && clock_now() < end) {
        u8 buffer[INPUT_BYTES];
        long count = console->input ? terminal_read(buffer, sizeof(buffer)) : 0;
        console->input = console->input && count >= 0;
        if (count > 0)
            code = type(buffer, (size_t)count, end);
        if (code == KOV_OK)
            code = dci_listen(fmin(TURN_SECONDS, end - clock_now()));
    }
    patience_window_over();
    resume_end();
    return code;
}

// Shows what QEMU has printed. It names no build id, so the image is the one of the settings or the
// first that is found.
static int show_file(void)
{
    char buffer[INPUT_BYTES];
    struct report_places places = {0};
    FILE *in = fopen(file, "r");
    if (in == NULL)
        return fail(KOV_FAILED, "%s: %s", file, strerror(errno));
    lines_as_they_are(true);
    for (size_t count; (count = fread(buffer, 1, sizeof(buffer), in)) > 0;)
        report_places_write(&places, buffer, count, stdout);
    bool failed = ferror(in) != 0;
    fclose(in);
    report_places_close(&places);
    if (failed || fflush(stdout) != 0)
        return fail(KOV_FAILED, failed ? "cannot read %s" : "cannot write what %s has", file);
    return KOV_OK;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    if (file != NULL)
        return show_file();
    struct console console = {.input = !no_input};
    interrupt_catch();
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    if (session_hello()->role != ORRERY__DCI__ROLE__ROLE_CONTROLLER)
        console.input = false;
    const Orrery__Dci__SystemInfo *system = session_hello()->system;
    if (system != NULL)
        kernel_use_build_id(&console.places.kernel, system->build_id.data, system->build_id.len);
    if (console.input)
        terminal_raw();
    dci_on_event(take_event, &console);
    code = attend(&console);
    dci_on_event(NULL, NULL);
    terminal_restore();
    report_places_close(&console.places);
    if (console.lost > 0)
        warn("%" PRIu64 " bytes of output were lost", console.lost);
    return code;
}

const struct command command_console = {
    .name = "console",
    .synopsis = "[-d SECONDS] [--no-input] [-f FILE]",
    .summary = "Attach to the machine's console",
    .details =
        "Shows what was printed last and what is printed from now on. With the controller's\n"
        "token what is typed goes to the machine. Ctrl-C ends it. Lines of crash reports, panics\n"
        "and lockups that tell an address of code get its file and line, if the images are beside\n"
        "kov, in build/ or named. A kernel that has panicked answers nobody: -f FILE shows what\n"
        "the emulator has printed.",
    .options = {own_options},
    .run = run,
};
