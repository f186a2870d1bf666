// SPDX-License-Identifier: MIT
// Second implementations of the models, from what they are to do and not from how they do it: slow,
// with other data structures, and with nothing of theirs included.
#ifndef TEST_MODEL_REFERENCE_H
#define TEST_MODEL_REFERENCE_H

#include <orrery/types.h>

// A line is there if fewer than `ways` other lines of its set were asked for since it was itself.
struct reference_cache *reference_cache_new(u64 bytes, u64 ways, u64 line_bytes);
void reference_cache_free(struct reference_cache *cache);
bool reference_cache_access(struct reference_cache *cache, u64 line);

// A bag of translations with the time of their last use.
struct reference_tlb *reference_tlb_new(u64 entries, u64 ways);
void reference_tlb_free(struct reference_tlb *tlb);
bool reference_tlb_access(struct reference_tlb *tlb, u64 space, u64 page);
void reference_tlb_flush(struct reference_tlb *tlb, u64 space, u64 page);
void reference_tlb_flush_space(struct reference_tlb *tlb, u64 space);
void reference_tlb_flush_all(struct reference_tlb *tlb);

// Everything that each branch did, looked up again for each prediction.
struct reference_predictor *reference_predictor_new(u64 local_entries, u64 global_entries,
                                                    u64 history_bits);
void reference_predictor_free(struct reference_predictor *predictor);
bool reference_predictor_resolve(struct reference_predictor *predictor, u64 pc, u32 hint,
                                 bool taken);

#endif
