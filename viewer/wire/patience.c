// SPDX-License-Identifier: MIT
// How long kov waits for the machine.
#include "wire/patience.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/kov.h"

#include <math.h>

static double end;  // outside of windows
static double left; // at the window's begin
static double window_end;
static bool in_window;
static bool reconnecting;
static double reconnect_begin, reconnect_end;
static double reconnect_cost; // of all times so far, outside of windows

void patience_begin(void)
{
    end = clock_now() + settings.timeout;
    in_window = false;
    reconnect_cost = 0;
}

// Ctrl-C ends a window of any length.
static double end_of_window(void)
{
    return interrupted() ? fmin(window_end, interrupt_time()) : window_end;
}

double patience_end(void)
{
    if (reconnecting)
        return reconnect_end;
    if (!in_window)
        return end;
    double over = end_of_window();
    return (isinf(over) ? clock_now() : over) + left;
}

void patience_window(double seconds)
{
    double now = clock_now();
    left = end - now;
    window_end = now + seconds;
    in_window = true;
}

void patience_window_over(void)
{
    if (in_window)
        end = fmin(clock_now(), end_of_window()) + left;
    in_window = false;
}

// The window may go on meanwhile.
static double free_until(double now)
{
    return in_window ? fmax(now, end_of_window()) : now;
}

void patience_reconnect(double seconds)
{
    double now = clock_now();
    reconnecting = true;
    reconnect_begin = now;
    reconnect_end = fmin(now + seconds, free_until(now) + seconds - reconnect_cost);
}

void patience_reconnected(void)
{
    double cost = fmax(0, clock_now() - free_until(reconnect_begin));
    reconnecting = false;
    reconnect_cost += cost;
    end += cost;
    left += cost;
}
