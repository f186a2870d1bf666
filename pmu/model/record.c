// SPDX-License-Identifier: MIT
// Writes a record: registers, the stack, counts.
#include "record.h"

#include <string.h>

#include "counters.h"

static bool has_address(u64 event)
{
    switch (event) {
    case MODEL_LOADS:
    case MODEL_STORES:
    case MODEL_LARX:
    case MODEL_STCX:
    case MODEL_STCX_FAILED:
    case MODEL_DTLB_MISS:
    case MODEL_L1D_MISS:
        return true;
    default:
        return false;
    }
}

// A frame's words at 16 and 48 hold what its callee saved there: return address and object.
static void write_frames(struct model_record *record, u64 sp)
{
    memset(record->frames, 0, sizeof(record->frames));
    for (unsigned i = 0; i < MODEL_FRAMES; i++) {
        u64 words[7]; // back chain, CR, return address, three more, object
        if (sp == 0 || sp % 16 || !guest_read_virtual(sp, words, 7))
            return;
        guest_write(&record->frames[i].sp, sp);
        guest_write(&record->frames[i].lr, words[2]);
        guest_write(&record->frames[i].self, words[6]);
        if (words[0] <= sp)
            return;
        sp = words[0];
    }
}

static void fill(struct vcpu *cpu, struct model_record *record, const struct model_program *program,
                 u64 pc)
{
    u32 label = (u32)MODEL_LABEL(MODEL_LABEL_OF(program->flags));
    record->event = htobe16((u16)program->event);
    record->counter = htobe16((u16)program->counter);
    record->flags = htobe32(label | (pc & PC_AFTER ? MODEL_RECORD_AFTER : 0));
    guest_write(&record->pc, pc & ~PC_AFTER);
    guest_write(&record->msr, guest_register(GUEST_MSR));
    guest_write(&record->lr, guest_register(GUEST_LR));
    const u64 *instructions = cpu->board->total[MODEL_INSTRUCTIONS];
    guest_write(&record->time, instructions[0] + instructions[1]);
    guest_write(&record->address, has_address(program->event) ? cpu->board->address : 0);
    guest_write(&record->tag, guest_read(&cpu->slot->tag));
    for (unsigned i = 0; i < 32; i++)
        guest_write(&record->gpr[i], guest_register(i));
    write_frames(record, be64toh(record->gpr[1]));
}

void record_write(struct vcpu *cpu, const struct model_program *program, u64 pc)
{
    struct ring *ring = &cpu->ring;
    if (ring->address == 0)
        return;
    // A tail ahead of the head makes this difference large: the ring then counts as full.
    if (ring->head - guest_read(&cpu->slot->ring.tail) >= ring->records) {
        guest_write(&cpu->slot->ring.lost, ++ring->lost);
        return;
    }
    u64 place = ring->address + ring->head % ring->records * sizeof(struct model_record);
    struct model_record *record = guest_memory_at(place, sizeof(*record));
    guest_write(&record->sequence, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    fill(cpu, record, program, pc);
    ring->head++;
    guest_publish(&record->sequence, ring->head);
    guest_publish(&cpu->slot->ring.head, ring->head);
}
