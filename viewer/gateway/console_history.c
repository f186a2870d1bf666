// SPDX-License-Identifier: MIT
// The end of what a machine has printed on its console.
#include "gateway/console_history.h"
#include "tools/clock.h"

#include <string.h>

#define TYPE_SECONDS 1.0
#define TURN_SECONDS 0.05

static int take_position(void *context, const dci_response *response)
{
    struct console_history *console = context;
    u64 position = response->console_attach->position, end = console->begin + console->output.size;
    if (position != end) { // the machine has not kept what came between
        console->lost += position > end ? position - end : 0;
        console->output.size = 0;
        console->begin = position;
    }
    return KOV_OK;
}

int console_history_attach(struct console_history *console)
{
    Orrery__Dci__ConsoleAttachRequest body = ORRERY__DCI__CONSOLE_ATTACH_REQUEST__INIT;
    body.from = console->begin + console->output.size;
    return dci_call(DCI_REQUEST(CONSOLE_ATTACH, console_attach, &body),
                    ORRERY__DCI__RESPONSE__BODY_CONSOLE_ATTACH, "cannot attach to the console",
                    take_position, console);
}

void console_history_take(struct console_history *console, const Orrery__Dci__ConsoleOutput *output)
{
    struct bytes *kept = &console->output;
    if (output->position != console->begin + kept->size) {
        console->lost += output->position - (console->begin + kept->size);
        console->begin = output->position;
        kept->size = 0;
    }
    bytes_append(kept, output->data.data, output->data.len);
    if (kept->size > CONSOLE_HISTORY_BYTES) {
        size_t gone = kept->size - CONSOLE_HISTORY_BYTES / 2;
        memmove(kept->data, kept->data + gone, kept->size - gone);
        kept->size -= gone;
        console->begin += gone;
    }
}

static int take_taken(void *context, const dci_response *response)
{
    *(size_t *)context = response->console_input->taken;
    return KOV_OK;
}

int console_history_type(const char *text)
{
    size_t size = strlen(text), taken = 0;
    double end = clock_now() + TYPE_SECONDS;
    while (size > 0 && clock_now() < end) {
        Orrery__Dci__ConsoleInputRequest body = ORRERY__DCI__CONSOLE_INPUT_REQUEST__INIT;
        body.data = (ProtobufCBinaryData){size, (u8 *)text};
        int code = dci_call(DCI_REQUEST(CONSOLE_INPUT, console_input, &body),
                            ORRERY__DCI__RESPONSE__BODY_CONSOLE_INPUT, "cannot type at the console",
                            take_taken, &taken);
        if (code == KOV_OK && taken == 0)
            code = dci_listen(TURN_SECONDS);
        if (code != KOV_OK)
            return code;
        taken = taken > size ? size : taken;
        text += taken;
        size -= taken;
    }
    return size == 0 ? KOV_OK : fail(KOV_FAILED, "the console takes no more");
}

void console_history_clear(struct console_history *console)
{
    bytes_free(&console->output);
    *console = (struct console_history){0};
}
