// SPDX-License-Identifier: MIT
// Reads the metadata. It knows only the part of CTF's language that the machine writes. Each event
// is `event { name = "…"; id = …; stream_id = …; fields := struct { TYPE _NAME; … }; };`.
#include "trace/descriptions.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace/layout.h>

#define NAME_BYTES 48
#define MAX_DESCRIPTIONS 65536
#define MAX_HZ 1000000000000UL // so that times in nanoseconds can be computed

static const struct {
    const char *name;
    enum trace_field_type type;
    u32 bits;
} types[] = {
    {"uint64", TRACE_U64, 64}, {"int64", TRACE_S64, 64},  {"hex64", TRACE_X64, 64},
    {"uint32", TRACE_U32, 32}, {"uint16", TRACE_U16, 16}, {"uint8", TRACE_U8, 8},
    {"char8", TRACE_TEXT, 0},
};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

// Returns the text behind a word that must come next. NULL if another word comes, or if text is
// NULL.
static const char *expect(const char *text, const char *word)
{
    if (text == NULL)
        return NULL;
    text = skip_blanks(text);
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

static const char *read_number(const char *text, u64 *number)
{
    if (text == NULL || !isdigit((unsigned char)*(text = skip_blanks(text))))
        return NULL;
    char *end;
    *number = strtoull(text, &end, 0);
    return end;
}

// Reads letters, digits, '_' and ':' (TEST:zero), which are harmless in a format and on a terminal.
static const char *read_name(const char *text, char name[NAME_BYTES])
{
    size_t length = 0;
    if (text == NULL)
        return NULL;
    text = skip_blanks(text);
    while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == ':')
        length++;
    if (length == 0 || length >= NAME_BYTES)
        return NULL;
    snprintf(name, NAME_BYTES, "%.*s", (int)length, text);
    return text + length;
}

const char *descriptions_major(u32 major)
{
    for (u32 i = 0; i < trace_major_count; i++)
        if (trace_majors[i].number == major)
            return trace_majors[i].name;
    return NULL;
}

static bool is_same(const struct trace_event_info *one, const struct trace_event_info *other)
{
    if (one->field_count != other->field_count)
        return false;
    for (u32 i = 0; i < one->field_count; i++)
        if (one->fields[i].type != other->fields[i].type ||
            strcmp(one->fields[i].name, other->fields[i].name) != 0)
            return false;
    return true;
}

static char *make_format(const struct trace_event_info *info)
{
    struct bytes text = {0};
    for (u32 i = 0; i < info->field_count; i++) {
        enum trace_field_type type = info->fields[i].type;
        const char *conversion = type == TRACE_TEXT  ? "%s"
                                 : type == TRACE_X64 ? "%#lx"
                                 : type == TRACE_S64 ? "%ld"
                                                     : "%lu";
        const char *parts[] = {i > 0 ? " " : "", info->fields[i].name, "=", conversion};
        for (u32 part = 0; part < ARRAY_SIZE(parts); part++)
            bytes_append(&text, parts[part], strlen(parts[part]));
    }
    bytes_append(&text, "", 1);
    return (char *)text.data;
}

static void complete(struct event_description *event)
{
    struct trace_event_info *info = &event->info;
    const struct trace_event_info *known = trace_event_find((u32)info->major << 16 | info->minor);
    if (known == NULL || !is_same(known, info))
        event->format = make_format(info);
    info->format = event->format != NULL ? event->format : known->format;
    char full[2 * NAME_BYTES];
    const char *major = descriptions_major(info->major);
    if (strchr(info->name, ':') != NULL)
        snprintf(full, sizeof(full), "%s", info->name);
    else if (major != NULL)
        snprintf(full, sizeof(full), "%s:%s", major, info->name);
    else
        snprintf(full, sizeof(full), "%u:%s", info->major, info->name);
    free(event->full_name);
    event->full_name = memory_copy_text(full);
    const char *colon = strchr(event->full_name, ':');
    info->name = colon + 1;
}

// Reads "[BYTES]" of a text field.
static const char *read_size(const char *text, u32 *words)
{
    u64 bytes;
    text = expect(read_number(expect(text, "["), &bytes), "]");
    if (text == NULL || bytes == 0 || bytes % 8 != 0 || bytes > TRACE_MAX_LENGTH * 8)
        return NULL;
    *words = (u32)bytes / 8;
    return text;
}

// Reads "TYPE _NAME;" … up to the brace. A text field comes last; *text_words is its size, else 0.
static const char *read_fields(const char *text, struct event_description *event, u32 *text_words)
{
    struct trace_event_info *info = &event->info;
    u32 bits = 0;
    while (text != NULL && expect(text, "}") == NULL) {
        char type[NAME_BYTES], name[NAME_BYTES];
        u32 kind = 0;
        text = read_name(read_name(text, type), name);
        if (text != NULL && strcmp(type, "char8") == 0)
            text = read_size(text, text_words);
        else if (*text_words != 0)
            return NULL;
        text = expect(text, ";");
        while (text != NULL && kind < ARRAY_SIZE(types) && strcmp(types[kind].name, type) != 0)
            kind++;
        if (text == NULL || kind == ARRAY_SIZE(types) || info->field_count == TRACE_MAX_FIELDS ||
            bits % 64 + types[kind].bits > 64)
            return NULL;
        bits += types[kind].bits;
        char *copy = memory_copy_text(name[0] == '_' ? name + 1 : name);
        event->names[info->field_count] = copy;
        info->fields[info->field_count++] = (struct trace_field){types[kind].type, copy};
    }
    info->words = (u8)(bits / 64);
    return bits % 64 == 0 ? expect(expect(text, "}"), ";") : NULL;
}

// Reads what follows "event {". The upper bits of the id are the event's length, which may be
// missing.
static const char *read_event(const char *text, struct event_description *event, u64 *stream)
{
    char name[NAME_BYTES];
    u64 id;
    u32 text_words = 0;
    text = expect(read_name(expect(text, "name = \""), name), "\";");
    text = expect(read_number(expect(text, "id ="), &id), ";");
    text = expect(read_number(expect(text, "stream_id ="), stream), ";");
    if (text == NULL || id > UINT32_MAX)
        return NULL;
    event->full_name = memory_copy_text(name);
    event->info.name = event->full_name;
    event->info.major = (u16)(id >> 16 & 63);
    event->info.minor = (u16)id;
    const char *fields = expect(text, "fields := struct {");
    if (fields != NULL)
        text = read_fields(fields, event, &text_words);
    u32 length = trace_event_length(id);
    return length == 0 || length == event->info.words + text_words + 1 ? expect(text, "};") : NULL;
}

static void free_event(struct event_description *event)
{
    free(event->full_name);
    free(event->format);
    for (u32 i = 0; i < TRACE_MAX_FIELDS; i++)
        free(event->names[i]);
}

static int compare(const void *one, const void *other)
{
    const struct trace_event_info *a = &((const struct event_description *)one)->info;
    const struct trace_event_info *b = &((const struct event_description *)other)->info;
    u32 first = (u32)a->major << 16 | a->minor, second = (u32)b->major << 16 | b->minor;
    return first < second ? -1 : first > second;
}

static int read_clock(struct descriptions *descriptions, const char *text, const char *where)
{
    const char *clock = strstr(text, "clock {");
    const char *hz = clock == NULL ? NULL : strstr(clock, "freq =");
    if (read_number(expect(hz, "freq ="), &descriptions->hz) == NULL || descriptions->hz == 0 ||
        descriptions->hz > MAX_HZ)
        return fail(KOV_FAILED, "%s: the metadata tells no frequency of the clock", where);
    return KOV_OK;
}

// Sorts events, and joins those with the same number. The kernel's events are described again for
// the streams of processes. An event with a text is described again for each length.
static void sort(struct descriptions *descriptions)
{
    size_t kept = 0;
    if (descriptions->count > 0)
        qsort(descriptions->events, descriptions->count, sizeof(*descriptions->events), compare);
    for (size_t i = 0; i < descriptions->count; i++) {
        struct event_description *event = &descriptions->events[i];
        if (kept > 0 && compare(event, &descriptions->events[kept - 1]) == 0)
            free_event(event);
        else
            descriptions->events[kept++] = *event;
    }
    descriptions->count = kept;
}

static void read_build_id(struct descriptions *descriptions, const char *text)
{
    const char *at = strstr(text, "kernel_build_id = \"");
    at = expect(at, "kernel_build_id = \"");
    u8 *to = descriptions->build_id;
    while (at != NULL && descriptions->build_id_bytes < sizeof(descriptions->build_id) &&
           isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1])) {
        const char digits[] = {at[0], at[1], '\0'};
        to[descriptions->build_id_bytes++] = (u8)strtoul(digits, NULL, 16);
        at += 2;
    }
}

// Reads "uuid = "…"" of the trace, which is the first one.
static void read_uuid(struct descriptions *descriptions, const char *text)
{
    const char *at = strstr(text, "uuid = \"");
    size_t bytes = 0;
    at = expect(at, "uuid = \"");
    while (at != NULL && bytes < sizeof(descriptions->uuid) && isxdigit((unsigned char)at[0]) &&
           isxdigit((unsigned char)at[1])) {
        const char digits[] = {at[0], at[1], '\0'};
        descriptions->uuid[bytes++] = (u8)strtoul(digits, NULL, 16);
        at += 2 + (at[2] == '-');
    }
    descriptions->has_uuid = bytes == sizeof(descriptions->uuid);
}

static void read_cpus(struct descriptions *descriptions, const char *text)
{
    u64 cpus;
    const char *at = strstr(text, "cpus = ");
    if (read_number(expect(at, "cpus ="), &cpus) != NULL && cpus <= ORRERY_MAX_CPUS)
        descriptions->cpus = (u32)cpus;
}

int descriptions_read(struct descriptions *descriptions, const char *text, const char *where)
{
    int code = read_clock(descriptions, text, where);
    read_build_id(descriptions, text);
    read_uuid(descriptions, text);
    read_cpus(descriptions, text);
    const char *at = text;
    while (code == KOV_OK && (at = strstr(at, "event {")) != NULL) {
        struct event_description event = {0};
        u64 stream;
        const char *behind = read_event(at + strlen("event {"), &event, &stream);
        if (behind == NULL || descriptions->count == MAX_DESCRIPTIONS)
            code = fail(KOV_FAILED,
                        "%s: the metadata describes an event in a way that is not "
                        "understood, %zu bytes from its beginning",
                        where, (size_t)(at - text));
        if (code != KOV_OK) {
            free_event(&event);
            break;
        }
        complete(&event);
        descriptions->events = memory_grow(descriptions->events, descriptions->count,
                                           &descriptions->capacity, sizeof(event));
        descriptions->events[descriptions->count++] = event;
        at = behind;
    }
    sort(descriptions);
    event_kinds_find(descriptions);
    return code;
}

void descriptions_free(struct descriptions *descriptions)
{
    for (size_t i = 0; i < descriptions->count; i++)
        free_event(&descriptions->events[i]);
    free(descriptions->events);
    *descriptions = (struct descriptions){0};
}

const struct event_description *descriptions_find(const struct descriptions *descriptions, u32 id)
{
    struct event_description wanted = {.info = {.major = (u16)(id >> 16), .minor = (u16)id}};
    if (descriptions->count == 0)
        return NULL;
    return bsearch(&wanted, descriptions->events, descriptions->count,
                   sizeof(*descriptions->events), compare);
}

bool description_field(const struct event_description *event, const char *name, u32 *place)
{
    for (u32 i = 0; i < event->info.field_count; i++)
        if (strcmp(event->info.fields[i].name, name) == 0) {
            *place = i;
            return true;
        }
    return false;
}

bool descriptions_cover(const struct descriptions *descriptions, const u8 *packet, size_t bytes)
{
    struct trace_packet header;
    if (bytes < sizeof(header))
        return true;
    memcpy(&header, packet, sizeof(header));
    u64 content = TRACE_BE64(header.content_bits) / 8;
    for (size_t at = sizeof(header); at + sizeof(u64) <= bytes && at < content;) {
        u64 word;
        memcpy(&word, packet + at, sizeof(word));
        word = TRACE_BE64(word);
        if (trace_event_length(word) == 0)
            return true; // a damaged packet, which others report
        if (descriptions_find(descriptions, trace_event_id(word)) == NULL)
            return false;
        at += trace_event_length(word) * sizeof(u64);
    }
    return true;
}
