// SPDX-License-Identifier: MIT
// Names of sensors, from ELF files of big-endian programs.
#include "symbols/sensor_names.h"

#include <elfutils/libdwfl.h>
#include <string.h>

#define SECTION ".sensor_names"

// An entry of the section. The number's first byte is the highest one.
struct entry {
    u8 number[8];
    char name[SENSOR_NAME_BYTES];
};

static Elf_Data *find_section(Elf *file)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(file, &names) != 0)
        return NULL;
    for (Elf_Scn *section = elf_nextscn(file, NULL); section != NULL;
         section = elf_nextscn(file, section)) {
        const char *name =
            gelf_getshdr(section, &header) == NULL ? NULL : elf_strptr(file, names, header.sh_name);
        if (name != NULL && strcmp(name, SECTION) == 0)
            return elf_rawdata(section, NULL);
    }
    return NULL;
}

bool sensor_name_find(const struct symbols *symbols, u64 number, char name[SENSOR_NAME_BYTES])
{
    GElf_Addr bias;
    Elf *file = symbols != NULL ? dwfl_module_getelf(symbols_module(symbols), &bias) : NULL;
    const Elf_Data *data = file != NULL ? find_section(file) : NULL;
    if (data == NULL || data->d_buf == NULL)
        return false;
    const struct entry *entries = data->d_buf;
    for (size_t i = 0; i < data->d_size / sizeof(*entries); i++) {
        u64 own = 0; // big endian, as the machine
        for (size_t byte = 0; byte < sizeof(entries[i].number); byte++)
            own = own << 8 | entries[i].number[byte];
        if (own != number)
            continue;
        memcpy(name, entries[i].name, SENSOR_NAME_BYTES);
        name[SENSOR_NAME_BYTES - 1] = '\0';
        return true;
    }
    return false;
}
