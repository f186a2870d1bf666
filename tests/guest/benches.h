// SPDX-License-Identifier: MIT
// The list of benchmarks: name on the boot line, function, what it validates. Those marked BY_NAME
// are not part of `all`.
#ifndef GUEST_BENCHES_H
#define GUEST_BENCHES_H

#define GUEST_BENCHES(X)                                                                           \
    X(timer, IN_ALL, "timers fire once, in order, not early")                                      \
    X(thread, IN_ALL, "park and unpark across CPUs, no lost wake-up")                              \
    X(spinlock, IN_ALL, "mutual exclusion on all CPUs")                                            \
    X(mutex, IN_ALL, "mutexes and wait queues: one owner, in turn, with deadlines")                \
    X(memory, IN_ALL, "pages and small objects keep their contents under load")                    \
    X(space, IN_ALL, "address spaces: regions, faults, copy-on-write, limits; every page back")    \
    X(fault, IN_ALL, "bad addresses, guard pages, read-only text, calls on other CPUs")            \
    X(object, IN_ALL, "object scan against what was created; stale COIDs")                         \
    X(counter, IN_ALL, "shared and distributed counter: sums over all CPUs")                       \
    X(churn, IN_ALL, "objects destroyed under load on other CPUs")                                 \
    X(dref, IN_ALL, "DREF counts by object and CPU")                                               \
    X(hook, IN_ALL, "DREF hook patched in and out under load")                                     \
    X(cycles, IN_ALL, "cycle samples: number, object, soft-masked sections")                       \
    X(loss, IN_ALL, "samples that are not read: lost ones counted, buffer grows")                  \
    X(ratio, IN_ALL, "cycle samples of two objects with work 2:1")                                 \
    X(trace, IN_ALL, "trace events: count, words, order")                                          \
    X(nesting, IN_ALL, "trace events with timers, IPIs and PMIs nesting")                          \
    X(overwrite, IN_ALL, "flight recorder: overwritten + kept = emitted")                          \
    X(model, IN_ALL, "the model unit's counts against hand counts; skipped without the unit")      \
    X(hostile, BY_NAME, "a guest that mistreats the model unit; skipped without the unit")         \
    X(budget, BY_NAME, "instruction budgets (run under -icount shift=0 -smp 1)")

#define GUEST_BENCH_DECLARE(name, when, about) void bench_##name(void);
GUEST_BENCHES(GUEST_BENCH_DECLARE)
#undef GUEST_BENCH_DECLARE

#endif
