// SPDX-License-Identifier: MIT
// Stands before every source that is analysed: what the compiler knows and Frama-C does not. Atomic
// operations are plain ones, since a proof is about one thread's steps (README.md); fences and
// return addresses say nothing about values.
#ifndef TESTS_PROOFS_MODEL_PRELUDE_H
#define TESTS_PROOFS_MODEL_PRELUDE_H

#ifndef LOAD // a subject whose memory others write to has its own
#define LOAD(address) (*(address))
#endif

#define __atomic_load_n(address, order) LOAD(address)
#define __atomic_store_n(address, value, order) ((void)(*(address) = (value)))
#define __atomic_exchange_n(address, value, order)                                                 \
    ({                                                                                             \
        __typeof__(*(address)) exchanged = *(address);                                             \
        *(address) = (value);                                                                      \
        exchanged;                                                                                 \
    })
#define __atomic_compare_exchange_n(address, expected, value, weak, order, otherwise)              \
    (*(address) == *(expected) ? (*(address) = (value), true) : (*(expected) = *(address), false))
#define __atomic_thread_fence(order) ((void)0)
#define __atomic_signal_fence(order) ((void)0)
#define __builtin_return_address(level) ((void *)0x1000)
#define __builtin_dwarf_cfa() ((void *)0x1000)

#endif
