// SPDX-License-Identifier: MIT
// Starts services when what they need is there, and again when they have ended. One thread,
// init's first.
#ifndef INIT_SUPERVISOR_H
#define INIT_SUPERVISOR_H

#include "manifest.h"

// program: what to run, as a last service and instead of those with the console,
// once the others are up, "" for none.
// power_off: then power off with its status.
void supervise(const struct manifest *manifest, char *program, bool power_off)
    __attribute__((noreturn));

#endif
