// SPDX-License-Identifier: MIT
// `kov poweroff`: switches the machine off, which ends the emulator.
#include "commands/commands.h"
#include "output/json.h"
#include "wire/session.h"

static int run(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    Orrery__Dci__PowerOffRequest body = ORRERY__DCI__POWER_OFF_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_POWER_OFF;
    request.power_off = &body;
    code = dci_call(&request, ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot power off", NULL, NULL);
    if (code == KOV_OK && settings.json) {
        struct json json = json_begin(stdout);
        json_bool(&json, "powered_off", true);
        json_end(&json);
    }
    return code;
}

const struct command command_poweroff = {
    .name = "poweroff",
    .synopsis = "",
    .summary = "Power the machine off",
    .run = run,
};
