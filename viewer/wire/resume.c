// SPDX-License-Identifier: MIT
// A connection that is lost is taken up again.
#include "wire/resume.h"
#include "output/progress.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <inttypes.h>
#include <math.h>

#define FIRST_PAUSE 0.1 // seconds, doubled after each attempt
#define LONGEST_PAUSE 2.0

static resume_handler *handler;
static void *handler_context;
static bool under_way;
static struct resume_account account;

void resume_begin(resume_handler *what, void *context)
{
    handler = what;
    handler_context = context;
}

int resume_nothing(void *context)
{
    (void)context;
    return KOV_OK;
}

void resume_end(void)
{
    handler = NULL;
}

bool resume_possible(void)
{
    return handler != NULL && !under_way && !settings.no_reconnect;
}

static int attempt(void)
{
    session_end();
    int code = session_begin(true);
    return code == KOV_OK ? handler(handler_context) : code;
}

// Attempts with pauses; only the last one's failure is printed.
static int attempt_until(double end)
{
    for (double pause = FIRST_PAUSE;; pause = fmin(pause * 2, LONGEST_PAUSE)) {
        bool last = interrupted() || clock_now() + pause >= end;
        message_quiet(!last);
        int code = attempt();
        message_quiet(false);
        if (code == KOV_OK || last)
            return code;
        interrupt_sleep(pause);
    }
}

int resume(void)
{
    double begin = clock_now();
    under_way = true;
    progress_end();
    warn("the connection is lost; trying to connect again (for %g s)", settings.reconnect);
    patience_reconnect(settings.reconnect);
    int code = attempt_until(patience_end());
    patience_reconnected();
    under_way = false;
    account.times++;
    account.seconds += clock_now() - begin;
    if (code == KOV_OK)
        warn("connected again after %.1f s", clock_now() - begin);
    return code;
}

const struct resume_account *resume_account(void)
{
    return &account;
}

void resume_print(void)
{
    if (account.times > 0)
        printf("the connection was lost %" PRIu64 " times, for %.1f s in all\n", account.times,
               account.seconds);
}
