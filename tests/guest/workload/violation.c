// SPDX-License-Identifier: MIT
// Workload violation: does one wrong thing, for the sanitizer to find, and does not end; or, of
// kind "healthy", all of them as they should be done. Only in images with a sanitizer.
#include "violation.h"

#include <kernel/console.h>
#include <kernel/panic.h>
#include <workloads/workload.h>

#define KIND_NAME(name, function) "|" name
#define KIND_FUNCTION(name, function) function,

static void (*const violations[])(u64 wrong) = {VIOLATION_KINDS(KIND_FUNCTION)};

#ifdef SANITIZE_ADDRESS
#define FIRST_KIND "use-after-free"
#else
#define FIRST_KIND "add"
#endif

static const struct workload_param params[] = {
    {"kind", PARAM_CHOICE, FIRST_KIND, 0, 0, 0, &(VIOLATION_KINDS(KIND_NAME) "|healthy")[1]},
};

static void work(struct workload_run *run, u32 cpu)
{
    (void)cpu;
    u64 kind = run->values[0].numbers[0];
    if (kind < ARRAY_SIZE(violations)) {
        violations[kind](1);
        panic("the violation that was asked for was not found");
    }
    for (kind = 0; kind < ARRAY_SIZE(violations); kind++)
        violations[kind](0);
    kprintf("violation: %lu kinds in good health\n", kind);
}

static const struct workload workload_violation = {
    .name = "violation",
    .help = "kind=NAME: what a sanitizer has to find; healthy: all of it, done well",
    .params = params,
    .param_count = ARRAY_SIZE(params),
    .cpus_param = UINT32_MAX,
    .prepare = workload_no_prepare,
    .work = work,
    .finish = workload_nothing,
    .release = workload_nothing,
};
WORKLOAD(workload_violation);
