// SPDX-License-Identifier: MIT
// Prints annotated functions, as text or as JSON.
#include "samples/annotate_print.h"
#include "symbols/disassemble.h"
#include "symbols/place.h"
#include "tools/kov.h"
#include "tools/text.h"

#include <inttypes.h>
#include <sys/stat.h>

#define MAX_GAP 6      // lines without code between lines with code: at most so many are shown
#define NOTHING "%21s" // in place of percentage and samples
#define NO_LINE "(no line is known)"

static double percent(u64 part, u64 whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

// whole: the events of all of which these are a part.
static void print_numbers(FILE *out, u64 samples, u64 events, u64 whole)
{
    if (samples == 0)
        fprintf(out, NOTHING, "");
    else
        fprintf(out, "%8.2f %% %10" PRIu64, percent(events, whole), samples);
}

// Writes the disassembled instruction, with the name of where it branches to.
static void instruction_text(const struct annotation *annotation,
                             const struct annotated_instruction *instruction, char *text,
                             size_t size)
{
    char plain[DISASSEMBLY_BYTES];
    u64 target;
    disassemble(instruction->address, instruction->word, plain);
    struct symbol symbol = {0};
    if (disassemble_target(instruction->address, instruction->word, &target))
        symbol = symbols_find(annotation->function->symbols, target);
    if (symbol.function == NULL)
        snprintf(text, size, "%s", plain);
    else if (symbol.offset == 0)
        snprintf(text, size, "%s <%s>", plain, symbol.function);
    else
        snprintf(text, size, "%s <%s+0x%" PRIx64 ">", plain, symbol.function, symbol.offset);
}

static void print_instruction(FILE *out, const struct annotation *annotation,
                              const struct annotated_instruction *instruction, int indent)
{
    char text[2 * DISASSEMBLY_BYTES];
    instruction_text(annotation, instruction, text, sizeof(text));
    print_numbers(out, instruction->samples, instruction->events, annotation->function->events);
    fprintf(out, "  %*s%16" PRIx64 "  ", indent, "", instruction->address);
    text_print(out, text);
    fputc('\n', out);
}

static const char *file_name(const struct annotation *annotation, u32 file)
{
    return file == ANNOTATION_NO_FILE ? NULL : annotation->files.texts[file];
}

static struct source *find_source(const struct annotate_view *view,
                                  const struct annotation *annotation, u32 file)
{
    const char *name = file_name(annotation, file);
    return name == NULL ? NULL : source_find(view->sources, name, view->folder);
}

// Warns once if something is wrong with a source.
static void check_source(struct source *source, const struct annotation *annotation)
{
    if (source == NULL || source->told)
        return;
    source->told = true;
    struct stat built;
    if (source->path == NULL)
        warn("the source %s is not there: only the numbers of its lines are shown; give the folder "
             "of the sources with --sources",
             source->file);
    else if (stat(symbols_path(annotation->function->symbols), &built) == 0 &&
             source->changed > built.st_mtime)
        warn("%s was changed after %s was built: its lines may not be those that ran", source->path,
             symbols_path(annotation->function->symbols));
}

static void check_sources(const struct annotate_view *view, const struct annotation *annotation)
{
    for (u32 file = 0; file < annotation->files.count; file++)
        check_source(find_source(view, annotation, file), annotation);
}

static void print_file_heading(FILE *out, const struct source *source)
{
    fprintf(out, "\n%10s %10s  %6s  ", "PERCENT", "SAMPLES", "LINE");
    if (source == NULL)
        fputs(NO_LINE "\n", out);
    else if (source->path == NULL)
        fprintf(out, "%s (not found)\n", place_path(source->file));
    else
        fprintf(out, "%s\n", place_path(source->path));
}

static void print_source_line(FILE *out, const struct source *source, u32 line)
{
    const char *text = source == NULL ? NULL : source_line(source, line);
    if (line == 0)
        fputs("  (none)\n", out);
    else
        fprintf(out, "  %6" PRIu32 "  %s\n", line, text == NULL ? "" : text);
}

// Prints the source lines between two lines with code.
static void print_gap(FILE *out, const struct source *source, u32 before, u32 line)
{
    if (line - before > MAX_GAP + 1) {
        fprintf(out, NOTHING "  %6s\n", "", "...");
        return;
    }
    for (u32 between = before + 1; between < line; between++) {
        fprintf(out, NOTHING, "");
        print_source_line(out, source, between);
    }
}

static void print_line(FILE *out, const struct annotate_view *view,
                       const struct annotation *annotation, const struct annotated_line *line,
                       const struct source *source)
{
    print_numbers(out, line->samples, line->events, annotation->function->events);
    print_source_line(out, source, line->line);
    for (size_t i = 0; view->assembly && i < line->count; i++)
        print_instruction(out, annotation,
                          &annotation->instructions[annotation->by_line[line->first + i]], 8);
}

static void print_by_source(FILE *out, const struct annotate_view *view,
                            const struct annotation *annotation)
{
    const struct source *source = NULL;
    for (size_t i = 0; i < annotation->line_count; i++) {
        const struct annotated_line *line = &annotation->lines[i];
        if (i == 0 || line[-1].file != line->file) {
            source = find_source(view, annotation, line->file);
            print_file_heading(out, source);
        } else {
            print_gap(out, source, line[-1].line, line->line);
        }
        print_line(out, view, annotation, line, source);
    }
}

// Prints the instructions in the order of their addresses. Prints the source line where it changes.
static void print_by_address(FILE *out, const struct annotation *annotation)
{
    fprintf(out, "\n%10s %10s  %16s  INSTRUCTION\n", "PERCENT", "SAMPLES", "ADDRESS");
    for (size_t i = 0; i < annotation->count; i++) {
        const struct annotated_instruction *instruction = &annotation->instructions[i];
        const char *file = file_name(annotation, instruction->file);
        bool changed = i == 0 || instruction[-1].file != instruction->file ||
                       instruction[-1].line != instruction->line;
        if (changed && file == NULL)
            fprintf(out, NOTHING "  " NO_LINE ":\n", "");
        else if (changed)
            fprintf(out, NOTHING "  %s:%" PRIu32 ":\n", "", place_path(file), instruction->line);
        print_instruction(out, annotation, instruction, 0);
    }
}

void annotate_print(FILE *out, const struct annotate_view *view,
                    const struct annotation *annotation)
{
    const struct hot_function *function = annotation->function;
    if (view->source)
        check_sources(view, annotation);
    text_print(out, function->name);
    fprintf(out, ", %s (%s): %" PRIu64 " of %" PRIu64 " samples (%.2f %%)\n", function->binary,
            symbols_path(function->symbols), function->samples, view->samples,
            percent(function->events, view->events));
    if (view->source)
        print_by_source(out, view, annotation);
    else
        print_by_address(out, annotation);
}

static void json_samples(json_t *json, u64 samples, u64 events, u64 whole)
{
    put_u64(json, "samples", samples);
    put_number(json, "percent", percent(events, whole));
}

static void json_lines(json_t *json, const struct annotate_view *view,
                       const struct annotation *annotation)
{
    json_t *list = put_array(json, "lines");
    for (size_t i = 0; i < annotation->line_count; i++) {
        const struct annotated_line *line = &annotation->lines[i];
        const struct source *source = find_source(view, annotation, line->file);
        json_t *row = put_object(list, NULL);
        put_text(row, "file", file_name(annotation, line->file));
        put_u64(row, "line", line->line);
        put_text(row, "text", source == NULL ? NULL : source_line(source, line->line));
        json_samples(row, line->samples, line->events, annotation->function->events);
    }
}

static void json_instructions(json_t *json, const struct annotation *annotation)
{
    json_t *list = put_array(json, "instructions");
    for (size_t i = 0; i < annotation->count; i++) {
        const struct annotated_instruction *instruction = &annotation->instructions[i];
        char text[2 * DISASSEMBLY_BYTES];
        instruction_text(annotation, instruction, text, sizeof(text));
        json_t *row = put_object(list, NULL);
        put_hex(row, "address", instruction->address);
        put_hex(row, "word", instruction->word);
        put_text(row, "text", text);
        put_text(row, "file", file_name(annotation, instruction->file));
        put_u64(row, "line", instruction->line);
        json_samples(row, instruction->samples, instruction->events, annotation->function->events);
    }
}

void annotate_json(json_t *json, const struct annotate_view *view,
                   const struct annotation *annotation)
{
    const struct hot_function *function = annotation->function;
    json_t *row = put_object(json, NULL);
    put_text(row, "function", function->name);
    put_text(row, "binary", function->binary);
    put_text(row, "file", symbols_path(function->symbols));
    json_samples(row, function->samples, function->events, view->events);
    if (view->source)
        check_sources(view, annotation);
    if (view->source)
        json_lines(row, view, annotation);
    if (view->assembly)
        json_instructions(row, annotation);
}
