// SPDX-License-Identifier: MIT
// Variables: a list of those that are not exported. The C library keeps the exported ones.
#include "variables.h"

#include <orrery/errors.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

struct variable {
    struct variable *next;
    char *value;
    char name[];
};

static struct variable *variables;

// Returns the link to the variable, or to the list's end.
static struct variable **find(const char *name)
{
    struct variable **at = &variables;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

const char *variable_get(const char *name)
{
    const struct variable *variable = *find(name);
    return variable != NULL ? variable->value : getenv(name);
}

static s64 add(const char *name, const char *value)
{
    struct variable *variable = malloc(sizeof(*variable) + strlen(name) + 1);
    if (variable == NULL)
        return E_NOMEM;
    variable->value = strdup(value);
    if (variable->value == NULL) {
        free(variable);
        return E_NOMEM;
    }
    strcpy(variable->name, name);
    variable->next = variables;
    variables = variable;
    return 0;
}

s64 variable_set(const char *name, const char *value)
{
    struct variable *variable = *find(name);

    if (variable == NULL && getenv(name) != NULL)
        return setenv(name, value, 1) == 0 ? 0 : E_NOMEM;
    if (variable == NULL)
        return add(name, value);
    char *copy = strdup(value);
    if (copy == NULL)
        return E_NOMEM;
    free(variable->value);
    variable->value = copy;
    return 0;
}

static void drop(struct variable **at)
{
    struct variable *variable = *at;
    *at = variable->next;
    free(variable->value);
    free(variable);
}

s64 variable_export(const char *name)
{
    struct variable **at = find(name);

    if (*at == NULL)
        return getenv(name) != NULL ? 0 : E_NOENT;
    if (setenv(name, (*at)->value, 1) != 0)
        return E_NOMEM;
    drop(at);
    return 0;
}

void variable_unset(const char *name)
{
    struct variable **at = find(name);
    if (*at != NULL)
        drop(at);
    unsetenv(name);
}

static void show_exported(const char *entry, void (*show)(void *, const char *, const char *, bool),
                          void *context)
{
    char name[128];
    const char *equals = strchr(entry, '=');

    if (equals == NULL || (u64)(equals - entry) >= sizeof(name))
        return;
    memcpy(name, entry, (u64)(equals - entry));
    name[equals - entry] = 0;
    show(context, name, equals + 1, true);
}

void variables_each(void (*show)(void *context, const char *name, const char *value, bool exported),
                    void *context)
{
    for (const struct variable *variable = variables; variable != NULL; variable = variable->next)
        show(context, variable->name, variable->value, false);
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        show_exported(*entry, show, context);
}
