// SPDX-License-Identifier: MIT
// Writes the text of `perf script`: a line for each sample, its stack below, innermost first, and
// an empty line.
#include "export/export.h"
#include "samples/recording_event.h"
#include "tools/kov.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_DSO "[kernel.kallsyms]" // perf's name for the kernel, by which tools know it
#define MICROSECONDS 1000000u

static int by_time(const void *left, const void *right, void *context)
{
    const struct sample *samples = context;
    u32 first = *(const u32 *)left, second = *(const u32 *)right;
    const struct sample *a = &samples[first], *b = &samples[second];
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (first > second) - (first < second);
}

// Writes a word. Tools split words at blanks, and join the names of a stack by ';'.
static void write_word(FILE *out, const char *name)
{
    char *word = text_copy_escaped(name);
    for (char *at = word; *at != '\0'; at++)
        *at = (char)(isspace((unsigned char)*at) ? '_' : *at == ';' ? ':' : *at);
    fputs(word, out);
    free(word);
}

static void write_command(const struct export *export, const struct sample *sample)
{
    const struct process_info *process =
        snapshot_process(&export->recording->snapshot, sample->pid);
    char unknown[24];
    const char *name = process == NULL ? unknown : process->name;
    snprintf(unknown, sizeof(unknown), sample->pid == 0 ? "kernel" : "pid-%" PRIu32, sample->pid);
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0)
        name = "idle";
    write_word(export->out, name[0] == '\0' ? unknown : name);
}

static void write_head(const struct export *export, const struct sample *sample)
{
    const struct recording *recording = export->recording;
    char event[RECORDING_EVENT_NAME_BYTES];
    u64 hertz = recording->timebase_hz;
    u64 microseconds = (u64)((unsigned __int128)(sample->time % hertz) * MICROSECONDS / hertz);
    write_command(export, sample);
    fprintf(export->out,
            " %5" PRIu32 "/%-5" PRIu32 " [%03" PRIu32 "] %5" PRIu64 ".%06" PRIu64 ": %10" PRIu64
            " %s: \n",
            sample->pid, sample->thread, sample->cpu, sample->time / hertz, microseconds,
            recording_event_weight(recording, sample),
            recording_event_name(recording, recording_event_of(recording, sample), event));
}

static void write_frame(FILE *out, const struct export_frame *frame)
{
    struct symbol symbol = symbols_find(frame->symbols, frame->address);
    fprintf(out, "\t%16" PRIx64 " ", frame->address);
    if (symbol.function == NULL)
        fputs("[unknown]", out);
    else {
        write_word(out, symbol.function);
        fprintf(out, "+0x%" PRIx64, symbol.offset);
    }
    const char *file = frame->symbols == NULL ? "[unknown]" : symbols_path(frame->symbols);
    fputs(" (", out);
    write_word(out, frame->space == 0 ? KERNEL_DSO : file);
    fputs(")\n", out);
}

static void write_sample(const struct export *export, const struct sample *sample)
{
    struct export_frame frames[EXPORT_MAX_FRAMES];
    u32 count = export_stack(export, sample, frames);
    write_head(export, sample);
    for (u32 i = 0; i < count; i++)
        write_frame(export->out, &frames[i]);
    fputc('\n', export->out);
}

int export_perf(struct export *export)
{
    const struct sample_set *set = &export->recording->samples;
    if (export->recording->timebase_hz == 0)
        return fail(KOV_FAILED, "the recording does not tell how fast the machine's clock runs");
    u32 *order = memory_get(set->count * sizeof(*order));
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        if (sample_is_chosen(export->recording, &export->choice, &set->samples[i]))
            order[count++] = (u32)i;
    if (count > 1)
        qsort_r(order, count, sizeof(*order), by_time, set->samples);
    for (size_t i = 0; i < count; i++)
        write_sample(export, &set->samples[order[i]]);
    export->samples = count;
    free(order);
    return KOV_OK;
}
