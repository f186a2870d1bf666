// SPDX-License-Identifier: MIT
// Programs, as processes of a job.
#ifndef SHELL_PROGRAM_H
#define SHELL_PROGRAM_H

#include "jobs.h"
#include "launch.h"

// Starts a command that has been prepared: 0, or an exit status (the error is told).
// The shell's main thread.
int program_start(struct launch *launch, struct job *job);

#endif
