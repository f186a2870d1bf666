// SPDX-License-Identifier: MIT
// Which instructions of the kernel have been executed: a plugin for QEMU.
//
//   -plugin coverage.so,map=FILE[,ram=FILE]
//
// FILE becomes a map of the kernel's addresses, a byte an instruction: 1 when it has been executed
// (map.h). A block counts as a whole when it is entered; one that a fault leaves early is rare in
// the kernel, and counts too. With `ram`, the file that is the machine's memory, a guest may have a
// page in which the number of instructions executed so far stands: it writes COVERAGE_PAGE_MAGIC at
// the page's start and executes COVERAGE_FIND.
//
// A block pays for an inlined comparison each time it runs, and once for a call. One whose
// instructions have all been executed when it is translated pays nothing.
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "map.h"
#include "qemu_plugin.h"

// Distinct block starts; beyond it blocks are recorded by a call each time.
#define BLOCKS_MAX 0x20000
#define PAGE 4096

PLUGIN_EXPORT int qemu_plugin_version = 4;

static struct coverage_map *map;
static struct qemu_plugin_scoreboard *seen;     // of each CPU: a word a block, not 0: recorded
static u32 block_number[COVERAGE_INSTRUCTIONS]; // by the block's first instruction, from 1
static u32 blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for what follows, and block numbers

static const u8 *ram;
static u64 ram_bytes;
static u64 *guest_count; // in the guest's page, big endian
static u64 executed;     // instructions

// What a callback is told: first instruction, number of instructions, block number.
#define PLACE_LENGTH_BITS 10
static void *place(u64 first, u64 length, u64 number)
{
    return (void *)(uintptr_t)(number << 40 | first << PLACE_LENGTH_BITS | length);
}

static void record(unsigned cpu, void *data)
{
    u64 packed = (u64)(uintptr_t)data;
    u64 length = packed & ((1UL << PLACE_LENGTH_BITS) - 1);
    u64 first = packed >> PLACE_LENGTH_BITS & (COVERAGE_INSTRUCTIONS - 1);
    u64 number = packed >> 40;
    u64 *words = qemu_plugin_scoreboard_find(seen, cpu);

    if (number != 0)
        words[number] = 1;
    pthread_mutex_lock(&lock);
    for (u64 i = first; i < first + length; i++) {
        executed += map->executed[i] == 0;
        map->executed[i] = 1;
    }
    map->count = executed;
    if (guest_count)
        __atomic_store_n(guest_count, htobe64(executed), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

// The guest's page: the first that begins with the magic.
static void find_page(unsigned cpu, void *data)
{
    u64 magic = htobe64(COVERAGE_PAGE_MAGIC);
    (void)cpu, (void)data;

    pthread_mutex_lock(&lock);
    guest_count = NULL;
    for (u64 at = 0; ram && at + PAGE <= ram_bytes && !guest_count; at += PAGE) {
        if (memcmp(ram + at, &magic, sizeof(magic)) == 0)
            guest_count = (u64 *)(uintptr_t)(ram + at + sizeof(magic));
    }
    if (guest_count)
        __atomic_store_n(guest_count, htobe64(executed), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

static bool all_executed(u64 first, u64 length)
{
    for (u64 i = first; i < first + length; i++) {
        if (!map->executed[i])
            return false;
    }
    return true;
}

// 0: there are too many blocks.
static u64 number_of(u64 first)
{
    pthread_mutex_lock(&lock);
    if (block_number[first] == 0 && blocks + 1 < BLOCKS_MAX)
        block_number[first] = ++blocks;
    u64 number = block_number[first];
    pthread_mutex_unlock(&lock);
    return number;
}

static u32 word_of(const struct qemu_plugin_insn *insn)
{
    u32 word = 0;

    qemu_plugin_insn_data(insn, &word, sizeof(word));
    return be32toh(word);
}

static void find_commands(const struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        if (word_of(insn) == COVERAGE_FIND)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, find_page, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

// The kernel's image by effective address, and by real address what runs with translation off. User
// code has neither.
static bool kernel_place(u64 pc, u64 *first)
{
    bool high = pc >> 60 == 0xc;
    u64 offset = pc & 0x0fffffffffffffff;

    *first = offset / 4;
    return (high || offset < COVERAGE_REAL_BYTES) && *first < COVERAGE_INSTRUCTIONS;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    u64 first, length = qemu_plugin_tb_n_insns(tb);
    (void)id;

    if (length == 0)
        return;
    if (!kernel_place(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)), &first)) {
        find_commands(tb);
        return;
    }
    if (first + length > COVERAGE_INSTRUCTIONS || all_executed(first, length))
        return;
    u64 number = number_of(first);
    qemu_plugin_u64 word = {seen, number * sizeof(u64)};
    qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, record, QEMU_PLUGIN_CB_NO_REGS,
                                              QEMU_PLUGIN_COND_EQ, word, 0,
                                              place(first, length, number));
}

static bool refuse(const char *what, const char *why)
{
    fprintf(stderr, "coverage: %s: %s\n", what, why);
    return false;
}

static bool open_map(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (file < 0 || ftruncate(file, sizeof(struct coverage_map)) != 0)
        return refuse(path, strerror(errno));
    map = mmap(NULL, sizeof(*map), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED)
        return refuse(path, strerror(errno));
    map->magic = COVERAGE_MAP_MAGIC;
    map->instructions = COVERAGE_INSTRUCTIONS;
    return true;
}

static bool open_ram(const char *path)
{
    struct stat stat;
    int file = open(path, O_RDWR | O_CLOEXEC);

    if (file < 0 || fstat(file, &stat) != 0)
        return refuse(path, strerror(errno));
    ram_bytes = (u64)stat.st_size;
    void *at = mmap(NULL, ram_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (at == MAP_FAILED)
        return refuse(path, strerror(errno));
    ram = at;
    return true;
}

static bool parse(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "map=", 4) == 0) {
            if (!open_map(words[i] + 4))
                return false;
        } else if (strncmp(words[i], "ram=", 4) == 0) {
            if (!open_ram(words[i] + 4))
                return false;
        } else {
            return refuse(words[i], "unknown; there are map= and ram=");
        }
    }
    return map != NULL || refuse("map=", "is needed: the file to write to");
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (strcmp(info->target_name, "ppc64") != 0 || !info->system_emulation) {
        refuse(info->target_name, "not qemu-system-ppc64");
        return 1;
    }
    if (!parse(argc, argv))
        return 1;
    seen = qemu_plugin_scoreboard_new(BLOCKS_MAX * sizeof(u64));
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    return 0;
}
