// SPDX-License-Identifier: MIT
// Machine configurations: lines of `key = value`. Every key occurs once, every value is in its
// range.
#include "machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 256
#define KEY_BYTES 48

const char *const model_event_names[MODEL_EVENTS] = {
    [MODEL_INSTRUCTIONS] = "instructions",
    [MODEL_CYCLES] = "cycles",
    [MODEL_LARX] = "larx",
    [MODEL_STCX] = "stcx",
    [MODEL_STCX_FAILED] = "stcx-failed",
    [MODEL_BRANCHES] = "branches",
    [MODEL_TAKEN] = "taken",
    [MODEL_MISPREDICTED] = "mispredicted",
    [MODEL_ITLB_MISS] = "itlb-miss",
    [MODEL_DTLB_MISS] = "dtlb-miss",
    [MODEL_L1I_MISS] = "l1i-miss",
    [MODEL_L1D_MISS] = "l1d-miss",
    [MODEL_L2_MISS] = "l2-miss",
    [MODEL_LOADS] = "loads",
    [MODEL_STORES] = "stores",
};

enum kind { NAME, NUMBER, POWER_OF_TWO, COUNTERS };

struct key {
    char name[KEY_BYTES];
    enum kind kind;
    size_t offset; // in struct machine
    u64 min, max;
    u32 line; // where the file sets it, 0: not yet
};

#define GEOMETRY(field) offsetof(struct machine, geometry.field)

// One key each; struct file copies them.
static const struct key FIXED_KEYS[] = {
    {"name", NAME, offsetof(struct machine, name), 1, sizeof(((struct machine *)0)->name) - 1, 0},
    {"page.bytes", POWER_OF_TWO, GEOMETRY(page_bytes), 4096, 1UL << 30, 0},
    {"line.bytes", POWER_OF_TWO, GEOMETRY(line_bytes), 16, 4096, 0},
    {"tlb.entries", POWER_OF_TWO, GEOMETRY(tlb_entries), 1, 1UL << 20, 0},
    {"tlb.ways", POWER_OF_TWO, GEOMETRY(tlb_ways), 1, 64, 0},
    {"l1i.bytes", POWER_OF_TWO, GEOMETRY(l1i_bytes), 16, 1UL << 30, 0},
    {"l1i.ways", POWER_OF_TWO, GEOMETRY(l1i_ways), 1, 64, 0},
    {"l1d.bytes", POWER_OF_TWO, GEOMETRY(l1d_bytes), 16, 1UL << 30, 0},
    {"l1d.ways", POWER_OF_TWO, GEOMETRY(l1d_ways), 1, 64, 0},
    {"l2.bytes", POWER_OF_TWO, GEOMETRY(l2_bytes), 16, 1UL << 30, 0},
    {"l2.ways", POWER_OF_TWO, GEOMETRY(l2_ways), 1, 64, 0},
    {"branch.local.entries", POWER_OF_TWO, GEOMETRY(local_entries), 1, 1UL << 24, 0},
    {"branch.global.entries", POWER_OF_TWO, GEOMETRY(global_entries), 1, 1UL << 24, 0},
    {"branch.history.bits", NUMBER, GEOMETRY(history_bits), 0, 24, 0},
};

// A cost and a mask of counters for each event, but no cost of cycles.
#define KEYS (ARRAY_SIZE(FIXED_KEYS) + 2 * MODEL_EVENTS - 1)
#define COST_MAX 100000

struct reader {
    const char *path;
    u32 line;
    char *error;
    size_t error_bytes;
    struct machine machine;
    struct key keys[KEYS];
};

// Reports an error; line 0: of the whole file. Always returns false.
static bool fail(struct reader *reader, u32 line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct reader *reader, u32 line, const char *format, ...)
{
    char place[16] = "";
    if (line > 0)
        snprintf(place, sizeof(place), "%u:", line);
    int used = snprintf(reader->error, reader->error_bytes, "%s:%s ", reader->path, place);
    if (used < 0 || (size_t)used >= reader->error_bytes)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error + used, reader->error_bytes - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static void *value_of(struct reader *reader, const struct key *key)
{
    return (u8 *)&reader->machine + key->offset;
}

static void add_event_keys(struct key *next)
{
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        const char *name = model_event_names[event];
        *next = (struct key){
            "", COUNTERS,           offsetof(struct machine, counters) + event * sizeof(u64),
            0,  MODEL_COUNTERS - 1, 0};
        snprintf(next->name, KEY_BYTES, "counters.%s", name);
        next++;
        if (event == MODEL_CYCLES)
            continue;
        *next = (struct key){"", NUMBER, GEOMETRY(cost) + event * sizeof(u64), 0, COST_MAX, 0};
        snprintf(next->name, KEY_BYTES, "cost.%s", name);
        next++;
    }
}

static struct key *find_key(struct reader *reader, const char *name)
{
    for (u32 i = 0; i < KEYS; i++) {
        if (strcmp(reader->keys[i].name, name) == 0)
            return &reader->keys[i];
    }
    return NULL;
}

// Reads a decimal number, with K or M for 2^10 or 2^20, and advances *text past it. Returns false
// if there is none, or one beyond 2^40.
static bool parse_number(const char **text, u64 *number)
{
    const char *at = *text;
    u64 value = 0;
    if (!isdigit((unsigned char)*at))
        return false;
    for (; isdigit((unsigned char)*at); at++) {
        value = value * 10 + (u64)(*at - '0');
        if (value >> 40)
            return false;
    }
    if (*at == 'K' || *at == 'M')
        value <<= *at++ == 'K' ? 10 : 20;
    *number = value;
    *text = at;
    return true;
}

static bool set_name(struct reader *reader, const struct key *key, const char *text)
{
    char *name = value_of(reader, key);
    size_t length = strlen(text);
    if (length < key->min || length > key->max)
        return fail(reader, reader->line, "name: has to have 1 to %lu letters", key->max);
    for (size_t i = 0; i < length; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return fail(reader, reader->line, "name: only printable ASCII without spaces");
    }
    memcpy(name, text, length + 1);
    return true;
}

static bool set_number(struct reader *reader, const struct key *key, const char *text)
{
    u64 *number = value_of(reader, key);
    const char *end = text;
    if (!parse_number(&end, number) || *end != 0)
        return fail(reader, reader->line, "%s: '%s' is no number", key->name, text);
    if (*number < key->min || *number > key->max)
        return fail(reader, reader->line, "%s: %lu is not within %lu … %lu", key->name, *number,
                    key->min, key->max);
    if (key->kind == POWER_OF_TWO && (*number & (*number - 1)) != 0)
        return fail(reader, reader->line, "%s: %lu is no power of two", key->name, *number);
    return true;
}

// Reads `none`, or numbers of counters with spaces between.
static bool set_counters(struct reader *reader, const struct key *key, const char *text)
{
    u64 *mask = value_of(reader, key);
    *mask = 0;
    if (strcmp(text, "none") == 0)
        return true;
    for (const char *at = text; *at != 0;) {
        u64 counter;
        if (!parse_number(&at, &counter) || counter > key->max || (*at != 0 && *at != ' '))
            return fail(reader, reader->line,
                        "%s: '%s' is neither 'none' nor numbers 0 … %lu with spaces between",
                        key->name, text, key->max);
        if (*mask >> counter & 1)
            return fail(reader, reader->line, "%s: counter %lu twice", key->name, counter);
        *mask |= 1UL << counter;
        while (*at == ' ')
            at++;
    }
    return true;
}

static bool set(struct reader *reader, const struct key *key, const char *text)
{
    switch (key->kind) {
    case NAME:
        return set_name(reader, key, text);
    case NUMBER:
    case POWER_OF_TWO:
        return set_number(reader, key, text);
    case COUNTERS:
        return set_counters(reader, key, text);
    }
    return false;
}

// Cuts white space off both ends.
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = 0;
    return text;
}

static bool read_line(struct reader *reader, char *line)
{
    line[strcspn(line, "#")] = 0;
    char *name = trim(line);
    if (*name == 0)
        return true;
    char *equals = strchr(name, '=');
    if (!equals)
        return fail(reader, reader->line, "'%s' is no 'key = value'", name);
    *equals = 0;
    name = trim(name);
    char *value = trim(equals + 1);
    struct key *key = find_key(reader, name);
    if (!key)
        return fail(reader, reader->line, "no key '%s'", name);
    if (key->line > 0)
        return fail(reader, reader->line, "%s: already set in line %u", name, key->line);
    if (*value == 0)
        return fail(reader, reader->line, "%s: has no value", name);
    key->line = reader->line;
    return set(reader, key, value);
}

static bool read_lines(struct reader *reader, FILE *file)
{
    char line[LINE_BYTES];
    while (fgets(line, sizeof(line), file)) {
        reader->line++;
        if (!strchr(line, '\n')) // a byte 0 hides it too
            return fail(reader, reader->line, "does not end, or is longer than %d bytes",
                        LINE_BYTES - 2);
        if (!read_line(reader, line))
            return false;
    }
    if (ferror(file))
        return fail(reader, 0, "%s", strerror(errno));
    return true;
}

static bool nothing_missing(struct reader *reader)
{
    for (u32 i = 0; i < KEYS; i++) {
        if (reader->keys[i].line == 0)
            return fail(reader, 0, "%s: missing", reader->keys[i].name);
    }
    return true;
}

// Checks what no value shows alone: a cache needs a line for each way, a table an entry for each
// history.
static bool values_fit(struct reader *reader)
{
    const struct model_geometry *geometry = &reader->machine.geometry;
    const struct {
        const char *key;
        u64 wanted, limit;
        const char *what;
    } rules[] = {
        {"tlb.ways", geometry->tlb_ways, geometry->tlb_entries, "tlb.entries"},
        {"l1i.ways", geometry->l1i_ways, geometry->l1i_bytes / geometry->line_bytes, "lines"},
        {"l1d.ways", geometry->l1d_ways, geometry->l1d_bytes / geometry->line_bytes, "lines"},
        {"l2.ways", geometry->l2_ways, geometry->l2_bytes / geometry->line_bytes, "lines"},
        {"line.bytes", geometry->line_bytes, geometry->page_bytes, "page.bytes"},
        {"branch.history.bits", 1UL << geometry->history_bits, geometry->global_entries,
         "branch.global.entries for 2^bits histories"},
    };
    for (u32 i = 0; i < ARRAY_SIZE(rules); i++) {
        if (rules[i].wanted > rules[i].limit)
            return fail(reader, find_key(reader, rules[i].key)->line,
                        "%s: %lu is more than the %lu %s", rules[i].key, rules[i].wanted,
                        rules[i].limit, rules[i].what);
    }
    return true;
}

bool machine_load(const char *path, struct machine *out, char *error, size_t error_bytes)
{
    struct reader reader = {.path = path, .error = error, .error_bytes = error_bytes};
    memcpy(reader.keys, FIXED_KEYS, sizeof(FIXED_KEYS));
    add_event_keys(reader.keys + ARRAY_SIZE(FIXED_KEYS));
    FILE *file = fopen(path, "r");
    if (!file)
        return fail(&reader, 0, "%s", strerror(errno));
    bool good = read_lines(&reader, file) && nothing_missing(&reader) && values_fit(&reader);
    fclose(file);
    if (good)
        *out = reader.machine;
    return good;
}
