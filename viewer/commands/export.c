// SPDX-License-Identifier: MIT
// `kov export`: samples of a recording in the formats of other tools.
#include "commands/commands.h"
#include "export/export.h"
#include "output/columns.h"
#include "output/out_file.h"
#include "samples/recording_event.h"
#include "symbols/kernel.h"
#include "symbols/programs.h"
#include "tools/lines.h"
#include "tools/options.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char *path = RECORDING_DEFAULT_PATH;
static const char *output, *format_name, *event_name;
static bool with_idle;
static u64 pid = SAMPLE_ANY_PID;

static const struct option own_options[] = {
    CHOICE('f', "format", &format_name, "FORMAT", "folded pprof perf-script",
           "folded, pprof or perf-script"),
    TEXT('i', "input", &path, "FILE", "the recording (samples.kov); -: standard input"),
    TEXT('o', "output", &output, "FILE", "the file to write (-: standard output, the default)"),
    TEXT('e', "event", &event_name, "EVENT", "only samples of this event (all)"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID",
           "only samples of this process, also in the kernel; 0: of none"),
    FLAG(0, "idle", &with_idle, "idle samples too"),
    OPTIONS_END,
};

struct format {
    const char *name;
    int (*write)(struct export *export);
    bool binary;
    bool one_event;
};

static const struct format formats[] = {
    {"folded", export_folded, false, true},
    {"pprof", export_pprof, true, false},
    {"perf-script", export_perf, false, false},
};

// Finds the format, and checks what can be checked before anything is read.
static int find_format(const struct format **format)
{
    if (format_name == NULL)
        return fail(KOV_USAGE, "give --format: folded, pprof or perf-script");
    *format = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (strcmp(formats[i].name, format_name) == 0)
            *format = &formats[i];
    if (*format == NULL)
        return fail(KOV_USAGE, "--format %s: must be folded, pprof or perf-script", format_name);
    int code = out_file_check(&output);
    if (output == NULL)
        lines_as_they_are(true);
    if (code == KOV_OK && output == NULL && (*format)->binary && isatty(STDOUT_FILENO))
        return fail(KOV_USAGE, "%s is not for terminals: give --output", format_name);
    return code;
}

static int choose_event(const struct format *format, struct export *export)
{
    char first[RECORDING_EVENT_NAME_BYTES];
    int code = recording_event_find(export->recording, event_name, &export->choice.event);
    if (code == KOV_OK && format->one_event && export->choice.event == RECORDING_EVENT_ALL)
        return fail(KOV_USAGE,
                    "the recording has several events, and the format has room for one: choose it "
                    "with --event, the first is %s",
                    recording_event_name(export->recording, 0, first));
    return code;
}

static void print_account(const json_t *document)
{
    json_int_t samples = json_integer_value(json_object_get(document, "samples"));
    json_int_t lost = json_integer_value(json_object_get(document, "lost"));
    if (output != NULL)
        printf("%" JSON_INTEGER_FORMAT " samples written to %s; the recording had lost "
               "%" JSON_INTEGER_FORMAT "\n",
               samples, output, lost);
    else if (lost != 0)
        warn("%" JSON_INTEGER_FORMAT " samples were lost when the recording was made", lost);
}

static void tell(const struct export *export)
{
    json_t *document = json_object();
    put_text(document, "file", output);
    put_text(document, "format", format_name);
    put_u64(document, "samples", export->samples);
    put_u64(document, "lost", recording_event_lost(export->recording, export->choice.event));
    document_tell(document, print_account);
}

static int export_recording(const struct format *format, const struct recording *recording)
{
    struct kernel kernel = {0};
    struct programs programs = {0};
    struct export export = {
        .recording = recording,
        .programs = &programs,
        .choice = {.idle = with_idle, .pid = pid},
    };
    int code = choose_event(format, &export);
    if (code != KOV_OK)
        return code;
    kernel_use_build_id(&kernel, recording->build_id, recording->build_id_size);
    export.kernel = kernel_symbols(&kernel);
    struct out_file out;
    code = out_file_open(&out, output);
    if (code == KOV_OK) {
        export.out = out.file;
        code = out_file_close(&out, format->write(&export));
    }
    if (code == KOV_OK)
        tell(&export);
    programs_close(&programs);
    kernel_close(&kernel);
    return code;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    const struct format *format = NULL;
    int code = find_format(&format);
    if (code != KOV_OK)
        return code;
    struct recording recording = {0};
    code = recording_load(path, &recording);
    if (code == KOV_OK)
        code = export_recording(format, &recording);
    recording_free(&recording);
    return code;
}

const struct command command_export = {
    .name = "export",
    .synopsis =
        "--format folded|pprof|perf-script [-i FILE] [-o FILE] [-e EVENT] [--pid PID] [--idle]",
    .summary = "Write a recording's samples in the format of another tool",
    .details =
        "folded: a line for each stack, process;object;functions from the outermost in, and the\n"
        "events that its samples stand for, for flamegraph.pl and speedscope. pprof: "
        "for `go tool pprof`, with\n"
        "labels object, class, process and cpu. perf-script: the text of perf script, for\n"
        "stackcollapse-perf.pl and others. Idle samples are left out unless --idle is given.",
    .options = {own_options},
    .run = run,
};
