// SPDX-License-Identifier: MIT
// A function with its samples beside each instruction and each source line.
#include "samples/annotation.h"
#include "tools/memory.h"

#include <stdlib.h>

static void read_instruction(struct annotation *annotation, size_t index)
{
    const struct hot_function *function = annotation->function;
    struct annotated_instruction *instruction = &annotation->instructions[index];
    instruction->address = function->range.start + index * CODE_INSTRUCTION_BYTES;
    code_read(function->symbols, instruction->address, &instruction->word);
    struct symbol symbol = symbols_find(function->symbols, instruction->address);
    instruction->line = symbol.file == NULL ? 0 : symbol.line;
    instruction->file =
        symbol.file == NULL ? ANNOTATION_NO_FILE : intern_text(&annotation->files, symbol.file);
}

static void add_samples(struct annotation *annotation, const struct hot_functions *hot)
{
    const struct hot_function *function = annotation->function;
    for (size_t i = 0; i < function->count; i++) {
        const struct hot_place *place = &hot->places[function->first + i];
        size_t index = (place->address - function->range.start) / CODE_INSTRUCTION_BYTES;
        annotation->instructions[index].samples += place->samples;
        annotation->instructions[index].events += place->events;
    }
}

static int compare(const void *left, const void *right, void *context)
{
    u32 first = *(const u32 *)left, second = *(const u32 *)right;
    const struct annotated_instruction *instructions = context;
    const struct annotated_instruction *a = &instructions[first], *b = &instructions[second];
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (first > second) - (first < second);
}

// Returns the line of the next instruction in by_line: the last line, or a new one.
static struct annotated_line *line_for(struct annotation *annotation,
                                       const struct annotated_instruction *instruction, size_t at)
{
    if (annotation->line_count > 0) {
        struct annotated_line *last = &annotation->lines[annotation->line_count - 1];
        if (last->file == instruction->file && last->line == instruction->line)
            return last;
    }
    annotation->lines = memory_grow(annotation->lines, annotation->line_count,
                                    &annotation->line_capacity, sizeof(*annotation->lines));
    struct annotated_line *line = &annotation->lines[annotation->line_count++];
    *line =
        (struct annotated_line){.file = instruction->file, .line = instruction->line, .first = at};
    return line;
}

static void arrange_lines(struct annotation *annotation)
{
    annotation->by_line = memory_get(annotation->count * sizeof(*annotation->by_line));
    for (u32 i = 0; i < annotation->count; i++)
        annotation->by_line[i] = i;
    if (annotation->count > 1)
        qsort_r(annotation->by_line, annotation->count, sizeof(*annotation->by_line), compare,
                annotation->instructions);
    for (size_t i = 0; i < annotation->count; i++) {
        const struct annotated_instruction *instruction =
            &annotation->instructions[annotation->by_line[i]];
        struct annotated_line *line = line_for(annotation, instruction, i);
        line->samples += instruction->samples;
        line->events += instruction->events;
        line->count++;
    }
}

void annotation_make(const struct hot_functions *hot, const struct hot_function *function,
                     struct annotation *annotation)
{
    *annotation = (struct annotation){.function = function};
    annotation->count = (function->range.end - function->range.start) / CODE_INSTRUCTION_BYTES;
    annotation->instructions = memory_get(annotation->count * sizeof(*annotation->instructions));
    for (size_t i = 0; i < annotation->count; i++)
        read_instruction(annotation, i);
    add_samples(annotation, hot);
    arrange_lines(annotation);
}

void annotation_free(struct annotation *annotation)
{
    intern_free(&annotation->files);
    free(annotation->instructions);
    free(annotation->by_line);
    free(annotation->lines);
    *annotation = (struct annotation){0};
}
