// SPDX-License-Identifier: MIT
// `kov trace export`: a trace in the format of another tool.
#include "commands/commands.h"
#include "export/chrome.h"
#include "output/columns.h"
#include "output/out_file.h"
#include "tools/options.h"

#include <inttypes.h>
#include <string.h>

static struct trace_wishes wishes = {.cpu = TRACE_ANY, .pid = TRACE_ANY};
static const char *dump, *output, *format_name;

static const struct option export_options[] = {
    CHOICE('f', "format", &format_name, "FORMAT", "chrome", "chrome"),
    TEXT('o', "output", &output, "FILE", "the file to write (standard output)"),
    TEXT(0, "dump", &dump, "FILE", "of a dump of the machine's memory, in place of a folder"),
    TEXT(0, "from", &wishes.from, "TIME", "from there on: seconds, or +SECONDS from the beginning"),
    TEXT(0, "to", &wishes.to, "TIME", "up to there, inclusive"),
    TEXT('e', "events", &wishes.events, "LIST",
         "which majors or events become points (all that are not shown otherwise)"),
    LIST(0, "where", &wishes.where, "CONDITION", "of these only where 'FIELD OP NUMBER' holds"),
    OPTIONS_END,
};

// Checks what can be checked before anything is read.
static int check(const struct arguments *arguments)
{
    if (format_name == NULL)
        return fail(KOV_USAGE, "give --format: chrome");
    if (strcmp(format_name, "chrome") != 0)
        return fail(KOV_USAGE, "--format %s: must be chrome", format_name);
    int code = out_file_check(output);
    if (code != KOV_OK)
        return code;
    if ((arguments->count == 1) == (dump != NULL))
        return fail(KOV_USAGE, "name either the folder of a trace or a dump");
    return trace_choice_check(&wishes);
}

static void print_account(const json_t *document)
{
    json_int_t slices, arrows, points, lost, discarded;
    json_unpack((json_t *)document, "{s:I,s:I,s:I,s:I,s:I}", "slices", &slices, "arrows", &arrows,
                "points", &points, "lost_packets", &lost, "discarded", &discarded);
    if (output != NULL)
        printf("%" JSON_INTEGER_FORMAT " slices, %" JSON_INTEGER_FORMAT
               " arrows, %" JSON_INTEGER_FORMAT " points written to %s; the trace had lost "
               "%" JSON_INTEGER_FORMAT " packets and %" JSON_INTEGER_FORMAT " events\n",
               slices, arrows, points, output, lost, discarded);
    else if (lost + discarded != 0)
        warn("%" JSON_INTEGER_FORMAT " packets and %" JSON_INTEGER_FORMAT
             " events were lost when the trace was made",
             lost, discarded);
}

static void tell(const struct chrome *chrome)
{
    json_t *document = json_object();
    put_text(document, "file", output);
    put_text(document, "format", format_name);
    put_u64(document, "slices", chrome->slices);
    put_u64(document, "arrows", chrome->arrows);
    put_u64(document, "points", chrome->instants);
    put_u64(document, "lost_packets", chrome->lost_packets);
    put_u64(document, "discarded", chrome->discarded);
    document_tell(document, print_account);
}

static int export_trace(struct engine *engine)
{
    struct trace_choice choice = {0};
    struct chrome chrome = {.engine = engine, .choice = &choice};
    u64 begin, end;
    engine_range(engine, &begin, &end);
    int code = trace_choice_decide(&choice, &wishes, &engine->descriptions, begin);
    if (code == KOV_OK)
        code = out_file_open(output, &chrome.out);
    if (code == KOV_OK)
        code = out_file_close(output, chrome.out, chrome_export(&chrome));
    if (code == KOV_OK)
        tell(&chrome);
    trace_choice_free(&choice);
    return code;
}

static int run(const struct arguments *arguments)
{
    struct engine engine = {0};
    int code = check(arguments);
    if (code != KOV_OK)
        return code;
    code = dump != NULL ? engine_open_dump(&engine, dump)
                        : engine_open_folder(&engine, arguments->values[0]);
    if (code == KOV_OK)
        code = export_trace(&engine);
    engine_close(&engine);
    return code;
}

const struct command command_trace_export = {
    .name = "trace export",
    .synopsis = "--format chrome [-o FILE] FOLDER|--dump FILE [--from TIME] [--to TIME] [-e LIST] "
                "[--where CONDITION]",
    .summary = "Write a trace in the format of another tool",
    .details =
        "chrome: JSON of trace events, for ui.perfetto.dev, speedscope and chrome://tracing. Of\n"
        "each CPU a track with what it does, of each thread one with where it runs; arrows from\n"
        "wake-ups to where the thread runs, and from calls to their replies; hardware counters of\n"
        "`kov trace record --counters`; everything else as points. Time is the time base's.",
    .options = {export_options},
    .max_arguments = 1,
    .run = run,
};
