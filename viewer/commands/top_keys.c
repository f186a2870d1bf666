// SPDX-License-Identifier: MIT
// The keys of `kov top`.
#include "commands/top.h"
#include "tools/terminal.h"

#include <inttypes.h>
#include <stdio.h>

#define KEYS_BYTES 64

// Asks for another threshold. The machine pushes what it has changed. The request follows that
// push, not our choice.
static int change(struct top *top, bool up)
{
    const struct sampled_event *event = &top->request.events.events[top->shown];
    u64 minimum = sampling_min_period(&top->request);
    u64 period = up ? event->period * 2 : event->period / 2;
    period = period < minimum ? minimum : period > SYS_PERIOD_MAX ? SYS_PERIOD_MAX : period;
    if (period == event->period) {
        snprintf(top->note, sizeof(top->note), "the threshold of %s must be %" PRIu64 " to %d",
                 event->name, minimum, SYS_PERIOD_MAX);
        return KOV_OK;
    }
    int code = sampling_change(&sampling_options, top->shown, period);
    if (code == KOV_OK)
        snprintf(top->note, sizeof(top->note), "%s: a sample every %" PRIu64, event->name, period);
    return code;
}

static int take_key(struct top *top, u8 key)
{
    u32 count = top->request.events.count;
    top->note[0] = '\0'; // any other key shows the help again
    if (key == 'q')
        top->quit = true;
    else if (key == '+' || key == '-')
        return change(top, key == '+');
    else if (key == '\t')
        top->shown = (top->shown + 1) % count;
    else if (key >= '1' && key < '1' + count)
        top->shown = key - '1';
    return KOV_OK;
}

int top_keys(struct top *top)
{
    u8 keys[KEYS_BYTES];
    int code = KOV_OK;
    long count = terminal_read(keys, sizeof(keys));
    for (long i = 0; i < count && code == KOV_OK; i++)
        code = take_key(top, keys[i]);
    return code;
}
