// SPDX-License-Identifier: MIT
// besieged: waits for what it is told, by another of its kind (besieged tell WHAT [N [M]]):
//   begin N    starts all hostile programs, N times each (0: again and again), and the writer
//   kill N     ends each server N times, in turn, and does not wait for that
//   until N M  waits until each has lived N times in all, and the writer has synced M rounds
//   look       says how it goes
//   end        ends all of it
// Each time what was told says how it goes, in one line. It needs all rights, and a disk.
#include "siege.h"

#include <ipc/names.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/thread.h>
#include <waiting.h>

#define NAME "besieged"

enum order { ORDER_BEGIN, ORDER_KILL, ORDER_UNTIL, ORDER_LOOK, ORDER_END, ORDERS };
static const char *const orders[ORDERS] = {"begin", "kill", "until", "look", "end"};

// ---- the one who is told ------------------------------------------------------------------------

static struct mutex lock;
static u32 failures;

static s64 carry_out(enum order order, u32 number, u32 rounds)
{
    switch (order) {
    case ORDER_BEGIN: {
        s64 error = kinds_begin(number);
        return error != 0 ? error : writer_begin();
    }
    case ORDER_KILL:
        return killer_begin(number);
    case ORDER_UNTIL:
        return WAIT_FOR(kinds_least_lives() >= number && writer_rounds() >= rounds) ? 0 : E_TIMEOUT;
    case ORDER_END:
        failures += !kinds_end(); // first, as the writer may need what they have
        writer_end();
        kinds_tell();
        return 0;
    default:
        return 0;
    }
}

static s64 hear(struct ipc_request *request)
{
    if (request->call == 0 || request->words[0] >= ORDERS)
        return E_INVAL;
    mutex_lock(&lock);
    s64 error =
        carry_out((enum order)request->words[0], (u32)request->words[1], (u32)request->words[2]);
    mutex_unlock(&lock);
    request->reply[0] = (u64)kinds_count() << 32 | kinds_least_lives();
    request->reply[1] = (u64)killer_is_busy() << 32 | killer_least_kills();
    request->reply[2] = writer_rounds();
    request->reply[3] = failures + writer_wrong() + killer_failed();
    return error;
}

static int wait_for_orders(void)
{
    s64 endpoint = ipc_endpoint(hear, NULL);

    if (endpoint < 0 || names_register(CAP_NAMES, NAME, (cap_t)endpoint) != 0)
        return 1;
    printf("besieged: ready\n");
    fflush(stdout);
    thread_sleep_until(THREAD_FOREVER);
    return 0;
}

// ---- the one who tells --------------------------------------------------------------------------

static int tell(enum order order, u64 number, u64 rounds)
{
    struct ipc_message message = {.words = {order, number, rounds}};
    const u64 *words = message.words;
    cap_t endpoint;

    s64 error = names_lookup(CAP_NAMES, NAME, &endpoint);
    if (error == 0)
        error = ipc_call(endpoint, &message);
    printf("besieged: error %ld, kinds %u, lives %u, killing %u, kills %u, rounds %u, wrong %u\n",
           (long)error, (u32)(words[0] >> 32), (u32)words[0], (u32)(words[1] >> 32), (u32)words[1],
           (u32)words[2], (u32)words[3]);
    return error != 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "attack") == 0)
        return attack(argv[2]);
    for (u32 i = 0; argc >= 3 && strcmp(argv[1], "tell") == 0 && i < ORDERS; i++)
        if (strcmp(argv[2], orders[i]) == 0)
            return tell((enum order)i, argc > 3 ? strtoul(argv[3], NULL, 10) : 0,
                        argc > 4 ? strtoul(argv[4], NULL, 10) : 0);
    return argc == 1 ? wait_for_orders() : 2;
}
