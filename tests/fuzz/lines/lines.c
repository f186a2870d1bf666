// SPDX-License-Identifier: MIT
// The line table of a program: `fuzz-lines ELF FOLDER…` prints what lies below one of the folders,
// which are relative to the folder of compilation.
//
//   F FILE:LINE NAME            a function begins
//   R ADDRESS BYTES FILE:LINE   instructions of a line
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **folders;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "fuzz-lines: %s\n", what);
    exit(1);
}

// The path below the folder of compilation; NULL when it lies in none of the folders asked for.
static const char *wanted(const char *path, const char *compiled_in)
{
    size_t length = compiled_in ? strlen(compiled_in) : 0;
    if (path && length && strncmp(path, compiled_in, length) == 0 && path[length] == '/')
        path += length + 1;
    for (char **folder = folders; path && *folder; folder++) {
        if (strncmp(path, *folder, strlen(*folder)) == 0)
            return path;
    }
    return NULL;
}

static const char *folder_of(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

static int print_function(Dwarf_Die *function, void *compiled_in)
{
    int line;
    const char *name = dwarf_diename(function);
    const char *path = wanted(dwarf_decl_file(function), compiled_in);
    if (name && path && dwarf_decl_line(function, &line) == 0)
        printf("F %s:%d %s\n", path, line, name);
    return DWARF_CB_OK;
}

static void print_row(Dwarf_Line *line, Dwarf_Addr end, const char *compiled_in)
{
    Dwarf_Addr address;
    int number;
    const char *path = wanted(dwarf_linesrc(line, NULL, NULL), compiled_in);
    if (path && dwarf_lineaddr(line, &address) == 0 && dwarf_lineno(line, &number) == 0 &&
        number != 0 && end > address)
        printf("R %lx %lu %s:%d\n", address, end - address, path, number);
}

static void print_lines(Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr end = 0;
        bool last = true;
        dwarf_lineendsequence(line, &last);
        if (!last && dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) == 0)
            print_row(line, end, folder_of(unit));
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage: fuzz-lines ELF FOLDER...");
    folders = argv + 2;
    int file = open(argv[1], O_RDONLY);
    Dwarf *dwarf = file < 0 ? NULL : dwarf_begin(file, DWARF_C_READ);
    if (!dwarf)
        fail("no ELF file with line tables");
    Dwarf_Off offset = 0, next;
    size_t head;
    while (dwarf_nextcu(dwarf, offset, &next, &head, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + head, &unit)) {
            dwarf_getfuncs(&unit, print_function, (void *)folder_of(&unit), 0);
            print_lines(&unit);
        }
        offset = next;
    }
    dwarf_end(dwarf);
    close(file);
    return 0;
}
