// SPDX-License-Identifier: MIT
// Command-line options from tables: the same table parses, checks ranges, and prints the help.
#include "tools/options.h"
#include "tools/near.h"
#include "tools/text.h"

#include <inttypes.h>
#include <string.h>

// Finds an option by its letter or, when that is 0, by its name. Returns NULL if there is none.
static const struct option *find_in(const struct option *table, char letter, const char *name,
                                    size_t length)
{
    for (; table->name != NULL; table++) {
        if (letter != 0 ? table->letter == letter : text_is(name, length, table->name))
            return table;
    }
    return NULL;
}

static const struct option *find(const struct option *const *tables, char letter, const char *name,
                                 size_t length)
{
    for (; *tables != NULL; tables++) {
        const struct option *option = find_in(*tables, letter, name, length);
        if (option != NULL)
            return option;
    }
    return find_in(global_options, letter, name, length);
}

// minimum and maximum are whole KB or MB.
static int set_bytes(const struct option *option, const char *text)
{
    if (text_to_bytes(text, option->minimum, option->maximum, option->target))
        return KOV_OK;
    return fail(KOV_USAGE, "--%s %s: must be bytes, from %" PRIu64 "K to %" PRIu64 "M",
                option->name, text, option->minimum >> 10, option->maximum >> 20);
}

static int set_number(const struct option *option, const char *text)
{
    if (option->kind == OPTION_BYTES)
        return set_bytes(option, text);
    if (option->kind != OPTION_SECONDS) {
        if (text_to_u64(text, option->minimum, option->maximum, option->target))
            return KOV_OK;
        return fail(KOV_USAGE, "--%s %s: must be a number from %" PRIu64 " to %" PRIu64,
                    option->name, text, option->minimum, option->maximum);
    }
    if (text_to_double(text, (double)option->minimum, (double)option->maximum, option->target))
        return KOV_OK;
    return fail(KOV_USAGE, "--%s %s: must be seconds, from %" PRIu64 " to %" PRIu64, option->name,
                text, option->minimum, option->maximum);
}

static int set(const struct option *option, const char *text)
{
    struct texts *texts = option->target;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)option->target = true;
        return KOV_OK;
    case OPTION_TEXT:
        *(const char **)option->target = text;
        return KOV_OK;
    case OPTION_TEXTS:
        if (texts->count == TEXTS_MAX)
            return fail(KOV_USAGE, "--%s may be given %d times", option->name, TEXTS_MAX);
        texts->texts[texts->count++] = text;
        return KOV_OK;
    case OPTION_NUMBER:
    case OPTION_OPTIONAL:
    case OPTION_BYTES:
    case OPTION_SECONDS:
        break;
    }
    return set_number(option, text);
}

static bool begins_number(const char *text)
{
    return text != NULL && text[0] >= '0' && text[0] <= '9';
}

// Sets an option from the value that is `attached` to it. If that is NULL, it takes the next
// argument. *used is 1 or 2.
static int take_value(const struct option *option, const char *attached, const char *next,
                      int *used)
{
    *used = 1;
    if (option->kind == OPTION_FLAG) {
        if (attached != NULL)
            return fail(KOV_USAGE, "--%s takes no value", option->name);
        return set(option, NULL);
    }
    if (attached != NULL)
        return set(option, attached);
    if (option->kind == OPTION_OPTIONAL && !begins_number(next))
        return KOV_OK;
    if (next == NULL)
        return fail(KOV_USAGE, "--%s needs a value: %s", option->name, option->argument);
    *used = 2;
    return set(option, next);
}

static int unknown_option(const struct option *const *tables, const char *text, size_t length)
{
    struct near near = {.typed = text, .length = length};
    for (; *tables != NULL; tables++)
        for (const struct option *option = *tables; option->name != NULL; option++)
            near_offer(&near, option->name, strlen(option->name));
    for (const struct option *option = global_options; option->name != NULL; option++)
        near_offer(&near, option->name, strlen(option->name));
    return fail(KOV_USAGE, "unknown option --%.*s%s", (int)length, text, near_hint(&near));
}

static int parse_long(const struct option *const *tables, const char *text, const char *next,
                      int *used)
{
    size_t length = strcspn(text, "=");
    const struct option *option = find(tables, 0, text, length);
    if (option == NULL)
        return unknown_option(tables, text, length);
    return take_value(option, text[length] == '=' ? text + length + 1 : NULL, next, used);
}

// Sets the options of an argument such as "-g", "-gv", "-d5", or "-d 5". *used is 1 or 2.
static int parse_letters(const struct option *const *tables, const char *text, const char *next,
                         int *used)
{
    *used = 1;
    for (; *text != '\0'; text++) {
        const struct option *option = find(tables, *text, "", 0);
        if (option == NULL)
            return fail(KOV_USAGE, "unknown option -%c", *text);
        bool last = text[1] == '\0';
        bool alone = option->kind == OPTION_FLAG ||
                     (option->kind == OPTION_OPTIONAL && !last && !begins_number(text + 1));
        int code = take_value(option, alone || last ? NULL : text + 1, last ? next : NULL, used);
        if (code != KOV_OK || !alone)
            return code;
    }
    return KOV_OK;
}

static int parse_one(const struct option *const *tables, int argc, char **argv, int *used)
{
    const char *next = argc > 1 ? argv[1] : NULL;
    if (argv[0][1] == '-')
        return parse_long(tables, argv[0] + 2, next, used);
    return parse_letters(tables, argv[0] + 1, next, used);
}

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1] != '\0';
}

int options_parse(const struct option *const *tables, int argc, char **argv,
                  struct arguments *result)
{
    *result = (struct arguments){.values = argv};
    for (int i = 0; i < argc;) {
        if (strcmp(argv[i], "--") == 0) {
            result->has_workload = true;
            result->workload = argv + i + 1;
            result->workload_count = argc - i - 1;
            break;
        }
        int used = 1;
        if (!is_option(argv[i])) {
            argv[result->count++] = argv[i];
        } else {
            int code = parse_one(tables, argc - i, argv + i, &used);
            if (code != KOV_OK)
                return code;
        }
        i += used;
    }
    return KOV_OK;
}

int options_parse_leading(const struct option *table, int argc, char **argv, int *used)
{
    const struct option *const tables[] = {table, NULL};
    *used = 0;
    while (*used < argc && is_option(argv[*used]) && strcmp(argv[*used], "--") != 0) {
        const char *text = argv[*used];
        const char *name = text[1] == '-' ? text + 2 : "";
        if (find_in(table, *name == '\0' ? text[1] : '\0', name, strcspn(name, "=")) == NULL)
            return fail(KOV_USAGE, "%s cannot stand here: only --%s can", text, table->name);
        int taken;
        int code = parse_one(tables, argc - *used, argv + *used, &taken);
        if (code != KOV_OK)
            return code;
        *used += taken;
    }
    return KOV_OK;
}

int options_parse_global(int argc, char **argv, int *used)
{
    const struct option *no_table = NULL;
    *used = 0;
    while (*used < argc && is_option(argv[*used]) && strcmp(argv[*used], "--") != 0) {
        int taken;
        int code = parse_one(&no_table, argc - *used, argv + *used, &taken);
        if (code != KOV_OK)
            return code;
        *used += taken;
    }
    return KOV_OK;
}

void options_print(FILE *out, const struct option *table)
{
    for (; table->name != NULL; table++) {
        char left[64];
        char letter[] = {'-', table->letter, ',', ' ', '\0'};
        const char *argument = table->argument != NULL ? table->argument : "";
        const char *form = table->argument == NULL          ? "%s--%s%s"
                           : table->kind == OPTION_OPTIONAL ? "%s--%s [%s]"
                                                            : "%s--%s %s";
        snprintf(left, sizeof(left), form, table->letter != 0 ? letter : "    ", table->name,
                 argument);
        fprintf(out, "  %-26s %s\n", left, table->help);
    }
}
