// SPDX-License-Identifier: MIT
// Loops whose events are counted by hand, and the window around each (model_body.S).
#ifndef GUEST_MODEL_BODY_H
#define GUEST_MODEL_BODY_H

#define MODEL_BODY_DATA 64      // offset in struct model_work
#define MODEL_BODY_SEQUENCE 120 // that of the random body
#define MODEL_BODY_READ 0x4f04

#ifndef __ASSEMBLER__
#include <orrery/pmu_model.h>

_Static_assert(MODEL_BODY_READ == (MODEL_COMMAND | MODEL_READ), "the command of model_body.S");

// One cache line, so that it is in no other set than its own.
struct model_work {
    u64 before[MODEL_COUNTERS]; // values as the window opened
    u64 data[7];
    u64 sequence; // where model_body_random has got to
} __attribute__((aligned(128)));

_Static_assert(offsetof(struct model_work, data) == MODEL_BODY_DATA, "an offset of model_body.S");
_Static_assert(offsetof(struct model_work, sequence) == MODEL_BODY_SEQUENCE, "another");

// Runs a loop of so many turns (> 0) twice, each time in a window: from one MODEL_READ, whose
// values it copies from `value` (of the CPU's slot) to work->before, to the next one, whose values
// stay in the slot. The first time warms everything up. Interrupts off. What a, b and c
// are is the loop's.
typedef void model_body(u64 turns, const u64 *value, struct model_work *work, u64 a, u64 b, u64 c);

// Every window has these besides its loop's: the first MODEL_READ itself, and copying.
#define MODEL_WINDOW_INSTRUCTIONS 17
#define MODEL_WINDOW_LOADS 8
#define MODEL_WINDOW_STORES 8

model_body model_body_spin, model_body_adds, model_body_row, model_body_calls, model_body_pages,
    model_body_memory;
extern const char model_body_spin_loop[]; // its first instruction
model_body model_body_larx, model_body_lock, model_body_failing, model_body_sizes;
model_body model_body_right, model_body_wrong, model_body_always, model_body_alternate;
model_body model_body_random; // a: factor of the sequence, odd
model_body model_body_reads,
    model_body_writes;      // a: address, b: bytes between, c: bytes in all less 1
model_body model_body_code; // a: address of the code to call
#endif
#endif
