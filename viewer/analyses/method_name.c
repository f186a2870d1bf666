// SPDX-License-Identifier: MIT
// Names of methods.
#include "analyses/method_name.h"
#include "tools/kov.h"

#include <ipc/method_names.h>

#define ROW(word, name) {word, name},
static const struct {
    u64 word;
    const char *name;
} methods[] = {METHOD_NAMES(ROW)};

const char *method_name(u64 word)
{
    for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
        if (methods[i].word == word)
            return methods[i].name;
    return NULL;
}
