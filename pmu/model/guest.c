// SPDX-License-Identifier: MIT
// Guest memory and registers.
#include "guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qemu_plugin.h"

static u8 *ram;
static u64 ram_bytes;

static struct qemu_plugin_register *handles[GUEST_REGISTERS];

bool guest_memory_open(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    struct stat status;
    void *memory = MAP_FAILED;
    if (fstat(file, &status) == 0)
        memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        return false;
    ram = memory;
    ram_bytes = (u64)status.st_size;
    return true;
}

void *guest_memory_at(u64 physical, u64 bytes)
{
    if (physical > ram_bytes || bytes > ram_bytes - physical)
        return NULL;
    return ram + physical;
}

static unsigned register_number(const char *name)
{
    static const char *const special[] = {"msr", "lr", "cr", "srr0"};
    for (unsigned i = 0; i < ARRAY_SIZE(special); i++) {
        if (strcmp(name, special[i]) == 0)
            return GUEST_MSR + i;
    }
    char general[8];
    for (unsigned i = 0; i < 32; i++) {
        snprintf(general, sizeof(general), "r%u", i);
        if (strcmp(name, general) == 0)
            return i;
    }
    return GUEST_REGISTERS;
}

bool guest_registers_find(void)
{
    GArray *all = qemu_plugin_get_registers();
    const qemu_plugin_reg_descriptor *descriptors = (const void *)all->data;
    for (unsigned i = 0; i < all->len; i++) {
        unsigned number = register_number(descriptors[i].name);
        // Of two with the same name (lr) the first is the register itself, the other an unused
        // place of QEMU's for an SPR.
        if (number < GUEST_REGISTERS && !handles[number])
            handles[number] = descriptors[i].handle;
    }
    g_array_free(all, 1);
    for (unsigned i = 0; i < GUEST_REGISTERS; i++) {
        if (!handles[i])
            return false;
    }
    return true;
}

// Each thread has one, so no callback allocates.
static GByteArray *scratch(void)
{
    static __thread GByteArray *array;
    if (!array)
        array = g_byte_array_new();
    return g_byte_array_set_size(array, 0);
}

u64 guest_register(unsigned number)
{
    GByteArray *bytes = scratch();
    int length = qemu_plugin_read_register(handles[number], bytes);
    u64 value = 0;
    for (int i = 0; i < length; i++)
        value = value << 8 | bytes->data[i];
    return value;
}

bool guest_read_virtual(u64 address, u64 *out, unsigned words)
{
    GByteArray *bytes = scratch();
    if (!qemu_plugin_read_memory_vaddr(address, bytes, words * sizeof(u64)))
        return false;
    for (unsigned i = 0; i < words; i++) {
        u64 word;
        memcpy(&word, bytes->data + i * sizeof(u64), sizeof(word));
        out[i] = be64toh(word);
    }
    return true;
}
