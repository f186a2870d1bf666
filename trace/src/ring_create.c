// SPDX-License-Identifier: MIT
// Allocates a CPU's ring.
#include <orrery/errors.h>
#include <trace/platform.h>
#include <trace/ring.h>

static void free_all(u64 *subbuffers, u32 count)
{
    for (u32 i = 0; i < count; i++)
        trace_platform_subbuffer_free((void *)subbuffers[i]);
    trace_platform_free(subbuffers);
}

static u64 *alloc_all(u32 count)
{
    u64 *subbuffers = trace_platform_alloc(count * sizeof(*subbuffers));
    if (subbuffers == NULL)
        return NULL;
    for (u32 i = 0; i < count; i++) {
        subbuffers[i] = (u64)trace_platform_subbuffer_alloc();
        if (subbuffers[i] == 0) {
            free_all(subbuffers, i);
            return NULL;
        }
    }
    return subbuffers;
}

int trace_ring_create(struct trace_cpu *cpu, u32 number, u32 count, enum sys_trace_mode mode)
{
    if (count < 2 || (count & (count - 1)) != 0)
        return E_INVAL;
    u64 *subbuffers = alloc_all(count);
    if (subbuffers == NULL)
        return E_NOMEM;
    *cpu = (struct trace_cpu){.cpu = (u16)number, .mode = (u16)mode};
    for (u64 words = 0; words <= TRACE_MAX_WORDS; words++)
        cpu->step[words] = 1UL << 32 | (words + 1) * 8;
    cpu->subbuffers = (u64)subbuffers;
    cpu->subbuffer_count = count;
    cpu->magic = TRACE_CPU_MAGIC;
    return 0;
}
