// SPDX-License-Identifier: MIT
// Sums over all processes, for the host, and lines that tell how far it is.
#include "supervisor.h"

#include <map.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <user/time.h>

#define PROGRESS_SECONDS 10
#define COUNTS_MOST (1UL << 24) // no process makes so many calls

struct summary *summary;
volatile struct fuzz_coverage *coverage;
cap_t coverage_memory;

static union fuzz_counts *totals;

static void *map_pages(cap_t memory, u64 bytes)
{
    struct sys_region region = {
        .bytes = bytes, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};
    return sys_region_create(0, &region) == 0 ? (void *)region.address : NULL;
}

static void *new_pages(const char *name, u64 bytes, cap_t *memory)
{
    s64 cap = sys_memory_new(name, bytes);
    if (cap < 0)
        return NULL;
    *memory = (cap_t)cap;
    return map_pages(*memory, bytes);
}

// The plugin looks for the page by what stands in it, if there is a plugin.
static void find_plugin(void)
{
    coverage->magic = COVERAGE_PAGE_MAGIC;
    __asm__ volatile(".long %0" ::"i"(COVERAGE_FIND) : "memory");
}

s64 totals_create(void)
{
    cap_t memory;
    u64 bytes = FUZZ_PAGE + FUZZ_COUNT_PAGES * FUZZ_PAGE;
    u8 *pages = new_pages("fuzz totals", bytes, &memory);

    coverage = new_pages("fuzz coverage", FUZZ_PAGE, &coverage_memory);
    if (pages == NULL || coverage == NULL)
        return E_NOMEM;
    summary = (struct summary *)pages;
    totals = (union fuzz_counts *)(pages + FUZZ_PAGE);
    for (u32 part = 0; part <= FUZZ_COUNT_PAGES; part++)
        *(struct fuzz_head *)(pages + part * FUZZ_PAGE) =
            (struct fuzz_head){.magic = FUZZ_MAGIC, .kind = FUZZ_PAGE_TOTALS, .part = part};
    find_plugin();
    summary->executed_before = coverage->executed;
    summary->hz = time_hz();
    summary->ticks = time_now();
    return 0;
}

// What a process has written there may be anything.
void totals_add(struct fuzz_slot *slot)
{
    for (u32 call = 0; call < FUZZ_CALLS; call++) {
        for (u32 result = 0; result < FUZZ_RESULTS; result++) {
            u64 *from = fuzz_count_of(slot->counts, call, result);
            u64 number = *from;
            *from = 0;
            if (number > COUNTS_MOST) {
                summary->spoilt++;
                continue;
            }
            *fuzz_count_of(totals, call, result) += number;
            summary->calls += number;
        }
    }
}

void totals_progress(bool at_once)
{
    static u64 told;
    u64 seconds = (time_now() - summary->ticks) / summary->hz;

    summary->executed = coverage->executed;
    if (!at_once && seconds < told + PROGRESS_SECONDS)
        return;
    told = seconds;
    printf("\nfuzz: %llu s: %llu calls, %llu processes, %llu programs kept, %llu instructions of "
           "the kernel new\n",
           (unsigned long long)seconds, (unsigned long long)summary->calls,
           (unsigned long long)summary->processes, (unsigned long long)summary->corpus,
           (unsigned long long)(summary->executed - summary->executed_before));
}
