// SPDX-License-Identifier: MIT
// Source lines for reports of the kernel and of programs. Their forms are those of
// kernel/exception/report.c and userlib/src/exception.c. What does not have them passes unchanged.
#include "symbols/report_places.h"
#include "symbols/place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_START 0xc000000000000000

// A line of the kernel that tells an address.
static const struct {
    const char *begin;
    bool is_call; // it is a return address
} kernel_lines[] = {{"pc  ", false}, {"lr  ", true}, {"  from ", true}};

// Reads hexadecimal digits. Returns 0 if there are none, or others behind them.
static u64 address_at(const char *text)
{
    char *end;
    u64 address = strtoull(text, &end, 16);
    return *end == '\0' || *end == ' ' ? address : 0;
}

static bool kernel_place(struct report_places *places, struct symbol *symbol)
{
    for (size_t i = 0; i < ARRAY_SIZE(kernel_lines); i++) {
        size_t length = strlen(kernel_lines[i].begin);
        if (strncmp(places->line, kernel_lines[i].begin, length) != 0)
            continue;
        u64 address = address_at(places->line + length);
        enum kernel_match match = kernel_check(&places->kernel);
        if (address < KERNEL_START || (match != KERNEL_MATCHES && match != KERNEL_UNKNOWN))
            return false;
        *symbol = kernel_lines[i].is_call ? symbols_find_call(places->kernel.symbols, address)
                                          : symbols_find(places->kernel.symbols, address);
        return true;
    }
    return false;
}

// Takes the name of the program whose crash report begins with this line.
static void begin_report(struct report_places *places)
{
    const char *process = strstr(places->line, " (process ");
    if (process == NULL ||
        (strstr(process, " died in thread ") == NULL && strstr(process, " panics: ") == NULL))
        return;
    snprintf(places->program, sizeof(places->program), "%.*s", (int)(process - places->line),
             places->line);
    places->calls = strstr(process, " panics: ") != NULL;
}

// The first address of a crash report is the pc, or if the program panics, who called that.
static bool program_place(struct report_places *places, struct symbol *symbol)
{
    u64 address = strncmp(places->line, "    0x", 6) == 0 ? address_at(places->line + 6) : 0;
    if (address == 0 || places->program[0] == '\0')
        return false;
    (void)kernel_check(&places->kernel);           // programs are looked for beside it
    if (places->programs.count == REPORT_PROGRAMS) // a machine may print any names
        programs_close(&places->programs);
    places->programs.quiet = true;
    struct symbols *symbols = program_symbols_named(&places->programs, places->program);
    *symbol = places->calls ? symbols_find_call(symbols, address) : symbols_find(symbols, address);
    places->calls = true;
    return true;
}

static void end_line(struct report_places *places, FILE *out)
{
    struct symbol symbol = {0};
    places->line[places->length] = '\0';
    places->length = 0;
    begin_report(places);
    if ((kernel_place(places, &symbol) || program_place(places, &symbol)) && symbol.file != NULL) {
        char text[PATH_MAX];
        place_line(symbol, 0, text, sizeof(text));
        fprintf(out, "  %s", text);
    }
}

void report_places_write(struct report_places *places, const char *text, size_t size, FILE *out)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n' || text[i] == '\r')
            end_line(places, out);
        else if (places->length < REPORT_LINE_BYTES - 1)
            places->line[places->length++] = text[i];
        fputc(text[i], out);
    }
}

void report_places_close(struct report_places *places)
{
    kernel_close(&places->kernel);
    programs_close(&places->programs);
}
