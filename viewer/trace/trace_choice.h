// SPDX-License-Identifier: MIT
// Which events of a trace are shown.
#ifndef KOV_TRACE_CHOICE_H
#define KOV_TRACE_CHOICE_H

#include "tools/options.h"
#include "trace/engine/engine.h"

// As the command line has it. NULL texts: everything.
struct trace_wishes {
    const char *from, *to; // "SECONDS" of the time base, "+SECONDS" from the beginning
    const char *events;    // "MAJOR|NAME,…"
    struct texts where;    // "FIELD OP NUMBER", "FIELD = TEXT", "FIELD != TEXT"
    u64 cpu, pid;          // TRACE_ANY: all
};
#define TRACE_ANY UINT64_MAX

enum comparison { IS_EQUAL, IS_OTHER, IS_LESS, IS_LESS_OR_EQUAL, IS_MORE, IS_MORE_OR_EQUAL };

struct condition {
    char field[48];
    enum comparison comparison;
    __int128 number;
    bool is_number;
    const char *text; // with which a field that is a text is compared; "": none can be
};

struct trace_choice {
    u64 from, to; // time base
    u64 cpu, pid;
    bool *wanted; // by the descriptions of the engine; NULL: all
    const struct descriptions *descriptions;
    struct condition conditions[TEXTS_MAX]; // each must hold: events without the field go
    u32 condition_count;
};

// A time as for --from: the first tick of it. KOV_OK or KOV_USAGE, which names the option.
int trace_time_read(const char *option, const char *text, u64 hz, u64 begin, u64 *time);
// Before the trace is opened: KOV_OK or KOV_USAGE.
int trace_choice_check(const struct trace_wishes *wishes);
// With an open trace, whose descriptions must stay. begin: of the trace.
int trace_choice_decide(struct trace_choice *choice, const struct trace_wishes *wishes,
                        const struct descriptions *descriptions, u64 begin);
void trace_choice_free(struct trace_choice *choice);

bool trace_choice_has(const struct trace_choice *choice, const struct trace_event *event);
bool trace_choice_has_stream(const struct trace_choice *choice, u32 pid, u32 cpu);

// Seconds with nine digits; rounded down, so that no two ticks of 512 MHz are the same.
#define TRACE_TIME_BYTES 32
void trace_time_text(u64 time, u64 hz, char text[TRACE_TIME_BYTES]);

#endif
