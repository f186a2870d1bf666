// SPDX-License-Identifier: MIT
// Takes up a lost connection again.
#include "wire/resume.h"
#include "output/progress.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "wire/link_state.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <inttypes.h>
#include <math.h>

#define FIRST_PAUSE 0.1 // seconds, doubled after each attempt
#define LONGEST_PAUSE 2.0

void resume_begin(resume_handler *handler, void *context)
{
    struct resumption *resumption = &link_now()->resumption;
    resumption->handler = handler;
    resumption->context = context;
}

int resume_nothing(void *context)
{
    (void)context;
    return KOV_OK;
}

void resume_end(void)
{
    link_now()->resumption.handler = NULL;
}

bool resume_possible(void)
{
    const struct resumption *resumption = &link_now()->resumption;
    return resumption->handler != NULL && !resumption->under_way && !settings.no_reconnect;
}

static int attempt(void)
{
    const struct resumption *resumption = &link_now()->resumption;
    session_end();
    int code = session_begin(true);
    return code == KOV_OK ? resumption->handler(resumption->context) : code;
}

// Attempts to connect, with pauses in between. Prints only the last failure.
static int attempt_until(double end)
{
    for (double pause = FIRST_PAUSE;; pause = fmin(pause * 2, LONGEST_PAUSE)) {
        bool last = interrupted() || link_ended() || clock_now() + pause >= end;
        message_quiet(!last);
        int code = attempt();
        message_quiet(false);
        if (code == KOV_OK || last)
            return code;
        link_sleep(pause);
    }
}

int resume(void)
{
    struct resumption *resumption = &link_now()->resumption;
    double begin = clock_now();
    resumption->under_way = true;
    progress_end();
    warn("the connection is lost; trying to connect again (for %g s)", settings.reconnect);
    patience_reconnect(settings.reconnect);
    int code = attempt_until(patience_end());
    patience_reconnected();
    resumption->under_way = false;
    resumption->account.times++;
    resumption->account.seconds += clock_now() - begin;
    if (code == KOV_OK)
        warn("connected again after %.1f s", clock_now() - begin);
    return code;
}

const struct resume_account *resume_account(void)
{
    return &link_now()->resumption.account;
}

void resume_print(void)
{
    const struct resume_account *account = resume_account();
    if (account->times > 0)
        printf("the connection was lost %" PRIu64 " times, for %.1f s in all\n", account->times,
               account->seconds);
}
