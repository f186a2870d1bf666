// SPDX-License-Identifier: MIT
// Benchmark harness: picks the benchmarks that the boot line names and keeps the table of verdicts.
#include <boot/benches.h>
#include <kernel/console.h>
#include <kernel/panic.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "benches.h"

#define NAME_WIDTH 54
#define EXPECTED_WIDTH 23

enum when { IN_ALL, BY_NAME };

struct bench {
    const char *name;
    enum when when;
    void (*run)(void);
    const char *about;
};

#define GUEST_BENCH_ENTRY(name, when, about) {#name, when, bench_##name, about},
static const struct bench benches[] = {GUEST_BENCHES(GUEST_BENCH_ENTRY)};

static int rows_ok, rows_failed;

static void row(bool ok, const char *expected, u64 counted, const char *format, va_list arguments)
{
    char name[NAME_WIDTH + 1];
    vsnprintf(name, sizeof(name), format, arguments);
    kprintf("%-*s %*s %14llu  %s\n", NAME_WIDTH, name, EXPECTED_WIDTH, expected,
            (unsigned long long)counted, ok ? "ok" : "FAILED");
    if (ok)
        rows_ok++;
    else
        rows_failed++;
}

void bench_exact(u64 expected, u64 counted, const char *format, ...)
{
    char text[EXPECTED_WIDTH + 1];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)expected);
    va_list arguments;
    va_start(arguments, format);
    row(counted == expected, text, counted, format, arguments);
    va_end(arguments);
}

void bench_range(u64 low, u64 high, u64 counted, const char *format, ...)
{
    char text[2 * 20 + 3];
    if (high == UINT64_MAX)
        snprintf(text, sizeof(text), "at least %llu", (unsigned long long)low);
    else
        snprintf(text, sizeof(text), "%llu..%llu", (unsigned long long)low,
                 (unsigned long long)high);
    va_list arguments;
    va_start(arguments, format);
    row(low <= counted && counted <= high, text, counted, format, arguments);
    va_end(arguments);
}

void bench_note(const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    kprintf("  note: %s\n", text);
}

void bench_compare(struct bench_tally *tally, u64 expected, u64 counted)
{
    tally->expected += expected;
    tally->counted += counted;
    tally->comparisons++;
    if (expected != counted)
        tally->mismatches++;
}

void bench_tally_row(const struct bench_tally *tally, const char *format, ...)
{
    char text[EXPECTED_WIDTH + 1];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)tally->expected);
    va_list arguments;
    va_start(arguments, format);
    row(tally->comparisons > 0 && tally->mismatches == 0, text, tally->counted, format, arguments);
    va_end(arguments);
    if (tally->mismatches != 0)
        bench_note("%llu of %llu comparisons differ", (unsigned long long)tally->mismatches,
                   (unsigned long long)tally->comparisons);
}

static const struct bench *find(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(benches); i++)
        if (strlen(benches[i].name) == length && memcmp(benches[i].name, name, length) == 0)
            return &benches[i];
    return NULL;
}

static void refuse(const char *name, size_t length)
{
    kprintf("error: bench=: unknown benchmark '%.*s'. Valid: all (those marked +), or:\n",
            (int)length, name);
    for (size_t i = 0; i < ARRAY_SIZE(benches); i++)
        kprintf("  %c %-10s %s\n", benches[i].when == IN_ALL ? '+' : ' ', benches[i].name,
                benches[i].about);
    power_off(1);
}

// Calls visit for each name of the list; every name is checked before the first one runs.
static void each_name(const char *names, void (*visit)(const struct bench *bench))
{
    bool more = true;
    while (more) {
        size_t length = strcspn(names, ",");
        const struct bench *bench = find(names, length);
        if (bench == NULL)
            refuse(names, length);
        visit(bench);
        more = names[length] == ',';
        names += length + 1;
    }
}

static void bench_run(const struct bench *bench)
{
    kprintf("-- %s: %s\n", bench->name, bench->about);
    bench->run();
}

static void check_only(const struct bench *bench)
{
    (void)bench;
}

int boot_run_benches(const char *names)
{
    bool all = strcmp(names, "all") == 0;
    if (!all)
        each_name(names, check_only);
    rows_ok = rows_failed = 0;
    kprintf("%-*s %*s %14s  %s\n", NAME_WIDTH, "benchmark", EXPECTED_WIDTH, "expected", "counted",
            "verdict");
    for (size_t i = 0; all && i < ARRAY_SIZE(benches); i++)
        if (benches[i].when == IN_ALL)
            bench_run(&benches[i]);
    if (!all)
        each_name(names, bench_run);
    kprintf("BENCHMARKS %d ok, %d failed\n", rows_ok, rows_failed);
    return rows_failed;
}
