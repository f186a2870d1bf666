// SPDX-License-Identifier: MIT
// Walks over pages and lines of which the modelled machine's TLB and caches hold none, or all.
#ifndef GUEST_MODEL_WALK_H
#define GUEST_MODEL_WALK_H

#include "model_measure.h"

#define MODEL_WALKS_MAX 10

// Fills cases and makes the memory that they walk over. How many; 0: no memory.
u32 model_walks_create(struct model_case cases[MODEL_WALKS_MAX]);
// Gives the memory back.
void model_walks_destroy(void);

#endif
