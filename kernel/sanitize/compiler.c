// SPDX-License-Identifier: MIT
// Checks that failed in the code itself, and those that are made here.
#include "compiler.h"

#include "report.h"
#include "shadow.h"

#define CALLER ((u64)__builtin_return_address(0))

static void check(u64 address, u64 bytes, bool write, u64 pc)
{
    if (!shadow_allows(address, bytes))
        report_access(address, bytes, write, pc);
}

#define DEFINE_REPORTS(bytes)                                                                      \
    void __asan_report_load##bytes##_noabort(u64 address)                                          \
    {                                                                                              \
        report_access(address, bytes, false, CALLER);                                              \
    }                                                                                              \
    void __asan_report_store##bytes##_noabort(u64 address)                                         \
    {                                                                                              \
        report_access(address, bytes, true, CALLER);                                               \
    }
EACH_SIZE(DEFINE_REPORTS)

void __asan_report_load_n_noabort(u64 address, u64 bytes)
{
    report_access(address, bytes, false, CALLER);
}

void __asan_report_store_n_noabort(u64 address, u64 bytes)
{
    report_access(address, bytes, true, CALLER);
}

#define DEFINE_CHECKS(bytes)                                                                       \
    void __asan_load##bytes##_noabort(u64 address)                                                 \
    {                                                                                              \
        check(address, bytes, false, CALLER);                                                      \
    }                                                                                              \
    void __asan_store##bytes##_noabort(u64 address)                                                \
    {                                                                                              \
        check(address, bytes, true, CALLER);                                                       \
    }
EACH_SIZE(DEFINE_CHECKS)

void __asan_loadN_noabort(u64 address, u64 bytes)
{
    check(address, bytes, false, CALLER);
}

void __asan_storeN_noabort(u64 address, u64 bytes)
{
    check(address, bytes, true, CALLER);
}
