// SPDX-License-Identifier: MIT
// Writes folded stacks: a line for each distinct stack, as flamegraph.pl and speedscope read them.
#include "export/export.h"
#include "samples/recording_event.h"
#include "samples/sample_names.h"
#include "symbols/place.h"
#include "tools/intern.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct stacks {
    struct intern texts;
    u64 *events; // that the samples stand for, by the number of the text
    size_t count, capacity;
};

// Adds a frame. It replaces ';', which would begin another frame. Line ends, which would begin
// another stack, are escaped.
static void add_frame(struct bytes *stack, const char *name)
{
    char *escaped = text_copy_escaped(name);
    if (stack->size > 0)
        bytes_append(stack, ";", 1);
    for (const char *at = escaped; *at != '\0'; at++)
        bytes_append(stack, *at == ';' ? ":" : at, 1);
    free(escaped);
}

// Writes a stack as the format has it, outermost first.
static void write_stack(const struct export *export, const struct sample *sample,
                        struct bytes *stack)
{
    const struct snapshot *snapshot = &export->recording->snapshot;
    char text[SAMPLE_NAME_BYTES];
    struct export_frame frames[EXPORT_MAX_FRAMES];
    stack->size = 0;
    sample_process_name(snapshot, sample, text);
    add_frame(stack, text);
    sample_object_name(snapshot, sample, text);
    add_frame(stack, text);
    for (u32 i = export_stack(export, sample, frames); i > 0; i--) {
        u64 address = frames[i - 1].address;
        place_function(symbols_find(frames[i - 1].symbols, address), address, text, sizeof(text));
        add_frame(stack, text);
    }
    bytes_append(stack, "", 1);
}

static void count_stack(struct stacks *stacks, const char *text, u64 events)
{
    u32 number = intern_text(&stacks->texts, text);
    if (number == stacks->count) {
        stacks->events = memory_grow(stacks->events, stacks->count, &stacks->capacity, sizeof(u64));
        stacks->events[stacks->count++] = 0;
    }
    stacks->events[number] += events;
}

int export_folded(struct export *export)
{
    const struct sample_set *set = &export->recording->samples;
    struct stacks stacks = {0};
    struct bytes stack = {0};
    for (size_t i = 0; i < set->count; i++) {
        if (!sample_is_chosen(export->recording, &export->choice, &set->samples[i]))
            continue;
        write_stack(export, &set->samples[i], &stack);
        count_stack(&stacks, (const char *)stack.data,
                    recording_event_weight(export->recording, &set->samples[i]));
        export->samples++;
    }
    for (size_t i = 0; i < stacks.count; i++)
        fprintf(export->out, "%s %" PRIu64 "\n", stacks.texts.texts[i], stacks.events[i]);
    bytes_free(&stack);
    intern_free(&stacks.texts);
    free(stacks.events);
    return KOV_OK;
}
