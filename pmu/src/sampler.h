// SPDX-License-Identifier: MIT
// Sampling on one CPU: its buffer, and what its reader has seen. The PmuManager's representative of
// that CPU owns it.
#ifndef PMU_SAMPLER_H
#define PMU_SAMPLER_H

#include "sample_buffer.h"

#include <orrery/sys.h>

struct sampler {
    struct sample_buffer buffer;
    u32 cpu;
    u32 event;
    u32 reader_busy;                           // one reader at a time
    u64 attributed, unattributed, stale, idle; // of those read
    u64 ticks_before;                          // in the handler, before this session
    u64 missed_before;                         // periods, before this session
};

// Takes the reader's place; false when another reader has it. Any thread.
bool sampler_claim(struct sampler *sampler);
void sampler_release(struct sampler *sampler);

// Both by the claimer only. Moves samples into buffer as struct sys_sample: bytes written, 0 when
// there is none, E_INVAL when not even one fits.
s64 sampler_read(struct sampler *sampler, void *buffer, u64 bytes);
// Empties everything for a new session. 0 or E_NOMEM.
s64 sampler_reset(struct sampler *sampler, const struct sys_sampling *sampling);

// Counts so far, but missed and ticks_in_handler. Claimed or not; while samples come in, not of one
// instant.
void sampler_stat(const struct sampler *sampler, struct sys_sampling_stat *stat);

#endif
