// SPDX-License-Identifier: MIT
// The QEMU plugin that recorded recorded.txt.gz: what CPU 0 fetches, loads, stores and decides, in
// bursts, so that a small file has a bit of many things. It shares no code with the unit that the
// models are for, only the declarations of QEMU's interface.
//
//     make build/pmu-recorder.so
//     scripts/qemu --cpus 1 --append 'run=bin/test-files oneshot' -- -plugin
//     build/pmu-recorder.so,out=recorded.txt
//     gzip -9n recorded.txt
#include <qemu_plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 128
#define BURST_STEPS 350 // lines written
#define BURSTS 60
#define FIRST_BURST 1000000UL // instructions before it
#define BETWEEN_BURSTS 2000003UL

PLUGIN_EXPORT int qemu_plugin_version = 4;

struct instruction {
    u64 pc;
    u32 word;
};

static FILE *out;
static u64 executed, next_burst = FIRST_BURST;
static u32 bursts, steps; // steps: of this burst
static u64 last[256];     // address by kind
static u64 last_line = ~0UL;
static struct instruction
    pending; // a conditional branch of which the next instruction tells what it did

static bool recording(void)
{
    return out && executed >= next_burst;
}

static void put(char kind, u64 address)
{
    s64 distance = (s64)(address - last[(u8)kind]);
    last[(u8)kind] = address;
    if (distance < 0)
        fprintf(out, "%c-%lx", kind, -(u64)distance);
    else
        fprintf(out, "%c%lx", kind, (u64)distance);
    steps++;
}

// BO has two forms of hints, with the condition and with the count register.
static u32 hint_of(u32 word)
{
    u32 bo = word >> 21 & 31;
    if ((bo & 0x14) == 0x04)
        return bo & 3;
    if ((bo & 0x14) == 0x10)
        return (bo >> 3 & 1) << 1 | (bo & 1);
    return 0;
}

static bool is_conditional_branch(u32 word)
{
    u32 opcode = word >> 26, extended = word >> 1 & 1023;
    if (opcode != 16 && !(opcode == 19 && (extended == 16 || extended == 528 || extended == 560)))
        return false;
    return (word >> 21 & 0x14) != 0x14;
}

// What follows the branch in pending is neither its target nor the next
// instruction: it was interrupted.
static bool went_elsewhere(u64 pc)
{
    if (pending.word >> 26 != 16)
        return (pc >> 14) == 0 || (pc >> 14) == 0xc000000000000000 >> 14; // vectors
    s64 distance = (s64)(int16_t)(pending.word & 0xfffc);
    u64 target = pending.word & 2 ? (u64)distance : pending.pc + (u64)distance;
    return pc != target;
}

static void resolve(u64 pc)
{
    bool taken = pc != pending.pc + 4;
    if (!taken || !went_elsewhere(pc)) {
        put('b', pending.pc);
        fprintf(out, " %u%d\n", hint_of(pending.word), taken);
    }
    pending.word = 0;
}

static void end_burst(void)
{
    steps = 0;
    pending.word = 0;
    next_burst = executed + BETWEEN_BURSTS;
    if (++bursts < BURSTS)
        return;
    fclose(out);
    out = NULL;
    fprintf(stderr, "recorder: done\n");
}

static void on_instruction(unsigned vcpu, void *data)
{
    const struct instruction *instruction = data;
    executed++;
    if (vcpu != 0 || !recording())
        return;
    if (pending.word != 0)
        resolve(instruction->pc);
    if (instruction->pc / LINE_BYTES != last_line) {
        last_line = instruction->pc / LINE_BYTES;
        put('f', instruction->pc);
        fputc('\n', out);
    }
    if (is_conditional_branch(instruction->word))
        pending = *instruction;
    if (steps >= BURST_STEPS)
        end_burst();
}

static void on_memory(unsigned vcpu, qemu_plugin_meminfo_t info, u64 address, void *data)
{
    (void)data;
    if (vcpu != 0 || !recording())
        return;
    put(qemu_plugin_mem_is_store(info) ? 's' : 'l', address);
    fputc('\n', out);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        struct instruction *instruction =
            calloc(1, sizeof(*instruction)); // lives as long as the machine
        u8 bytes[4];
        if (!instruction || qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) != sizeof(bytes))
            abort();
        instruction->pc = qemu_plugin_insn_vaddr(insn);
        instruction->word =
            (u32)bytes[0] << 24 | (u32)bytes[1] << 16 | (u32)bytes[2] << 8 | bytes[3];
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS,
                                               instruction);
        qemu_plugin_register_vcpu_mem_cb(insn, on_memory, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, NULL);
    }
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                      char **argv)
{
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || info->system.smp_vcpus != 1) {
        fprintf(stderr, "recorder: one CPU, and the option out=FILE\n");
        return 1;
    }
    out = fopen(argv[0] + 4, "w");
    if (!out) {
        perror(argv[0] + 4);
        return 1;
    }
    fprintf(out, "# Recorded by recorder.c. f: fetches from another line, l: loads, s: stores, b: "
                 "conditional branches.\n");
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    return 0;
}
