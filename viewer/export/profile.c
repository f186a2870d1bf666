// SPDX-License-Identifier: MIT
// Builds a profile in pprof's form sample by sample.
#include "export/profile.h"
#include "symbols/code.h"
#include "tools/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list_add(struct profile_list *list, void *item)
{
    list->items = memory_grow(list->items, list->count, &list->capacity, sizeof(*list->items));
    list->items[list->count++] = item;
}

// Returns whether the text is new in `keys`. *number is that of the text.
static bool is_new(struct intern *keys, const char *text, u32 *number)
{
    size_t before = keys->count;
    *number = intern_text(keys, text);
    return *number == before;
}

int64_t profile_text(struct profile *profile, const char *text)
{
    char *escaped = text_copy_escaped(text); // readers print it, and want UTF-8
    u32 number = intern_text(&profile->texts, escaped);
    free(escaped);
    return number;
}

void profile_begin(struct profile *profile)
{
    *profile = (struct profile){0};
    profile_text(profile, ""); // number 0 means no text
}

void profile_add_type(struct profile *profile, const char *type, const char *unit)
{
    Pprof__ValueType *message = memory_get(sizeof(*message));
    pprof__value_type__init(message);
    message->type = profile_text(profile, type);
    message->unit = profile_text(profile, unit);
    list_add(&profile->types, message);
}

void profile_add_comment(struct profile *profile, const char *text)
{
    int64_t *number = memory_get(sizeof(*number));
    *number = profile_text(profile, text);
    list_add(&profile->comments, number);
}

u64 profile_mapping(struct profile *profile, const char *name, struct symbols *symbols,
                    const char *build_id)
{
    u32 number;
    if (!is_new(&profile->mapping_keys, name, &number))
        return number + 1;
    Pprof__Mapping *message = memory_get(sizeof(*message));
    pprof__mapping__init(message);
    message->id = number + 1;
    message->filename = profile_text(profile, symbols == NULL ? name : symbols_path(symbols));
    message->build_id = profile_text(profile, build_id);
    struct code_range span = {.start = 0, .end = UINT64_MAX};
    if (symbols != NULL)
        span = code_span(symbols);
    message->memory_start = span.start;
    message->memory_limit = span.end;
    message->has_functions = message->has_filenames = message->has_line_numbers = symbols != NULL;
    list_add(&profile->mappings, message);
    return message->id;
}

static u64 function_number(struct profile *profile, u64 mapping, const struct symbol *symbol)
{
    char key[1024];
    u32 number;
    const char *file = symbol->file == NULL ? "" : symbol->file;
    snprintf(key, sizeof(key), "%" PRIu64 ";%s;%s", mapping, symbol->function, file);
    if (!is_new(&profile->function_keys, key, &number))
        return number + 1;
    Pprof__Function *message = memory_get(sizeof(*message));
    pprof__function__init(message);
    message->id = number + 1;
    message->name = message->system_name = profile_text(profile, symbol->function);
    message->filename = profile_text(profile, file);
    list_add(&profile->functions, message);
    return message->id;
}

static void add_line(struct profile *profile, Pprof__Location *location, u64 mapping,
                     const struct symbol *symbol)
{
    Pprof__Line *line = memory_get(sizeof(*line));
    pprof__line__init(line);
    line->function_id = function_number(profile, mapping, symbol);
    line->line = symbol->line;
    location->n_line = 1;
    location->line = memory_get(sizeof(*location->line));
    location->line[0] = line;
}

u64 profile_location(struct profile *profile, u64 mapping, struct symbols *symbols, u64 address)
{
    char key[48];
    u32 number;
    snprintf(key, sizeof(key), "%" PRIu64 ";%" PRIx64, mapping, address);
    if (!is_new(&profile->location_keys, key, &number))
        return number + 1;
    Pprof__Location *message = memory_get(sizeof(*message));
    pprof__location__init(message);
    message->id = number + 1;
    // A stack may hold addresses outside the program's code; for these pprof has mapping 0.
    const Pprof__Mapping *code = profile->mappings.items[mapping - 1];
    bool is_inside = address >= code->memory_start && address < code->memory_limit;
    message->mapping_id = is_inside ? mapping : 0;
    message->address = address;
    struct symbol symbol = symbols_find(symbols, address);
    if (symbol.function != NULL)
        add_line(profile, message, mapping, &symbol);
    list_add(&profile->locations, message);
    return message->id;
}

static Pprof__Sample *make_sample(struct profile *profile, const u64 *locations,
                                  size_t location_count, const struct profile_label *labels,
                                  size_t label_count)
{
    Pprof__Sample *message = memory_get(sizeof(*message));
    pprof__sample__init(message);
    message->n_location_id = location_count;
    message->location_id = memory_get(location_count * sizeof(*message->location_id));
    memcpy(message->location_id, locations, location_count * sizeof(*locations));
    message->n_value = profile->types.count;
    message->value = memory_get(message->n_value * sizeof(*message->value));
    message->n_label = label_count;
    message->label = memory_get(label_count * sizeof(Pprof__Label *));
    for (size_t i = 0; i < label_count; i++) {
        Pprof__Label *label = message->label[i] = memory_get(sizeof(*label));
        pprof__label__init(label);
        label->key = profile_text(profile, labels[i].key);
        label->str = profile_text(profile, labels[i].text);
    }
    list_add(&profile->samples, message);
    return message;
}

// Returns stack and labels as a text. The caller frees it.
static struct bytes sample_key(const u64 *locations, size_t location_count,
                               const struct profile_label *labels, size_t label_count)
{
    struct bytes key = {0};
    char number[24];
    for (size_t i = 0; i < location_count; i++) {
        int length = snprintf(number, sizeof(number), "%" PRIu64 ",", locations[i]);
        bytes_append(&key, number, (size_t)length);
    }
    for (size_t i = 0; i < label_count; i++) {
        bytes_append(&key, ";", 1);
        bytes_append(&key, labels[i].text, strlen(labels[i].text));
    }
    bytes_append(&key, "", 1);
    return key;
}

void profile_add(struct profile *profile, const u64 *locations, size_t location_count,
                 const struct profile_label *labels, size_t label_count, size_t type,
                 const u64 values[2])
{
    u32 number;
    struct bytes key = sample_key(locations, location_count, labels, label_count);
    Pprof__Sample *sample;
    if (is_new(&profile->sample_keys, (const char *)key.data, &number))
        sample = make_sample(profile, locations, location_count, labels, label_count);
    else
        sample = profile->samples.items[number];
    sample->value[type] += (int64_t)values[0];
    sample->value[type + 1] += (int64_t)values[1];
    bytes_free(&key);
}

void profile_pack(struct profile *profile, u64 duration, int64_t period_type, u64 period,
                  struct bytes *packed)
{
    Pprof__Profile message = PPROF__PROFILE__INIT;
    Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
    int64_t *comments = memory_get(profile->comments.count * sizeof(*comments));
    for (size_t i = 0; i < profile->comments.count; i++)
        comments[i] = *(int64_t *)profile->comments.items[i];
    type.type = period_type;
    type.unit = profile_text(profile, "count");
    message.n_sample_type = profile->types.count;
    message.sample_type = (Pprof__ValueType **)profile->types.items;
    message.n_sample = profile->samples.count;
    message.sample = (Pprof__Sample **)profile->samples.items;
    message.n_mapping = profile->mappings.count;
    message.mapping = (Pprof__Mapping **)profile->mappings.items;
    message.n_location = profile->locations.count;
    message.location = (Pprof__Location **)profile->locations.items;
    message.n_function = profile->functions.count;
    message.function = (Pprof__Function **)profile->functions.items;
    message.n_comment = profile->comments.count;
    message.comment = comments;
    message.duration_nanos = (int64_t)duration;
    message.period_type = period == 0 ? NULL : &type;
    message.period = (int64_t)period;
    message.default_sample_type = profile->default_type;
    message.n_string_table = profile->texts.count; // last, since nothing may be added after it
    message.string_table = profile->texts.texts;
    u8 *place = bytes_reserve(packed, pprof__profile__get_packed_size(&message));
    packed->size += pprof__profile__pack(&message, place);
    free(comments);
}

void profile_free(struct profile *profile)
{
    for (size_t i = 0; i < profile->samples.count; i++) {
        Pprof__Sample *sample = profile->samples.items[i];
        for (size_t j = 0; j < sample->n_label; j++)
            free(sample->label[j]);
        free(sample->label);
        free(sample->location_id);
        free(sample->value);
    }
    for (size_t i = 0; i < profile->locations.count; i++) {
        Pprof__Location *location = profile->locations.items[i];
        if (location->n_line > 0)
            free(location->line[0]);
        free(location->line);
    }
    struct profile_list *lists[] = {&profile->mappings, &profile->locations, &profile->functions,
                                    &profile->samples,  &profile->types,     &profile->comments};
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        for (size_t j = 0; j < lists[i]->count; j++)
            free(lists[i]->items[j]);
        free(lists[i]->items);
    }
    struct intern *keys[] = {&profile->texts, &profile->mapping_keys, &profile->location_keys,
                             &profile->function_keys, &profile->sample_keys};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        intern_free(keys[i]);
}
