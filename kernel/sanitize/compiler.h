// SPDX-License-Identifier: MIT
// What instrumented code calls, by the names that the compiler gives.
#ifndef KERNEL_SANITIZE_COMPILER_H
#define KERNEL_SANITIZE_COMPILER_H

#include <orrery/types.h>

struct global;

// Accesses of 1, 2, 4, 8 and 16 bytes, and of any size, whose check in the code has failed.
#define EACH_SIZE(one) one(1) one(2) one(4) one(8) one(16)
#define DECLARE_REPORTS(bytes)                                                                     \
    void __asan_report_load##bytes##_noabort(u64 address);                                         \
    void __asan_report_store##bytes##_noabort(u64 address);
EACH_SIZE(DECLARE_REPORTS)
void __asan_report_load_n_noabort(u64 address, u64 bytes);
void __asan_report_store_n_noabort(u64 address, u64 bytes);

// Accesses that are checked by a call: of functions with very many.
#define DECLARE_CHECKS(bytes)                                                                      \
    void __asan_load##bytes##_noabort(u64 address);                                                \
    void __asan_store##bytes##_noabort(u64 address);
EACH_SIZE(DECLARE_CHECKS)
void __asan_loadN_noabort(u64 address, u64 bytes);
void __asan_storeN_noabort(u64 address, u64 bytes);

// Called before a call that does not return: frames are left behind, with the redzones between
// their variables.
void __asan_handle_no_return(void);
// Variables of a block that ends or begins.
void __asan_poison_stack_memory(u64 address, u64 bytes);
void __asan_unpoison_stack_memory(u64 address, u64 bytes);

void __asan_register_globals(const struct global *globals, u64 count);
void __asan_unregister_globals(const struct global *globals, u64 count);

#endif
