// SPDX-License-Identifier: MIT
// Rings of precise records of the model unit. The unit writes records and head, the reader tail.
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <orrery/errors.h>

#define RECORDS_MIN 8UL
#define RECORDS_MAX 32768UL // the largest available piece of memory

static struct model_record *records_of(const struct model_ring *ring)
{
    return phys_to_virt(ring->address);
}

static u32 order_of(u64 records)
{
    return pages_order(records * sizeof(struct model_record));
}

struct setting {
    struct model_ring ring;
    s64 error;
};

// The unit reads the ring when counters are enabled, and begins anew if it has changed.
static void set_here(void *argument)
{
    struct setting *setting = argument;
    struct model_cpu *slot = model_slot();

    slot->ring = setting->ring;
    setting->error = model_enable(slot->enabled);
}

static s64 set(u32 cpu, u64 address, u64 records)
{
    struct setting setting = {.ring = {.address = address, .records = records}};

    cpus_call(1UL << cpu, set_here, &setting);
    return setting.error;
}

s64 model_ring_resize(u32 cpu, u64 records)
{
    struct model_record *new = NULL;

    if (!model_present())
        return E_NOTSUP;
    if (records != 0 &&
        (records < RECORDS_MIN || records > RECORDS_MAX || (records & (records - 1)) != 0))
        return E_INVAL;
    if (records != 0 && (new = pages_alloc_zeroed(order_of(records))) == NULL)
        return E_NOMEM;
    struct model_ring old = model_slot_of(cpu)->ring;
    s64 error = set(cpu, 0, 0);
    if (error == 0 && new != NULL)
        error = set(cpu, virt_to_phys(new), records);
    if (error != 0 && new != NULL)
        pages_free(new, order_of(records));
    if (old.address != 0)
        pages_free(records_of(&old), order_of(old.records));
    return error;
}

const struct model_record *model_ring_peek(u32 cpu)
{
    const struct model_ring *ring = &model_slot_of(cpu)->ring;

    if (ring->address == 0)
        return NULL;
    const struct model_record *record = &records_of(ring)[ring->tail & (ring->records - 1)];
    u64 sequence = __atomic_load_n(&record->sequence, __ATOMIC_ACQUIRE);
    return sequence == ring->tail + 1 ? record : NULL;
}

void model_ring_next(u32 cpu)
{
    struct model_ring *ring = &model_slot_of(cpu)->ring;

    __atomic_store_n(&ring->tail, ring->tail + 1, __ATOMIC_RELEASE);
}

u64 model_ring_count(u32 cpu)
{
    const struct model_ring *ring = &model_slot_of(cpu)->ring;

    return __atomic_load_n(&ring->head, __ATOMIC_RELAXED) - ring->tail;
}
