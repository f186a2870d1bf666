// SPDX-License-Identifier: MIT
// The client role: a process that calls without end.
#include "check.h"
#include "peer.h"

#include <string.h>

int client_main(const char *what)
{
    struct ipc_message hello = {.words = {0}};
    u64 seed = 1;

    if (ipc_call(CAP_PARENT, &hello) != 0)
        return 2;
    for (;;) {
        s64 status = strcmp(what, "keeper") == 0
                         ? call_simple(SLOT_GIVEN, OP_KEEP, 0, NULL)
                         : call_echo(SLOT_GIVEN, seed, (u32)random_below(&seed, 600));
        seed++;
        if (status != 0 || check_failures() != 0)
            return 3;
    }
}
