// SPDX-License-Identifier: MIT
// Shell variables. The exported ones are in environ, the environment of programs. The shell's main
// thread calls what is declared here.
#ifndef SHELL_VARIABLES_H
#define SHELL_VARIABLES_H

#include <orrery/types.h>

// Returns the value, or NULL if the variable is not set.
const char *variable_get(const char *name);
// Sets a variable. An exported one stays exported. Returns 0 or E_NOMEM.
s64 variable_set(const char *name, const char *value);
// Exports a variable. Returns 0, E_NOENT if it is not set, or E_NOMEM.
s64 variable_export(const char *name);
void variable_unset(const char *name);
// Calls show for all variables, in no particular order.
void variables_each(void (*show)(void *context, const char *name, const char *value, bool exported),
                    void *context);

#endif
