// SPDX-License-Identifier: MIT
// A session with the machine: connection, hello, and what the hello told.
#include "wire/session.h"
#include "tools/clock.h"
#include "wire/link_state.h"
#include "wire/patience.h"
#include "wire/token.h"

#include <math.h>
#include <orrery/errors.h>
#include <stdlib.h>

#define FIRST_PATIENCE 0.5 // seconds

static void forget_hello(void)
{
    struct link *link = link_now();
    if (link->hello != NULL)
        orrery__dci__hello_reply__free_unpacked(link->hello, NULL);
    link->hello = NULL;
}

// Keeps a copy of the reply, which belongs to its frame. A second reply replaces the first.
static int keep_hello(void *context, const dci_response *response)
{
    struct link *link = link_now();
    (void)context;
    forget_hello();
    u8 *packed = memory_get(orrery__dci__hello_reply__get_packed_size(response->hello));
    size_t size = orrery__dci__hello_reply__pack(response->hello, packed);
    link->hello = orrery__dci__hello_reply__unpack(NULL, size, packed);
    free(packed);
    return link->hello != NULL ? KOV_OK : fail(KOV_FAILED, "out of memory");
}

static int report_hello_error(int error)
{
    if (error == E_PERM)
        return token_refused();
    if (error == E_NOTSUP)
        return fail(KOV_CONNECTION,
                    "the machine does not speak version %d of the protocol, as this kov does",
                    SESSION_PROTOCOL_VERSION);
    if (error == E_TIMEOUT)
        return fail(KOV_CONNECTION, "no answer within %g s (--timeout)", settings.timeout);
    return fail(KOV_CONNECTION, "the machine refuses: %s (%s)", dci_refusal(),
                orrery_strerror(error));
}

// Connects and says hello. The emulator accepts connections for a machine that is still booting,
// and such a connection may stay silent for long. So this function replaces a silent connection by
// a new one, each time after a longer wait.
static int reach_machine(void)
{
    double end = patience_end();
    Orrery__Dci__HelloRequest body = ORRERY__DCI__HELLO_REQUEST__INIT;
    body.version = SESSION_PROTOCOL_VERSION;
    body.token = (char *)token_now();
    for (double patience = FIRST_PATIENCE;; patience *= 2) {
        int error = 0;
        int code = dci_open();
        if (code == KOV_OK)
            code = dci_try(DCI_REQUEST(HELLO, hello, &body), ORRERY__DCI__RESPONSE__BODY_HELLO,
                           keep_hello, NULL, fmin(patience, end - clock_now()), &error);
        if (code != KOV_OK)
            return code;
        if (error == 0)
            return KOV_OK;
        if (error != E_TIMEOUT || clock_now() >= end)
            return report_hello_error(error);
        dci_close();
    }
}

static int check_hello(bool need_role)
{
    const Orrery__Dci__HelloReply *hello = session_hello();
    if (hello == NULL || hello->version != SESSION_PROTOCOL_VERSION)
        return report_hello_error(E_NOTSUP);
    if (need_role && hello->system == NULL)
        return fail(KOV_CONNECTION,
                    "without a token the machine tells nothing but hello; give one with "
                    "--token or ORRERY_TOKEN");
    return KOV_OK;
}

int session_begin(bool need_role)
{
    int code = reach_machine();
    return code == KOV_OK ? check_hello(need_role) : code;
}

void session_end(void)
{
    dci_close();
    forget_hello();
}

const Orrery__Dci__HelloReply *session_hello(void)
{
    return link_now()->hello;
}

const dci_system_info *session_machine(void)
{
    const Orrery__Dci__HelloReply *hello = session_hello();
    return hello == NULL ? NULL : hello->system;
}

int session_describe(void)
{
    Orrery__Dci__SystemRequest body = ORRERY__DCI__SYSTEM_REQUEST__INIT;
    return dci_call(DCI_REQUEST(SYSTEM, system, &body), ORRERY__DCI__RESPONSE__BODY_SYSTEM,
                    "cannot ask for the system", NULL, NULL);
}
