// SPDX-License-Identifier: MIT
// Reads the manifest. A wrong line costs its own service only.
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

#define SPACE " \t\r"

struct word {
    const char *text;
    u64 value;
};

static const struct word rights[] = {
    {"none", 0},
    {"all", RIGHT_ALL},
    {"monitor", RIGHT_MONITOR},
    {"net", RIGHT_NET},
    {"block", RIGHT_BLOCK},
    {"console", RIGHT_CONSOLE},
    {"power", RIGHT_POWER},
    {"process", RIGHT_PROCESS},
    {"initrd", RIGHT_INITRD},
    {"server", RIGHT_SERVER},
    {"swap", RIGHT_SWAP},
    {"place", RIGHT_PLACE},
};
static const struct word priorities[] = {
    {"low", PROCESS_LOW},
    {"normal", PROCESS_NORMAL},
    {"high", PROCESS_HIGH},
    {"server", PROCESS_SERVER},
};
static const struct word restarts[] = {
    {"always", RESTART_ALWAYS},
    {"failure", RESTART_FAILURE},
    {"never", RESTART_NEVER},
};

#define LOOK_UP(table, text, value) look_up(table, ARRAY_SIZE(table), text, value)
static bool look_up(const struct word *table, u64 count, const char *text, u64 *value)
{
    for (u64 i = 0; i < count; i++) {
        if (strcmp(table[i].text, text) == 0) {
            *value = table[i].value;
            return true;
        }
    }
    return false;
}

s32 manifest_find(const struct manifest *manifest, const char *name)
{
    for (u32 i = 0; i < manifest->count; i++) {
        if (strcmp(manifest->services[i].name, name) == 0)
            return (s32)i;
    }
    return -1;
}

u32 manifest_reserved(const struct manifest *manifest, const char *name)
{
    for (u32 i = 0; i < manifest->reserved_count; i++) {
        if (strcmp(manifest->reserved[i].name, name) == 0)
            return manifest->reserved[i].rights;
    }
    return 0;
}

// ---- values: each reader returns NULL, or a message that says what is wrong ---------------------

static const char *read_rights(struct service_plan *plan, char *value)
{
    char *rest;
    for (char *name = strtok_r(value, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        u64 bits;
        if (!LOOK_UP(rights, name, &bits))
            return "unknown right";
        plan->rights |= (u32)bits;
    }
    return NULL;
}

static const char *read_needs(const struct manifest *manifest, struct service_plan *plan,
                              char *value)
{
    char *rest;
    for (char *name = strtok_r(value, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        s32 index = manifest_find(manifest, name);
        if (index < 0)
            return "needs a service that is not listed above it";
        plan->needs |= 1u << index;
    }
    return NULL;
}

static const char *read_memory(struct service_plan *plan, const char *value)
{
    char *end;
    u64 megabytes = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || megabytes == 0 || megabytes > 1 << 20)
        return "memory is a number of megabytes";
    plan->memory_limit = megabytes << 20;
    return NULL;
}

static const char *read_word(struct service_plan *plan, const char *option)
{
    if (strcmp(option, "console") == 0)
        plan->console = true;
    else if (strcmp(option, "unnamed") == 0)
        plan->unnamed = true;
    else
        return "unknown option";
    return NULL;
}

static const char *read_option(const struct manifest *manifest, struct service_plan *plan,
                               char *option)
{
    u64 number;
    char *value = strchr(option, '=');
    if (value == NULL)
        return read_word(plan, option);
    *value++ = '\0';
    if (strcmp(option, "rights") == 0)
        return read_rights(plan, value);
    if (strcmp(option, "needs") == 0)
        return read_needs(manifest, plan, value);
    if (strcmp(option, "memory") == 0)
        return read_memory(plan, value);
    if (strcmp(option, "priority") == 0) {
        if (!LOOK_UP(priorities, value, &number))
            return "unknown priority";
        plan->priority = (u32)number;
        return NULL;
    }
    if (strcmp(option, "restart") == 0) {
        if (!LOOK_UP(restarts, value, &number))
            return "unknown restart";
        plan->restart = (enum restart)number;
        return NULL;
    }
    return "unknown option";
}

static const char *add_argument(struct service_plan *plan, u64 *used, const char *argument)
{
    u64 bytes = strlen(argument) + 1;
    if (plan->argument_count == SERVICE_ARGUMENTS_MAX || bytes > SERVICE_TEXT_MAX - *used)
        return "too many arguments";
    plan->arguments[plan->argument_count++] = memcpy(plan->text + *used, argument, bytes);
    *used += bytes;
    return NULL;
}

static const char *copy_word(char *to, u64 max, const char *from, const char *wrong)
{
    if (from == NULL || strlen(from) > max)
        return wrong;
    strcpy(to, from);
    return NULL;
}

// Reads the words of a line into plan: NAME PROGRAM OPTION… [-- ARGUMENT…]. Returns NULL, or what
// is wrong.
static const char *read_line(const struct manifest *manifest, struct service_plan *plan, char *name,
                             char **rest)
{
    bool arguments = false;
    u64 used = 0;
    const char *wrong = copy_word(plan->name, SERVICE_NAME_MAX, name, "name too long");
    if (wrong == NULL)
        wrong = copy_word(plan->program, SERVICE_PROGRAM_MAX, strtok_r(NULL, SPACE, rest),
                          "no program, or its path is too long");
    if (wrong == NULL &&
        (manifest_find(manifest, plan->name) >= 0 || manifest_reserved(manifest, plan->name) != 0))
        wrong = "another service has this name";
    for (char *word; wrong == NULL && (word = strtok_r(NULL, SPACE, rest)) != NULL;) {
        if (arguments)
            wrong = add_argument(plan, &used, word);
        else if (strcmp(word, "--") == 0)
            arguments = true;
        else
            wrong = read_option(manifest, plan, word);
    }
    return wrong;
}

// A line without a program: NAME - rights=RIGHTS. Returns NULL, or what is wrong.
static const char *reserve(struct manifest *manifest, const struct service_plan *plan)
{
    if (plan->rights == 0)
        return "a name without a program needs rights";
    if (manifest->reserved_count == RESERVED_NAMES_MAX)
        return "too many names without a program";
    struct reserved_name *reserved = &manifest->reserved[manifest->reserved_count++];
    strcpy(reserved->name, plan->name);
    reserved->rights = plan->rights;
    return NULL;
}

// Takes a correct line, which stands in the next free place. Returns NULL, or what is wrong.
static const char *take_line(struct manifest *manifest)
{
    const struct service_plan *plan = &manifest->services[manifest->count];

    if (strcmp(plan->program, "-") == 0)
        return reserve(manifest, plan);
    manifest->count++;
    return NULL;
}

void manifest_parse(char *text, struct manifest *manifest,
                    void (*complain)(u32 line, const char *what))
{
    *manifest = (struct manifest){0};
    for (u32 number = 1; text != NULL; number++) {
        char *rest, *end = strchr(text, '\n');
        if (end != NULL)
            *end++ = '\0';
        char *name = strtok_r(text, SPACE, &rest);
        text = end;
        if (name == NULL || name[0] == '#')
            continue;
        if (manifest->count == SERVICES_MAX) {
            complain(number, "too many services");
            return;
        }
        struct service_plan *plan = &manifest->services[manifest->count];
        *plan = (struct service_plan){.priority = PROCESS_NORMAL};
        const char *wrong = read_line(manifest, plan, name, &rest);
        if (wrong == NULL)
            wrong = take_line(manifest);
        if (wrong != NULL)
            complain(number, wrong);
    }
}
