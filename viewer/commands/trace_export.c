// SPDX-License-Identifier: MIT
// `kov trace export`: a trace in the format of another tool.
#include "commands/commands.h"
#include "export/chrome.h"
#include "output/columns.h"
#include "output/out_file.h"
#include "tools/gzip.h"
#include "tools/lines.h"
#include "tools/options.h"
#include "trace/arrange.h"
#include "analyses/trace_needs.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

// What programs that show it open with ease; not more.
#define MUCH_MEGABYTES 256
#define MICROSECONDS 1000000
#define LONGEST_MICROSECONDS 1000000000

static struct trace_options chosen = {.cpu = TRACE_ANY, .pid = TRACE_ANY};
static const char *dump, *output, *format_name;
static bool packs;
static u64 min_microseconds;

static const struct option export_options[] = {
    CHOICE('f', "format", &format_name, "FORMAT", "chrome", "chrome"),
    TEXT('o', "output", &output, "FILE", "the file to write (-: standard output, the default)"),
    FLAG('z', "gzip", &packs, "compressed as by gzip"),
    NUMBER(0, "min", &min_microseconds, 1, LONGEST_MICROSECONDS, "US",
           "join slices shorter than so many microseconds, leave out shorter arrows"),
    TEXT(0, "dump", &dump, "FILE", "of a dump of the machine's memory, in place of a folder"),
    TEXT(0, "from", &chosen.from, "TIME", "from there on: seconds, or +SECONDS from the beginning"),
    TEXT(0, "to", &chosen.to, "TIME", "up to there, inclusive"),
    TEXT('e', "events", &chosen.events, "LIST",
         "which majors or events become points (all that are not shown otherwise)"),
    LIST(0, "where", &chosen.where, "CONDITION", "of these only where 'FIELD OP NUMBER' holds"),
    OPTIONS_END,
};

// Checks what can be checked before anything is read.
static int check(const struct arguments *arguments)
{
    if (format_name == NULL)
        return fail(KOV_USAGE, "give --format: chrome");
    if (strcmp(format_name, "chrome") != 0)
        return fail(KOV_USAGE, "--format %s: must be chrome", format_name);
    int code = out_file_check(&output);
    if (output == NULL)
        lines_as_they_are(true);
    if (code != KOV_OK)
        return code;
    if (packs && output == NULL && isatty(STDOUT_FILENO))
        return fail(KOV_USAGE, "--gzip is not for terminals: give --output");
    if ((arguments->count == 1) == (dump != NULL))
        return fail(KOV_USAGE, "name either the folder of a trace or a dump");
    return trace_choice_check(&chosen);
}

static void print_account(const json_t *document)
{
    json_int_t slices, arrows, points, joined, left_out, lost, discarded;
    json_unpack((json_t *)document, "{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "slices", &slices, "arrows",
                &arrows, "points", &points, "joined", &joined, "left_out", &left_out,
                "lost_packets", &lost, "discarded", &discarded);
    if (output != NULL && min_microseconds != 0)
        printf("%" JSON_INTEGER_FORMAT " slices shorter than %" PRIu64 " us are joined into some "
               "named \"many\", %" JSON_INTEGER_FORMAT " shorter arrows left out\n",
               joined, min_microseconds, left_out);
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
    put_u64(document, "joined", chrome->joined);
    put_u64(document, "left_out", chrome->left_out);
    put_u64(document, "lost_packets", chrome->lost_packets);
    put_u64(document, "discarded", chrome->discarded);
    put_u64(document, "left_out_packets", chrome->engine->left_out);
    trace_needs_apply(document, "export", &chrome->engine->recorded);
    json_incref(document);
    document_tell(document, print_account);
    trace_needs_tell(document, output == NULL);
    json_decref(document);
}

// Warns of much before it is written. What helps: what was not given yet.
static int warn_of_much(const struct chrome *chrome)
{
    bool much = false;
    int code = chrome_is_larger(chrome, (u64)MUCH_MEGABYTES << 20, &much);
    if (code == KOV_OK && much)
        warn("this is more than %d MB of JSON, which its readers open slowly or not at all. "
             "Less: %s%s--from and --to, --events for fewer points",
             MUCH_MEGABYTES, packs ? "" : "-z (a smaller file), ",
             min_microseconds != 0 ? "a larger --min, " : "--min US (joins short slices), ");
    return code;
}

static int write_packed(struct chrome *chrome, FILE *out)
{
    chrome->out = gzip_open(out);
    if (chrome->out == NULL)
        return fail(KOV_FAILED, "out of memory");
    int code = chrome_export(chrome);
    fclose(chrome->out); // an error is one of `out`
    return code;
}

static int write_trace(struct chrome *chrome)
{
    struct out_file out;
    int code = out_file_open(&out, output);
    if (code != KOV_OK)
        return code;
    chrome->out = out.file;
    code = out_file_close(&out, packs ? write_packed(chrome, out.file) : chrome_export(chrome));
    if (code == KOV_OK)
        tell(chrome);
    return code;
}

static int export_trace(struct engine *engine)
{
    u64 begin, end, hz = engine->descriptions.hz;
    struct trace_choice choice = {0};
    struct chrome chrome = {.engine = engine, .choice = &choice};
    chrome.min = (u64)((unsigned __int128)min_microseconds * hz / MICROSECONDS);
    engine_range(engine, &begin, &end);
    engine_tell_unknown(engine);
    int code = trace_choice_decide(&choice, &chosen, &engine->descriptions, begin);
    if (code == KOV_OK)
        code = warn_of_much(&chrome);
    if (code == KOV_OK)
        code = write_trace(&chrome);
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
    .synopsis =
        "--format chrome [-o FILE] [-z] [--min US] FOLDER|--dump FILE [--from TIME] [--to TIME] "
        "[-e LIST] [--where CONDITION]",
    .summary = "Write a trace in the format of another tool",
    .details =
        "chrome: JSON of trace events, for ui.perfetto.dev, speedscope and chrome://tracing. Of\n"
        "each CPU a track with what it does, of each thread one with where it runs; arrows from\n"
        "wake-ups to where the thread runs, and from calls to their replies; hardware counters of\n"
        "`kov trace record --counters`; everything else as points. Time is the time base's.\n"
        "--min keeps the file small: neighbours on a track that are shorter become one slice\n"
        "\"many\", which tells their number and the sum of their times.",
    .options = {export_options},
    .max_arguments = 1,
    .run = run,
};
