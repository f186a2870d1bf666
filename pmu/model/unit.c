// SPDX-License-Identifier: MIT
// The state of the unit and its start.
#include "unit.h"

#include <stdlib.h>
#include <string.h>

struct unit unit;

static const u64 no_tag;

static void free_models(struct vcpu *cpu)
{
    branch_model_free(cpu->branch);
    tlb_model_free(cpu->tlb);
    cache_model_free(cpu->l1i);
    cache_model_free(cpu->l1d);
    cache_model_free(cpu->l2);
}

static bool new_models(struct vcpu *cpu)
{
    const struct model_geometry *geometry = &unit.machine.geometry;
    cpu->branch = branch_model_new(&unit.machine);
    cpu->tlb = tlb_model_new(geometry->tlb_entries, geometry->tlb_ways);
    cpu->l1i = cache_model_new(geometry->l1i_bytes, geometry->l1i_ways, geometry->line_bytes);
    cpu->l1d = cache_model_new(geometry->l1d_bytes, geometry->l1d_ways, geometry->line_bytes);
    cpu->l2 = cache_model_new(geometry->l2_bytes, geometry->l2_ways, geometry->line_bytes);
    return cpu->branch && cpu->tlb && cpu->l1i && cpu->l1d && cpu->l2;
}

bool unit_init(void)
{
    unit.line_shift = (unsigned)__builtin_ctzl(unit.machine.geometry.line_bytes);
    unit.page_shift = (unsigned)__builtin_ctzl(unit.machine.geometry.page_bytes);
    unit.boards = qemu_plugin_scoreboard_new(sizeof(struct board));
    for (unsigned i = 0; i < MODEL_CPUS; i++) {
        pthread_mutex_init(&unit.vcpu[i].lock, NULL);
        unit.vcpu[i].number = i;
        unit.vcpu[i].console = -1;
        unit.vcpu[i].tag_word = &no_tag;
        if (!new_models(&unit.vcpu[i]))
            return false;
    }
    return true;
}

void vcpu_init(unsigned number)
{
    // QEMU moves a scoreboard only when the number of CPUs outgrows the memory reserved for it.
    for (unsigned i = 0; i <= number; i++)
        unit.vcpu[i].board = qemu_plugin_scoreboard_find(unit.boards, i);
}

// Resets everything to its initial state, the tables too, so that an attachment does not depend on
// earlier ones.
void vcpu_begin(struct vcpu *cpu, u64 life)
{
    struct model_page *page = __atomic_load_n(&unit.page, __ATOMIC_ACQUIRE);
    cpu->life = life;
    cpu->slot = page ? &page->cpu[cpu->number] : NULL;
    cpu->tag_word = page ? &page->cpu[cpu->number].tag : &no_tag;
    cpu->tag = cpu->space = 0;
    memset(cpu->counters, 0, sizeof(cpu->counters));
    memset(cpu->board, 0, sizeof(*cpu->board));
    memset(cpu->costed, 0, sizeof(cpu->costed));
    memset(&cpu->ring, 0, sizeof(cpu->ring));
    cpu->overflows = cpu->interrupts = 0;
    cpu->interrupted = cpu->excluded = false;
    cpu->random = 0x9e3779b97f4a7c15UL * (cpu->number + 1);
    free_models(cpu);
    if (!new_models(cpu))
        abort();
}
