// SPDX-License-Identifier: MIT
// How long kov waits for the machine.
#include "wire/patience.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "wire/link_state.h"

#include <math.h>

void patience_begin(void)
{
    struct patience *patience = &link_now()->patience;
    patience->end = clock_now() + settings.timeout;
    patience->in_window = false;
    patience->reconnect_cost = 0;
}

// Returns when the window ends. Ctrl-C ends a window of any length.
static double end_of_window(const struct patience *patience)
{
    return interrupted() ? fmin(patience->window_end, interrupt_time()) : patience->window_end;
}

double patience_end(void)
{
    const struct patience *patience = &link_now()->patience;
    if (link_ended())
        return 0;
    if (patience->reconnecting)
        return patience->reconnect_end;
    if (!patience->in_window)
        return patience->end;
    double over = end_of_window(patience);
    return (isinf(over) ? clock_now() : over) + patience->left;
}

void patience_window(double seconds)
{
    struct patience *patience = &link_now()->patience;
    double now = clock_now();
    patience->left = patience->end - now;
    patience->window_end = now + seconds;
    patience->in_window = true;
}

void patience_window_over(void)
{
    struct patience *patience = &link_now()->patience;
    if (patience->in_window)
        patience->end = fmin(clock_now(), end_of_window(patience)) + patience->left;
    patience->in_window = false;
}

// Returns until when a reconnect is free. It is free as long as the window goes on.
static double free_until(const struct patience *patience, double now)
{
    return patience->in_window ? fmax(now, end_of_window(patience)) : now;
}

void patience_reconnect(double seconds)
{
    struct patience *patience = &link_now()->patience;
    double now = clock_now();
    patience->reconnecting = true;
    patience->reconnect_begin = now;
    patience->reconnect_end =
        fmin(now + seconds, free_until(patience, now) + seconds - patience->reconnect_cost);
}

void patience_reconnected(void)
{
    struct patience *patience = &link_now()->patience;
    double cost = fmax(0, clock_now() - free_until(patience, patience->reconnect_begin));
    patience->reconnecting = false;
    patience->reconnect_cost += cost;
    patience->end += cost;
    patience->left += cost;
}
