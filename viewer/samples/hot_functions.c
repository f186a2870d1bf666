// SPDX-License-Identifier: MIT
// Finds the functions of kernel and programs that have samples, hottest first.
#include "samples/hot_functions.h"
#include "samples/sample_names.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_places(const void *left, const void *right)
{
    const struct hot_place *a = left, *b = right;
    if (a->symbols != b->symbols)
        return (uintptr_t)a->symbols < (uintptr_t)b->symbols ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

// Makes one place of all samples at one address.
static void merge_places(struct hot_functions *hot)
{
    if (hot->place_count > 1)
        qsort(hot->places, hot->place_count, sizeof(*hot->places), compare_places);
    size_t kept = 0;
    for (size_t i = 0; i < hot->place_count; i++) {
        const struct hot_place *place = &hot->places[i];
        struct hot_place *last = kept > 0 ? &hot->places[kept - 1] : NULL;
        if (last != NULL && last->symbols == place->symbols && last->address == place->address) {
            last->samples += place->samples;
            last->events += place->events;
        } else {
            hot->places[kept++] = *place;
        }
    }
    hot->place_count = kept;
}

static struct hot_function *add_function(struct hot_functions *hot, size_t first,
                                         struct code_range range)
{
    const struct hot_place *place = &hot->places[first];
    hot->functions =
        memory_grow(hot->functions, hot->count, &hot->capacity, sizeof(*hot->functions));
    struct hot_function *function = &hot->functions[hot->count++];
    *function = (struct hot_function){
        .symbols = place->symbols,
        .binary = place->binary,
        .name = symbols_find(place->symbols, place->address).function,
        .range = range,
        .first = first,
    };
    return function;
}

// Groups places by function. Places are sorted, so those of a function follow each other.
static void group(struct hot_functions *hot)
{
    struct hot_function *function = NULL;
    for (size_t i = 0; i < hot->place_count; i++) {
        const struct hot_place *place = &hot->places[i];
        struct code_range range;
        bool same = function != NULL && function->symbols == place->symbols &&
                    place->address < function->range.end;
        if (!same) {
            bool known = code_find(place->symbols, place->address, &range);
            function = known ? add_function(hot, i, range) : NULL;
        }
        if (function == NULL) {
            hot->unknown += place->samples;
            continue;
        }
        function->samples += place->samples;
        function->events += place->events;
        function->count++;
    }
}

static int compare_functions(const void *left, const void *right)
{
    const struct hot_function *a = left, *b = right;
    if (a->events != b->events)
        return a->events > b->events ? -1 : 1;
    int order = strcmp(a->binary, b->binary);
    return order != 0 ? order
                      : (a->range.start > b->range.start) - (a->range.start < b->range.start);
}

void hot_functions_find(const struct recording *recording, const struct sample_choice *choice,
                        struct symbols *kernel, struct programs *programs,
                        struct hot_functions *hot)
{
    for (size_t i = 0; i < recording->samples.count; i++) {
        const struct sample *sample = &recording->samples.samples[i];
        if (!sample_is_chosen(recording, choice, sample))
            continue;
        u32 space = sample_space(sample);
        const struct process_info *process = snapshot_process(&recording->snapshot, space);
        hot->samples++;
        hot->events += sample->weight;
        hot->places =
            memory_grow(hot->places, hot->place_count, &hot->place_capacity, sizeof(*hot->places));
        hot->places[hot->place_count++] = (struct hot_place){
            .symbols = sample_symbols(&recording->snapshot, kernel, programs, sample),
            .binary = space == 0 || process == NULL ? "kernel" : process->name,
            .address = sample->pc,
            .samples = 1,
            .events = sample->weight,
        };
    }
    merge_places(hot);
    group(hot);
    if (hot->count > 1)
        qsort(hot->functions, hot->count, sizeof(*hot->functions), compare_functions);
}

bool hot_function_is(const struct hot_function *function, const char *text)
{
    size_t binary = strlen(function->binary);
    if (strncmp(text, function->binary, binary) == 0 && text[binary] == ':')
        text += binary + 1;
    if (strcmp(text, function->name) == 0)
        return true;
    size_t length = strlen(text);
    return strncmp(text, function->name, length) == 0 &&
           strncmp(function->name + length, " (", 2) == 0;
}

void hot_functions_free(struct hot_functions *hot)
{
    free(hot->places);
    free(hot->functions);
    *hot = (struct hot_functions){0};
}
