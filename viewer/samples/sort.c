// SPDX-License-Identifier: MIT
// Reads by what the user wants samples to be added up.
#include "samples/aggregate.h"
#include "tools/kov.h"

#include <string.h>

static const char *const names[SORT_KEYS] = {
    [SORT_PROCESS] = "process",   [SORT_OBJECT] = "object", [SORT_CLASS] = "class",
    [SORT_FUNCTION] = "function", [SORT_LINE] = "line",     [SORT_THREAD] = "thread",
    [SORT_CPU] = "cpu",
};

const char *sort_key_name(enum sort_key key)
{
    return names[key];
}

static int add_key(struct sort *sort, const char *name, size_t length)
{
    for (enum sort_key key = 0; key < SORT_KEYS; key++) {
        if (strlen(names[key]) != length || strncmp(names[key], name, length) != 0)
            continue;
        for (u32 i = 0; i < sort->count; i++) {
            if (sort->keys[i] == key)
                return fail(KOV_USAGE, "--sort names %s twice", names[key]);
        }
        sort->keys[sort->count++] = key;
        return KOV_OK;
    }
    return fail(KOV_USAGE,
                "--sort: '%.*s' is none of process, object, class, function, line, thread, cpu",
                (int)length, name);
}

int sort_parse(const char *text, struct sort *sort)
{
    *sort = (struct sort){0};
    for (;;) {
        size_t length = strcspn(text, ",");
        int code = add_key(sort, text, length);
        if (code != KOV_OK || text[length] == '\0')
            return code;
        text += length + 1;
    }
}
