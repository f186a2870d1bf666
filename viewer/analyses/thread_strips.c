// SPDX-License-Identifier: MIT
// Puts strips of threads into a document.
#include "analyses/thread_strips.h"
#include "tools/memory.h"
#include "analyses/trace_tool.h"

#include <stdlib.h>
#include <string.h>
#include <trace/reasons.h>

// The first letter of the reason's name, unless another reason has it.
static const char letters[REASONS] = {
    [REASON_CALL] = 'c',  [REASON_REPLY] = 'r',   [REASON_ANSWER] = 'a',
    [REASON_EVENT] = 'e', [REASON_MESSAGE] = 'm', [REASON_LOCK] = 'l',
    [REASON_PAGE] = 'p',  [REASON_TIME] = 't',    [REASON_OTHER] = 'o'};

char thread_strips_letter(u64 reason)
{
    return reason < REASONS ? letters[reason] : 0;
}

void thread_strips_put(json_t *row, const struct strips *strips, const struct strip *strip,
                       bool ascii, u64 hz)
{
    char text[STRIP_TEXT_BYTES];
    u64 runs = strip->counts[STRIP_RUN], run = strip->ticks[STRIP_RUN];
    strips_text(strips, strip, ascii, text);
    put_text(row, "strip", text);
    put_u64(row, "runs", runs);
    trace_tool_put_time(row, "run", (double)run, hz);
    trace_tool_put_time(row, "mean_slice", runs == 0 ? 0 : (double)run / (double)runs, hz);
    trace_tool_put_time(row, "longest_slice", (double)strip->longest[STRIP_RUN], hz);
    trace_tool_put_time(row, "ready", (double)strip->ticks[STRIP_READY], hz);
    trace_tool_put_time(row, "longest_ready", (double)strip->longest[STRIP_READY], hz);
    trace_tool_put_time(row, "blocked", (double)strip->ticks[STRIP_BLOCKED], hz);
    trace_tool_put_time(row, "unknown", (double)strip->ticks[STRIP_UNKNOWN], hz);
}

void thread_strips_put_cells(json_t *document, const struct strips *strips, u64 hz)
{
    put_u64(document, "cells", strips->cells);
    trace_tool_put_time(document, "cell",
                        (double)(strips->to - strips->from) / (double)strips->cells, hz);
}

static int read_meter(const char *text, u64 begin, u64 hz, u64 times[2])
{
    const char *comma = strchr(text, ',');
    if (comma == NULL)
        return fail(KOV_USAGE, "--meter %s: must be A,B, two times", text);
    char *first = memory_copy_text(text);
    first[comma - text] = '\0';
    int code = trace_time_read("meter", first, hz, begin, &times[0]);
    if (code == KOV_OK)
        code = trace_time_read("meter", comma + 1, hz, begin, &times[1]);
    free(first);
    return code;
}

int thread_strips_put_meter(json_t *document, const struct strips *strips, const char *meter,
                            u64 begin, u64 hz)
{
    char line[STRIP_CELLS_MAX + 1];
    u64 times[2];
    u32 cell;
    int code = meter != NULL ? read_meter(meter, begin, hz, times) : KOV_OK;
    if (code != KOV_OK || meter == NULL)
        return code;
    memset(line, ' ', strips->cells);
    line[strips->cells] = '\0';
    for (u32 i = 0; i < 2; i++)
        if (strips_cell(strips, times[i], &cell))
            line[cell] = (char)('A' + i);
    json_t *row = put_object(document, "meter");
    u64 apart = times[1] > times[0] ? times[1] - times[0] : times[0] - times[1];
    put_text(row, "strip", line);
    trace_tool_put_time(row, "apart", (double)apart, hz);
    return KOV_OK;
}

void thread_strips_note(const json_t *document)
{
    const struct column cell = {.key = "cell"}, apart = {.key = "apart"};
    const json_t *meter = json_object_get(document, "meter");
    char text[CELL_BYTES];
    if (meter != NULL) {
        trace_time_cell(&apart, meter, text);
        printf("%21s%s\n%21sA to B: %s\n", "", json_string_value(json_object_get(meter, "strip")),
               "", text);
    }
    trace_time_cell(&cell, document, text);
    printf("a cell is %s; runs, is ready, or waits: c for calls, r behind an answer, "
           "a for an answer,\n"
           "e for an event, m a message, l a lock, p a page, t a time, o, b for something else\n",
           text);
}
