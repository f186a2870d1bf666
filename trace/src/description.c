// SPDX-License-Identifier: MIT
// Checks that a description which a process wrote cannot harm its readers.
#include <string.h>
#include <trace/described.h>

// Checks that text is NUL-terminated, with NULs up to its end: so equal descriptions have equal
// bytes.
static bool ends(const char *text, u32 bytes)
{
    u32 length = 0;
    while (length < bytes && text[length] != '\0')
        length++;
    if (length == bytes)
        return false;
    for (u32 i = length; i < bytes; i++)
        if (text[i] != '\0')
            return false;
    return true;
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_identifier(const char *text, u32 bytes)
{
    if (!ends(text, bytes) || !is_letter(text[0]))
        return false;
    for (u32 i = 1; text[i] != '\0'; i++)
        if (!is_letter(text[i]) && (text[i] < '0' || text[i] > '9') && text[i] != '_')
            return false;
    return true;
}

// Returns whether it names a group of the kernel's events: readers accept either case.
static bool is_major(const char *provider)
{
    for (u32 i = 0; i < trace_major_count; i++) {
        const char *name = trace_majors[i].name;
        u32 at = 0;
        while (name[at] != '\0' && (name[at] | 0x20) == provider[at])
            at++;
        if (name[at] == '\0' && provider[at] == '\0')
            return true;
    }
    return false;
}

static bool has_field(const struct sys_trace_description *description, u32 count, const char *name)
{
    for (u32 i = 0; i < count; i++)
        if (strcmp(description->fields[i], name) == 0)
            return true;
    return false;
}

// Checks that each field has a type and a name of its own, a text is the last, and the rest is
// empty.
static bool check_fields(const struct sys_trace_description *description)
{
    u32 count = description->field_count;
    for (u32 i = 0; i < TRACE_MAX_FIELDS; i++) {
        const char *name = description->fields[i];
        u8 type = description->types[i];
        if (i >= count && (type != 0 || name[0] != '\0' || !ends(name, SYS_TRACE_FIELD_NAME)))
            return false;
        if (i < count &&
            (type > TRACE_TEXT || (type == TRACE_TEXT && i + 1 < count) ||
             !is_identifier(name, SYS_TRACE_FIELD_NAME) || has_field(description, i, name)))
            return false;
    }
    return true;
}

// Checks that small fields fill words exactly, and do not need more words than an event can have.
static bool check_packing(const struct sys_trace_description *description)
{
    u32 used = 0;
    bool text = false;
    for (u32 i = 0; i < description->field_count; i++) {
        u32 bits = trace_field_bits(description->types[i]);
        if (used % 64 + bits > 64)
            return false;
        used += bits;
        text = text || bits == 0;
    }
    return used % 64 == 0 && used / 64 + text <= TRACE_MAX_WORDS;
}

// Returns the length of the conversion behind a '%', or 0 if it is not supported.
static u32 conversion(const char *text, bool *is_text, bool *is_percent)
{
    *is_text = text[0] == 's';
    *is_percent = text[0] == '%';
    if (*is_text || *is_percent)
        return 1;
    if (text[0] == '#')
        return text[1] == 'l' && text[2] == 'x' ? 3 : 0;
    return text[0] == 'l' && (text[1] == 'u' || text[1] == 'd' || text[1] == 'x') ? 2 : 0;
}

// Checks for one conversion a field, and nothing that ends a text in C or CTF.
static bool check_format(const struct sys_trace_description *description)
{
    const char *at = description->format;
    u32 found = 0;
    if (!ends(at, sizeof(description->format)))
        return false;
    while (*at != '\0') {
        bool is_text, is_percent;
        if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
            return false;
        if (*at++ != '%')
            continue;
        u32 length = conversion(at, &is_text, &is_percent);
        if (length == 0)
            return false;
        at += length;
        if (is_percent)
            continue;
        if (found == description->field_count ||
            is_text != (description->types[found] == TRACE_TEXT))
            return false;
        found++;
    }
    return found == description->field_count;
}

bool trace_description_check(const struct sys_trace_description *description)
{
    return description->field_count <= TRACE_MAX_FIELDS &&
           is_identifier(description->provider, sizeof(description->provider)) &&
           !is_major(description->provider) &&
           is_identifier(description->name, sizeof(description->name)) &&
           check_fields(description) && check_packing(description) && check_format(description);
}
