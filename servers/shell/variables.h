// SPDX-License-Identifier: MIT
// Shell variables. Those that are exported are the environment of programs, kept in environ itself.
#ifndef SHELL_VARIABLES_H
#define SHELL_VARIABLES_H

#include <orrery/types.h>

// NULL: not set.
const char *variable_get(const char *name);
// 0, or E_NOMEM. What is exported already stays so.
s64 variable_set(const char *name, const char *value);
s64 variable_export(const char *name); // E_NOENT: not set
void variable_unset(const char *name);
// All, in no order.
void variables_each(void (*show)(void *context, const char *name, const char *value, bool exported),
                    void *context);

#endif
