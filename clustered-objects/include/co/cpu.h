// SPDX-License-Identifier: MIT
// Per-CPU state of the object manager, at r13 + R13_CO.
#ifndef CO_CPU_H
#define CO_CPU_H

#include <orrery/types.h>

struct co_chunk;

struct co_cpu {
    u64 generation;         // only its CPU writes it, all read it
    u64 members[2];         // of generations g and g-1, index: number & 1; its CPU only
    struct co_chunk *chunk; // the source of its next COIDs
    u64 advances;           // generation changes, for statistics
};

_Static_assert(sizeof(struct co_cpu) <= 0x100, "must fit R13_CO … R13_PMU");

#endif
