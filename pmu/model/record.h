// SPDX-License-Identifier: MIT
// Precise records of overflows.
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include "unit.h"

// Writes a record of a counter with that program into the CPU's ring, or counts it as lost. Only
// from callbacks that may read registers.
void record_write(struct vcpu *cpu, const struct model_program *program, u64 pc);

#endif
