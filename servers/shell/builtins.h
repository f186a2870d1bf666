// SPDX-License-Identifier: MIT
// Commands of the shell itself. They run in its main thread.
#ifndef SHELL_BUILTINS_H
#define SHELL_BUILTINS_H

#include <orrery/types.h>

// Runs a command. files: the descriptors to use as 0, 1, 2. Returns the exit status.
typedef int (*builtin_function)(int argc, char **argv, const int files[3]);

// Returns the command with this name, or NULL.
builtin_function builtin_find(const char *name);

#endif
