// SPDX-License-Identifier: MIT
// Decides where in a block to add counts and call models.
//
// An interrupted instruction has not completed, and comes again. So events are added where their
// instruction certainly completes. At the start of the block: those up to the first instruction
// that may fault. At the start of the instruction behind it: its own, and those up to the next that
// may fault. The last instruction of a block is left open for the next block (outcome.h), unless it
// is a branch.
#include "translate.h"

#include "command.h"
#include "counters.h"
#include "decode.h"
#include "hierarchy.h"
#include "outcome.h"
#include "plan.h"

#define BLOCK_MAX 512 // instructions: QEMU's own limit

// Events that come with each instruction of a kind.
#define STATIC_EVENTS                                                                              \
    (EVENT(MODEL_INSTRUCTIONS) | EVENT(MODEL_LARX) | EVENT(MODEL_STCX) | EVENT(MODEL_BRANCHES) |   \
     EVENT(MODEL_LOADS) | EVENT(MODEL_STORES))

struct block {
    size_t length;
    u64 user; // PENDING_USER or 0
    u64 msr;
    bool vector; // interrupts begin here
    struct insn insns[BLOCK_MAX];
    u64 pc[BLOCK_MAX];
    struct qemu_plugin_insn *handles[BLOCK_MAX];
};

static qemu_plugin_u64 board_word(size_t offset)
{
    return (qemu_plugin_u64){unit.boards, offset};
}

static u32 events_of(const struct insn *insn)
{
    u32 events = EVENT(MODEL_INSTRUCTIONS);
    events |= insn->kinds & INSN_LARX ? EVENT(MODEL_LARX) : 0;
    events |= insn->kinds & INSN_STCX ? EVENT(MODEL_STCX) : 0;
    events |= insn->kinds & INSN_BRANCH ? EVENT(MODEL_BRANCHES) : 0;
    events |= insn->kinds & INSN_LOAD ? EVENT(MODEL_LOADS) : 0;
    events |= insn->kinds & INSN_STORE ? EVENT(MODEL_STORES) : 0;
    return events & plan.events;
}

// Interrupts go to low real addresses or, with relocation on, to the same behind a fixed one (Power
// ISA, "AIL").
static bool is_vector(u64 pc, u64 msr)
{
    u64 offset = (pc & ~0x4000UL) & 0x0fffffffffffffffUL;
    return !(msr & MSR_PR) && offset >= 0x100 && offset < 0x3000;
}

// Adds number events to their total, before instruction at. The total of cycles follows from the
// others (counters_cost).
static void add_total(const struct block *block, size_t at, unsigned event, u64 number)
{
    size_t offset = offsetof(struct board, total) + (event * 2 + (block->user != 0)) * sizeof(u64);
    if (event != MODEL_CYCLES)
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
            block->handles[at], QEMU_PLUGIN_INLINE_ADD_U64, board_word(offset), number);
}

// Adds the events to the words that show an overflow, where a counter can overflow, and inserts a
// check of these.
static void add_due(const struct block *block, size_t at, unsigned event, u64 number, u64 last_pc)
{
    struct qemu_plugin_insn *insn = block->handles[at];
    bool user = block->user;
    u64 after = last_pc < block->pc[at] ? PC_AFTER : 0;
    for (unsigned filter = 0; filter < FILTERS; filter++) {
        if (!(plan.due[filter] & EVENT(event)) || filter == (user ? FILTER_KERNEL : FILTER_USER))
            continue;
        qemu_plugin_u64 due =
            board_word(offsetof(struct board, due) + (event * FILTERS + filter) * sizeof(u64));
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, due,
                                                            number);
        qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, outcome_due, QEMU_PLUGIN_CB_R_REGS,
                                                    QEMU_PLUGIN_COND_GE, due, DUE,
                                                    place(last_pc, after));
    }
}

// Adds the events of instructions from … end - 1, before instruction at.
static void add_range(const struct block *block, size_t at, size_t from, size_t end)
{
    u64 counts[MODEL_EVENTS] = {0};
    for (size_t i = from; i < end; i++) {
        u32 events = events_of(&block->insns[i]);
        for (unsigned event = 0; event < MODEL_EVENTS; event++)
            counts[event] += events >> event & 1;
    }
    if (planned(EVENT(MODEL_CYCLES))) {
        for (unsigned event = 0; event < MODEL_EVENTS; event++)
            counts[MODEL_CYCLES] +=
                event == MODEL_CYCLES ? 0 : counts[event] * unit.machine.geometry.cost[event];
    }
    for (unsigned event = 0; event < MODEL_EVENTS; event++) {
        if (counts[event])
            add_total(block, at, event, counts[event]);
    }
    for (unsigned event = 0; event < MODEL_EVENTS; event++) {
        if (counts[event])
            add_due(block, at, event, counts[event], block->pc[end - 1]);
    }
}

// Leaves an instruction's outcome to the next block.
static void leave_open(const struct block *block, size_t at, u64 how)
{
    struct qemu_plugin_insn *insn = block->handles[at];
    size_t offset = offsetof(struct board, pending);
    qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64,
                                                        board_word(offset),
                                                        block->pc[at] | PENDING | block->user);
    qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64,
                                                        board_word(offset + sizeof(u64)), how);
}

// Returns the end of the run of instructions that complete if the one at from starts; none if it
// may fault itself.
static size_t run_end(const struct block *block, size_t from)
{
    size_t last = block->length - 1;
    size_t limit = block->insns[last].kinds & INSN_JUMP ? block->length : last;
    size_t end = from;
    while (end < limit && !(block->insns[end].kinds & (INSN_FAULTS | INSN_COMMAND)))
        end++;
    return end;
}

// Adds before instruction at what is certain there. All before counted has been added. Returns the
// new counted.
static size_t add_certain(const struct block *block, size_t at, size_t counted)
{
    size_t end = run_end(block, at);
    if (end <= counted)
        return counted;
    if (plan.precise & (STATIC_EVENTS | EVENT(MODEL_CYCLES))) { // one by one
        if (counted < at)
            add_range(block, at, counted, at);
        if (end > at)
            add_range(block, at, at, at + 1);
        return end > at ? at + 1 : at;
    }
    add_range(block, at, counted, end);
    return end;
}

static void instrument_fetch(const struct block *block, size_t at)
{
    u64 line = unit.machine.geometry.line_bytes;
    if (at != 0 && block->pc[at] % line != 0)
        return;
    u64 bits = block->user | (block->msr & MSR_IR ? PLACE_TRANSLATED : 0);
    qemu_plugin_register_vcpu_insn_exec_cond_cb(
        block->handles[at], hierarchy_fetch, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
        board_word(offsetof(struct board, line)), (block->pc[at] & ~(line - 1)) | 1,
        place(block->pc[at], bits));
}

// Records need registers, and access to them costs time at each access.
static enum qemu_plugin_cb_flags memory_flags(void)
{
    return plan.precise & (DATA_EVENTS | EVENT(MODEL_CYCLES)) ? QEMU_PLUGIN_CB_R_REGS
                                                              : QEMU_PLUGIN_CB_NO_REGS;
}

static void instrument_data(const struct block *block, size_t at)
{
    bool translated = block->msr & MSR_DR, in_tlb = translated && planned(TLB_EVENTS);
    bool in_cache = planned(DATA_CACHE_EVENTS);
    if (plan.precise)
        qemu_plugin_register_vcpu_mem_cb(block->handles[at], hierarchy_address,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    if (in_tlb || in_cache)
        qemu_plugin_register_vcpu_mem_cb(
            block->handles[at],
            in_tlb && in_cache ? hierarchy_data
            : in_tlb           ? hierarchy_data_tlb
                               : hierarchy_data_cache,
            memory_flags(), QEMU_PLUGIN_MEM_RW,
            place(block->pc[at], block->user | (translated ? PLACE_TRANSLATED : 0)));
}

// Handles a store conditional just before this instruction.
static void instrument_outcome(const struct block *block, size_t at)
{
    const struct insn *before = at == 0 ? NULL : &block->insns[at - 1];
    if (before && before->kinds & INSN_STCX && planned(EVENT(MODEL_STCX_FAILED)))
        qemu_plugin_register_vcpu_insn_exec_cb(block->handles[at], outcome_stcx,
                                               QEMU_PLUGIN_CB_R_REGS,
                                               place(block->pc[at] - 4, block->user));
}

static void instrument(const struct block *block, size_t at)
{
    const struct insn *insn = &block->insns[at];
    if (insn->kinds & INSN_RETURN)
        qemu_plugin_register_vcpu_insn_exec_cb(block->handles[at], outcome_return,
                                               QEMU_PLUGIN_CB_R_REGS, NULL);
    if (insn->kinds & (INSN_TLBIE | INSN_TLBIEL) && planned(TLB_EVENTS)) {
        u64 local = insn->kinds & INSN_TLBIEL ? HIERARCHY_LOCAL : 0;
        qemu_plugin_register_vcpu_insn_exec_cb(block->handles[at], hierarchy_invalidate,
                                               QEMU_PLUGIN_CB_R_REGS,
                                               (void *)(uintptr_t)(insn->a | insn->b << 5 | local));
    }
    if (insn->kinds & INSN_FAULTS)
        instrument_data(block, at);
    if (at + 1 < block->length)
        return;
    if (!(insn->kinds & INSN_JUMP))
        leave_open(block, at, UNFINISHED | (u64)events_of(insn) << 2);
    else if (insn->kinds & INSN_BRANCH && planned(EVENT(MODEL_TAKEN) | EVENT(MODEL_MISPREDICTED)))
        leave_open(block, at, insn->target | insn->hint);
}

static void instrument_block(const struct block *block)
{
    bool fetches = planned(FETCH_EVENTS);
    qemu_plugin_register_vcpu_insn_exec_cond_cb(
        block->handles[0], outcome_block, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
        board_word(offsetof(struct board, pending)), 0, place(block->pc[0], block->vector));
    size_t counted = 0;
    for (size_t at = 0; at < block->length; at++) {
        if (fetches)
            instrument_fetch(block, at);
        counted = add_certain(block, at, counted);
        instrument_outcome(block, at);
        instrument(block, at);
    }
}

static void instrument_commands(const struct block *block)
{
    for (size_t at = 0; at < block->length; at++) {
        const struct insn *insn = &block->insns[at];
        if (insn->kinds & INSN_COMMAND)
            qemu_plugin_register_vcpu_insn_exec_cb(block->handles[at], command_run,
                                                   QEMU_PLUGIN_CB_R_REGS,
                                                   command_data(insn->a, insn->b, block->user));
    }
}

static u32 instruction_word(const struct qemu_plugin_insn *insn)
{
    u32 word = 0;
    qemu_plugin_insn_data(insn, &word, sizeof(word));
    return be32toh(word);
}

// Returns whether a block has a command: only they matter while nothing is enabled.
static bool has_command(const struct qemu_plugin_tb *tb, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (is_command(instruction_word(qemu_plugin_tb_get_insn(tb, i))))
            return true;
    }
    return false;
}

void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    static __thread struct block block; // too large for a stack
    (void)id;
    block.length = qemu_plugin_tb_n_insns(tb);
    if (block.length == 0 || block.length > BLOCK_MAX)
        return;
    if (!plan.events && !has_command(tb, block.length))
        return;
    block.msr = guest_register(GUEST_MSR);
    block.user = block.msr & MSR_PR ? PENDING_USER : 0;
    for (size_t i = 0; i < block.length; i++) {
        block.handles[i] = qemu_plugin_tb_get_insn(tb, i);
        block.pc[i] = qemu_plugin_insn_vaddr(block.handles[i]);
        block.insns[i] = decode(instruction_word(block.handles[i]), block.pc[i]);
    }
    block.vector = is_vector(block.pc[0], block.msr);
    if (plan.events)
        instrument_block(&block);
    instrument_commands(&block);
}
