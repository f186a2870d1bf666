// SPDX-License-Identifier: MIT
// The events that programs have described, and their part of the metadata. Ranges are published by
// their count and never change, so readers need no lock.
#include <orrery/errors.h>
#include <orrery/lower_bound.h>
#include <stdio.h>
#include <string.h>
#include <trace/described.h>
#include <trace/events.h>
#include <trace/platform.h>

#define DECLARATION_BYTES 640

_Static_assert(SYS_TRACE_FIELDS == TRACE_MAX_FIELDS, "one field a place");

static const struct trace_described *ranges[TRACE_DESCRIBED_MAX];
static u32 range_count;

static u32 known_ranges(void)
{
    return __atomic_load_n(&range_count, __ATOMIC_ACQUIRE);
}

// ---- metadata ----------------------------------------------------------------------------------

static const char *type_name(enum trace_field_type type)
{
    static const char *const names[] = {"uint64", "int64", "hex64", "uint32",
                                        "uint16", "uint8", "char8"};
    return names[type];
}

// Writes the declaration of an event with this many data words: its length is part of its number.
// The length of the text does not depend on the minor.
static u32 declare(const struct trace_described_event *event, u32 minor, u32 words,
                   char text[DECLARATION_BYTES])
{
    const struct trace_event_info *info = &event->info;
    u32 at = (u32)snprintf(text, DECLARATION_BYTES,
                           "event { name = \"%s:%s\"; id = 0x%08x; stream_id = 1; "
                           "fields := struct {\n",
                           event->description.provider, info->name,
                           (unsigned)TRACE_HEADER(words, TRACE_MAJOR_PROGRAM, minor));
    for (u32 i = 0; i < info->field_count; i++) {
        const struct trace_field *field = &info->fields[i];
        at += (u32)snprintf(text + at, DECLARATION_BYTES - at, "    %s _%s", type_name(field->type),
                            field->name);
        if (field->type == TRACE_TEXT)
            at += (u32)snprintf(text + at, DECLARATION_BYTES - at, "[%u]",
                                (unsigned)((words - info->words) * sizeof(u64)));
        at += (u32)snprintf(text + at, DECLARATION_BYTES - at, ";\n");
    }
    return at + (u32)snprintf(text + at, DECLARATION_BYTES - at, "}; };\n");
}

// Copies a range's text from `skip` on, as far as there is room. Returns the length of the text, at
// least up to where the room ended.
static u64 copy_text(const struct trace_described *range, u64 skip, char *buffer, u64 room)
{
    char text[DECLARATION_BYTES];
    u64 position = 0;
    for (u32 i = 0; i < range->count && position < skip + room; i++) {
        const struct trace_described_event *event = &range->events[i];
        for (u32 words = event->info.words; words <= TRACE_MAX_WORDS; words++) {
            if (!trace_event_fits(&event->info, words))
                continue;
            u32 length = declare(event, range->first + i, words, text);
            u64 from = position < skip ? skip - position : 0;
            u64 into = position + from - skip;
            if (from < length && into < room)
                memcpy(buffer + into, text + from,
                       length - from < room - into ? length - from : room - into);
            position += length;
        }
    }
    return position;
}

s64 trace_described_metadata(u64 offset, char *buffer, u64 bytes)
{
    u32 count = known_ranges(), i = 0;
    while (i < count && offset >= ranges[i]->begin + ranges[i]->bytes)
        i++;
    if (i == count)
        return 0;
    u64 skip = offset - ranges[i]->begin, left = ranges[i]->bytes - skip;
    u64 wanted = left < bytes ? left : bytes;
    copy_text(ranges[i], skip, buffer, wanted);
    return (s64)wanted;
}

// ---- adding ------------------------------------------------------------------------------------

static void fill(struct trace_described_event *event,
                 const struct sys_trace_description *description)
{
    struct trace_event_info *info = &event->info;
    u32 bits = 0;
    event->description = *description;
    description = &event->description;
    info->major = TRACE_MAJOR_PROGRAM;
    info->name = description->name;
    info->format = description->format;
    info->field_count = (u8)description->field_count;
    for (u32 i = 0; i < description->field_count; i++) {
        info->fields[i] = (struct trace_field){description->types[i], description->fields[i]};
        bits += trace_field_bits(description->types[i]);
    }
    info->words = (u8)(bits / 64);
}

// Checks that all are of one provider, and no name occurs twice.
static bool check_list(const struct sys_trace_description *list, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        if (!trace_description_check(&list[i]) || strcmp(list[i].provider, list[0].provider) != 0)
            return false;
        for (u32 before = 0; before < i; before++)
            if (strcmp(list[before].name, list[i].name) == 0)
                return false;
    }
    return count > 0 && count <= SYS_TRACE_DESCRIBE_MAX;
}

struct trace_described *trace_described_make(const struct sys_trace_description *list, u32 count,
                                             s64 *error)
{
    struct trace_described *described = NULL;
    *error = E_INVAL;
    if (!check_list(list, count))
        return NULL;
    u64 bytes = sizeof(*described) + count * sizeof(described->events[0]);
    *error = E_NOMEM;
    if ((described = trace_platform_alloc(bytes)) == NULL)
        return NULL;
    memset(described, 0, bytes);
    described->count = count;
    for (u32 i = 0; i < count; i++)
        fill(&described->events[i], &list[i]);
    described->bytes = copy_text(described, UINT32_MAX, NULL, 0);
    *error = 0;
    return described;
}

void trace_described_free(struct trace_described *described)
{
    trace_platform_free(described);
}

static bool is_same(const struct trace_described *one, const struct trace_described *other)
{
    if (one->count != other->count)
        return false;
    for (u32 i = 0; i < one->count; i++)
        if (memcmp(&one->events[i].description, &other->events[i].description,
                   sizeof(one->events[i].description)) != 0)
            return false;
    return true;
}

s64 trace_described_same(const struct trace_described *described)
{
    u32 count = known_ranges();
    for (u32 i = 0; i < count; i++)
        if (is_same(ranges[i], described))
            return ranges[i]->first;
    return E_NOENT;
}

s64 trace_described_add(struct trace_described *described, u32 most)
{
    u32 place = range_count;
    const struct trace_described *last = place > 0 ? ranges[place - 1] : NULL;
    described->first = last == NULL ? TRACE_DESCRIBED_FIRST : last->first + last->count;
    described->begin = last == NULL ? 0 : last->begin + last->bytes;
    if (described->first + described->count > TRACE_DESCRIBED_FIRST + most)
        return E_LIMIT;
    for (u32 i = 0; i < described->count; i++)
        described->events[i].info.minor = (u16)(described->first + i);
    ranges[place] = described;
    __atomic_store_n(&range_count, place + 1, __ATOMIC_RELEASE);
    return described->first;
}

// ---- looking up --------------------------------------------------------------------------------

static const struct trace_described_event *find_minor(u32 minor)
{
    u64 known = known_ranges();
    u64 place = LOWER_BOUND(at, known, ranges[at]->first + ranges[at]->count <= minor);
    const struct trace_described *range = place < known ? ranges[place] : NULL;
    return range != NULL && minor >= range->first ? &range->events[minor - range->first] : NULL;
}

const struct trace_event_info *trace_described_find(u32 id)
{
    const struct trace_described_event *event =
        id >> 16 == TRACE_MAJOR_PROGRAM ? find_minor(id & 0xffff) : NULL;
    return event == NULL ? NULL : &event->info;
}

const struct trace_described_event *trace_described_get(u32 index)
{
    return index < TRACE_DESCRIBED_MAX ? find_minor(TRACE_DESCRIBED_FIRST + index) : NULL;
}
