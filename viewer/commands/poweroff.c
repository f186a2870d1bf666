// SPDX-License-Identifier: MIT
// `kov poweroff`: switches the machine off, which ends the emulator.
#include "commands/commands.h"
#include "output/columns.h"
#include "wire/session.h"

static int run(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    Orrery__Dci__PowerOffRequest body = ORRERY__DCI__POWER_OFF_REQUEST__INIT;
    code = dci_call(DCI_REQUEST(POWER_OFF, power_off, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot power off", NULL, NULL);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    put_bool(document, "powered_off", true);
    document_tell(document, NULL);
    return KOV_OK;
}

const struct command command_poweroff = {
    .name = "poweroff",
    .synopsis = "",
    .summary = "Power the machine off",
    .run = run,
};
