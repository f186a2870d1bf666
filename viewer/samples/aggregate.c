// SPDX-License-Identifier: MIT
// Adds up samples by what the user wants to know, with the call chains of each row.
#include "samples/aggregate.h"
#include "samples/sample_names.h"
#include "symbols/place.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <math.h>
#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES SAMPLE_NAME_BYTES

// Returns the symbols that have the names of a sample's addresses.
static struct symbols *symbols_of(const struct aggregate *aggregate, const struct sample *sample)
{
    return sample_symbols(aggregate->snapshot, aggregate->symbols, aggregate->programs, sample);
}

static void key_text(const struct aggregate *aggregate, const struct sample *sample,
                     enum sort_key key, char text[TEXT_BYTES])
{
    struct symbols *symbols = symbols_of(aggregate, sample);
    switch (key) {
    case SORT_PROCESS:
        sample_process_name(aggregate->snapshot, sample, text);
        return;
    case SORT_OBJECT:
        sample_object_name(aggregate->snapshot, sample, text);
        return;
    case SORT_CLASS:
        sample_class_name(aggregate->snapshot, sample, text);
        return;
    case SORT_FUNCTION:
        place_function(symbols_find(symbols, sample->pc), sample->pc, text, TEXT_BYTES);
        return;
    case SORT_LINE:
        place_line(symbols_find(symbols, sample->pc), sample->pc, text, TEXT_BYTES);
        return;
    case SORT_THREAD:
        snprintf(text, TEXT_BYTES, "pid %" PRIu32 " thread %" PRIu32, sample->pid, sample->thread);
        return;
    case SORT_CPU:
        snprintf(text, TEXT_BYTES, "%" PRIu32, sample->cpu);
        return;
    case SORT_KEYS:
        break;
    }
    text[0] = '\0';
}

// Returns the row of a combination of texts. Adds an empty one if there is none.
static struct aggregate_row *find_row(struct aggregate *aggregate, const u32 texts[SORT_KEYS])
{
    char key[SORT_KEYS * 11 + 1] = "";
    for (u32 i = 0, length = 0; i < aggregate->sort.count; i++)
        length += (u32)snprintf(key + length, sizeof(key) - length, "%" PRIu32 ",", texts[i]);
    u32 number = intern_text(&aggregate->row_keys, key);
    if (number == aggregate->count) {
        aggregate->rows = memory_grow(aggregate->rows, aggregate->count, &aggregate->capacity,
                                      sizeof(*aggregate->rows));
        aggregate->rows[aggregate->count++] = (struct aggregate_row){0};
        memcpy(aggregate->rows[number].texts, texts, SORT_KEYS * sizeof(*texts));
    }
    return &aggregate->rows[number];
}

static struct chain *chain_step(struct aggregate *aggregate, struct chain *chain,
                                const char *function)
{
    u32 text = intern_text(&aggregate->texts, function);
    for (size_t i = 0; i < chain->count; i++) {
        if (chain->callers[i].text == text)
            return &chain->callers[i];
    }
    chain->callers =
        memory_grow(chain->callers, chain->count, &chain->capacity, sizeof(*chain->callers));
    chain->callers[chain->count] = (struct chain){.text = text};
    return &chain->callers[chain->count++];
}

static void add_to_chain(struct chain *chain, const struct sample *sample)
{
    chain->samples++;
    chain->events += sample->weight;
}

static void add_chain(struct aggregate *aggregate, struct chain *chain, const struct sample *sample)
{
    char text[TEXT_BYTES];
    struct symbols *symbols = symbols_of(aggregate, sample);
    add_to_chain(chain, sample);
    place_function(symbols_find(symbols, sample->pc), sample->pc, text, sizeof(text));
    chain = chain_step(aggregate, chain, text);
    add_to_chain(chain, sample);
    for (u32 i = 0; i < sample->caller_count; i++) {
        u64 address = sample->callers[i];
        place_function(symbols_find_call(symbols, address), address, text, sizeof(text));
        chain = chain_step(aggregate, chain, text);
        add_to_chain(chain, sample);
    }
}

void aggregate_add(struct aggregate *aggregate, const struct sample *sample)
{
    u32 texts[SORT_KEYS] = {0};
    for (u32 i = 0; i < aggregate->sort.count; i++) {
        char text[TEXT_BYTES];
        key_text(aggregate, sample, aggregate->sort.keys[i], text);
        texts[i] = intern_text(&aggregate->texts, text);
    }
    struct aggregate_row *row = find_row(aggregate, texts);
    sample_sum_add(&row->sum, sample);
    row->soft_masked += (sample->flags & SYS_SAMPLE_SOFT_MASKED) != 0;
    row->coid = sample_missing_object(sample) == NULL ? sample->coid : 0;
    row->pid = sample_space(sample);
    row->process = sample->pid;
    aggregate->events += sample->weight;
    if (aggregate->chains)
        add_chain(aggregate, &row->chain, sample);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct aggregate_row *a = left, *b = right;
    const struct aggregate *aggregate = context;
    if (a->sum.events != b->sum.events)
        return a->sum.events > b->sum.events ? -1 : 1;
    if (a->sum.samples != b->sum.samples)
        return a->sum.samples > b->sum.samples ? -1 : 1;
    for (u32 i = 0; i < aggregate->sort.count; i++) {
        int order =
            strcmp(aggregate_text(aggregate, a->texts[i]), aggregate_text(aggregate, b->texts[i]));
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare_chains(const void *left, const void *right)
{
    const struct chain *a = left, *b = right;
    if (a->events != b->events)
        return a->events > b->events ? -1 : 1;
    return (a->text > b->text) - (a->text < b->text);
}

static u64 scaled(u64 events, double part)
{
    return (u64)llround((double)events / part);
}

// Sorts a chain. The recursion is no deeper than SAMPLE_MAX_CALLERS + 1.
static void order_chain(struct chain *chain, double part)
{
    chain->events = scaled(chain->events, part);
    if (chain->count > 1)
        qsort(chain->callers, chain->count, sizeof(*chain->callers), compare_chains);
    for (size_t i = 0; i < chain->count; i++)
        order_chain(&chain->callers[i], part);
}

void aggregate_order(struct aggregate *aggregate)
{
    double part = sample_share_part(&aggregate->share);
    aggregate->events = scaled(aggregate->events, part);
    if (aggregate->count > 1)
        qsort_r(aggregate->rows, aggregate->count, sizeof(*aggregate->rows), compare_rows,
                aggregate);
    for (size_t i = 0; i < aggregate->count; i++) {
        sample_sum_scale(&aggregate->rows[i].sum, &aggregate->share);
        order_chain(&aggregate->rows[i].chain, part);
    }
}

const char *aggregate_text(const struct aggregate *aggregate, u32 text)
{
    return aggregate->texts.texts[text];
}

double aggregate_percent(const struct aggregate *aggregate, u64 events)
{
    return aggregate->events == 0 ? 0 : 100.0 * (double)events / (double)aggregate->events;
}

static void free_chain(struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++)
        free_chain(&chain->callers[i]);
    free(chain->callers);
}

void aggregate_free(struct aggregate *aggregate)
{
    for (size_t i = 0; i < aggregate->count; i++)
        free_chain(&aggregate->rows[i].chain);
    free(aggregate->rows);
    intern_free(&aggregate->texts);
    intern_free(&aggregate->row_keys);
}
