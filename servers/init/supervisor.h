// SPDX-License-Identifier: MIT
// Starts each service once the services it needs are up, and again after it has ended.
#ifndef INIT_SUPERVISOR_H
#define INIT_SUPERVISOR_H

#include "manifest.h"

// Supervises the manifest's services for ever, in init's first thread. program: the program and its
// arguments, separated by blanks or commas, and changed here. It runs once the others are up,
// instead of the services that use the console; "" for none. power_off: power off with the
// program's status once it has ended.
void supervise(const struct manifest *manifest, char *program, bool power_off)
    __attribute__((noreturn));

#endif
