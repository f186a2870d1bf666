// SPDX-License-Identifier: MIT
// Commands that the shell carries out itself.
#ifndef SHELL_BUILTINS_H
#define SHELL_BUILTINS_H

#include <orrery/types.h>

// files: the descriptors to use as 0, 1, 2. Returns the exit status.
typedef int (*builtin_function)(int argc, char **argv, const int files[3]);

// NULL: there is none of that name.
builtin_function builtin_find(const char *name);

#endif
