// SPDX-License-Identifier: MIT
// How often each block of code ran between two readings of the time base: a plugin for QEMU.
//
//   -plugin profile.so,out=FILE,mark=ADDRESS[,mark=ADDRESS…]
//
// A mark is the address, hexadecimal, of an `mftb` of a benchmark program. Each time one runs, a
// window ends and the next one begins. FILE gets a line for each thing that happens:
//
//   block ID ADDRESS PAGE WORD…   a block of code, before the first window that has it
//   ran ID TIMES                  in the window that ends
//   window FROM TO                it ends: addresses of the marks that began and ended it
//   told OPERATIONS               by the program, of its next line (told.h)
//
// ADDRESS is the effective address of the block's first instruction, PAGE tells pages of memory
// apart, and each WORD is an instruction; all three are hexadecimal. What runs before the first
// mark is in no window.
//
// A block counts as a whole when it is entered. One that a fault leaves early counts again when the
// instruction is repeated. The machine has one CPU.
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"
#include "told.h"

#define BLOCKS_MAX 0x40000
#define BUCKETS 0x10000
#define MARKS_MAX 256
#define PAGE 4096
// Two encodings of reading the time base, but for the register that gets it.
#define TARGET (31u << 21)
#define MFTB 0x7c0c42e6
#define MFSPR_TB 0x7c0c42a6

PLUGIN_EXPORT int qemu_plugin_version = 4;

// The same code at the same place has one, however often QEMU translates it.
struct block {
    u64 address, page;
    u32 length; // instructions
    u32 *words;
    u32 next; // of the bucket
    bool written;
};
static struct block blocks[BLOCKS_MAX]; // from 1
static u32 block_count = 1, buckets[BUCKETS];
static struct qemu_plugin_scoreboard *counts; // a word a block

static FILE *out;
static u64 marks[MARKS_MAX];
static u32 mark_count;
static u64 begun_at; // the mark that began this window; 0: there is none

// Nothing that is counted may be missing.
static void give_up(const char *what)
{
    fprintf(stderr, "profile: %s\n", what);
    exit(1);
}

static void write_block(u32 id)
{
    struct block *block = &blocks[id];

    fprintf(out, "block %u %lx %lx", id, block->address, block->page);
    for (u32 i = 0; i < block->length; i++)
        fprintf(out, " %x", block->words[i]);
    fputc('\n', out);
    block->written = true;
}

static void end_window(unsigned cpu, void *data)
{
    u64 *times = qemu_plugin_scoreboard_find(counts, cpu), mark = (u64)(uintptr_t)data;

    for (u32 id = 1; begun_at != 0 && id < block_count; id++) {
        if (times[id] == 0)
            continue;
        if (!blocks[id].written)
            write_block(id);
        fprintf(out, "ran %u %lu\n", id, times[id]);
    }
    memset(times, 0, block_count * sizeof(*times));
    if (begun_at != 0)
        fprintf(out, "window %lx %lx\n", begun_at, mark);
    begun_at = mark;
}

static u64 general_register(unsigned number)
{
    char name[8];
    u64 value = 0;
    GArray *all = qemu_plugin_get_registers();
    const qemu_plugin_reg_descriptor *descriptors = (const void *)all->data;
    static GByteArray *bytes;

    bytes = g_byte_array_set_size(bytes ? bytes : g_byte_array_new(), 0);
    snprintf(name, sizeof(name), "r%u", number);
    for (unsigned i = 0; i < all->len; i++) {
        if (strcmp(descriptors[i].name, name) == 0 &&
            qemu_plugin_read_register(descriptors[i].handle, bytes) == sizeof(value)) {
            memcpy(&value, bytes->data, sizeof(value));
            break;
        }
    }
    g_array_free(all, 1);
    return be64toh(value);
}

static void hear(unsigned cpu, void *data)
{
    (void)cpu;
    fprintf(out, "told %lu\n", general_register((unsigned)(uintptr_t)data));
    if (fflush(out) != 0)
        give_up("cannot write");
}

static u32 word_of(const struct qemu_plugin_insn *insn)
{
    u32 word = 0;

    qemu_plugin_insn_data(insn, &word, sizeof(word));
    return be32toh(word);
}

// Programs share addresses: at that of a mark another one has something else.
static bool is_mark(u64 address, u32 word)
{
    u32 kind = word & ~TARGET;

    for (u32 i = 0; i < mark_count && (kind == MFTB || kind == MFSPR_TB); i++) {
        if (marks[i] == address)
            return true;
    }
    return false;
}

static u32 find_block(const struct block *wanted)
{
    u32 *bucket = &buckets[(wanted->address / 4 ^ wanted->page) % BUCKETS];

    for (u32 id = *bucket; id != 0; id = blocks[id].next) {
        const struct block *block = &blocks[id];
        if (block->address == wanted->address && block->page == wanted->page &&
            block->length == wanted->length &&
            memcmp(block->words, wanted->words, wanted->length * sizeof(u32)) == 0)
            return id;
    }
    if (block_count == BLOCKS_MAX)
        give_up("too many blocks");
    u32 id = block_count++;
    blocks[id] = *wanted;
    blocks[id].words = malloc(wanted->length * sizeof(u32));
    if (!blocks[id].words)
        give_up("no memory");
    memcpy(blocks[id].words, wanted->words, wanted->length * sizeof(u32));
    blocks[id].next = *bucket;
    *bucket = id;
    return id;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    static u32 words[0x10000];
    size_t length = qemu_plugin_tb_n_insns(tb);
    (void)id;

    if (length == 0)
        return;
    if (length > ARRAY_SIZE(words))
        give_up("a block is too long");
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
    struct block block = {.address = qemu_plugin_insn_vaddr(first),
                          .page = (u64)(uintptr_t)qemu_plugin_insn_haddr(first) / PAGE,
                          .length = (u32)length,
                          .words = words};
    for (u32 i = 0; i < length; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        u32 word = word_of(insn);
        u64 address = block.address + 4UL * i;
        words[i] = word;
        if (is_mark(address, word))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, end_window, QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(uintptr_t)address);
        else if ((word & 0xffe0ffff) == (3U << 26 | TOLD_COMMAND))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, hear, QEMU_PLUGIN_CB_R_REGS,
                                                   (void *)(uintptr_t)(word >> 16 & 31));
    }
    qemu_plugin_u64 times = {counts, find_block(&block) * sizeof(u64)};
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, times, 1);
}

static bool refuse(const char *what, const char *why)
{
    fprintf(stderr, "profile: %s: %s\n", what, why);
    return false;
}

static bool parse_mark(const char *text)
{
    char *end;

    if (mark_count == MARKS_MAX)
        return refuse(text, "too many marks");
    marks[mark_count++] = strtoul(text, &end, 16);
    return (*text != '\0' && *end == '\0') || refuse(text, "not a hexadecimal address");
}

static bool parse(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "out=", 4) == 0 && !out) {
            out = fopen(words[i] + 4, "w");
            if (!out)
                return refuse(words[i] + 4, strerror(errno));
        } else if (strncmp(words[i], "mark=", 5) == 0) {
            if (!parse_mark(words[i] + 5))
                return false;
        } else {
            return refuse(words[i], "unknown; there are out=, once, and mark=");
        }
    }
    return (out && mark_count > 0) || refuse("out= and mark=", "both are needed");
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (strcmp(info->target_name, "ppc64") != 0 || !info->system_emulation ||
        info->system.smp_vcpus != 1) {
        refuse(info->target_name, "not qemu-system-ppc64 with one CPU");
        return 1;
    }
    if (!parse(argc, argv))
        return 1;
    counts = qemu_plugin_scoreboard_new(BLOCKS_MAX * sizeof(u64));
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    return 0;
}
