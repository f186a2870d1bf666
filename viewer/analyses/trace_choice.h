// SPDX-License-Identifier: MIT
// Chooses which events of a trace are shown.
#ifndef KOV_TRACE_CHOICE_H
#define KOV_TRACE_CHOICE_H

#include "tools/options.h"
#include "trace/engine.h"

// From the command line. A text of NULL chooses everything.
struct trace_options {
    const char *from, *to; // "SECONDS" of the time base, or "+SECONDS" from the beginning
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
    const char *text; // compared with a field that is a text; "": with none
};

struct trace_choice {
    u64 from, to; // time base
    u64 cpu, pid;
    bool *wanted; // one for each of the engine's descriptions; NULL: all are wanted
    const struct descriptions *descriptions;
    struct condition conditions[TEXTS_MAX]; // each must hold; events without the field are left out
    u32 condition_count;
};

// Reads a time as --from takes it, and finds its first tick. Returns KOV_OK, or KOV_USAGE with a
// message that names the option.
int trace_time_read(const char *option, const char *text, u64 hz, u64 begin, u64 *time);
// Checks the options before the trace is opened. Returns KOV_OK or KOV_USAGE.
int trace_choice_check(const struct trace_options *options);
// Decides the choice with an open trace. Its descriptions must stay. `begin` is that of the trace.
int trace_choice_decide(struct trace_choice *choice, const struct trace_options *options,
                        const struct descriptions *descriptions, u64 begin);
void trace_choice_free(struct trace_choice *choice);

bool trace_choice_has(const struct trace_choice *choice, const struct trace_event *event);
// The same, but of any process: for callers that know for which process an event was.
bool trace_choice_has_of_any(const struct trace_choice *choice, const struct trace_event *event);
bool trace_choice_has_stream(const struct trace_choice *choice, u32 pid, u32 cpu);

// Writes seconds with nine digits, rounded down. So no two ticks of 512 MHz have the same text.
#define TRACE_TIME_BYTES 32
void trace_time_text(u64 time, u64 hz, char text[TRACE_TIME_BYTES]);

#endif
