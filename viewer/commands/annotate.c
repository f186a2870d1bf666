// SPDX-License-Identifier: MIT
// `kov annotate`: the samples of a recording beside the source lines and instructions of a
// function.
#include "commands/commands.h"
#include "samples/annotate_print.h"
#include "symbols/disassemble.h"
#include "symbols/kernel.h"
#include "tools/options.h"

#include <inttypes.h>

#define NAMES_SHOWN 5 // of functions with samples, if the wanted one has none

static const char *path = RECORDING_DEFAULT_PATH;
static const char *event_name, *folder = ".";
static bool only_source, only_assembly, with_idle;
static u64 max_functions;
static u64 pid = SAMPLE_ANY_PID;

static const struct option own_options[] = {
    TEXT('i', "input", &path, "FILE", "the recording (samples.kov); -: standard input"),
    FLAG(0, "source", &only_source, "only source lines"),
    FLAG(0, "asm", &only_assembly, "only instructions, by address"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID",
           "only samples of this process, also in the kernel; 0: of none"),
    TEXT('e', "event", &event_name, "EVENT", "only samples of this event (the first)"),
    NUMBER('n', "functions", &max_functions, 1, UINT32_MAX, "COUNT",
           "so many of the hottest functions (1; of those named FUNCTION: all)"),
    TEXT(0, "sources", &folder, "FOLDER",
         "where sources are that are no longer where they were compiled (.)"),
    FLAG(0, "idle", &with_idle, "count idle samples too"),
    OPTIONS_END,
};

struct annotated {
    struct recording recording;
    struct sample_choice choice;
    struct annotate_view view;
    struct hot_functions hot;
    const char *wanted; // the function; NULL: the hottest
};

static bool is_wanted(const struct annotated *annotated, const struct hot_function *function)
{
    return annotated->wanted == NULL || hot_function_is(function, annotated->wanted);
}

static int nothing_found(const struct annotated *annotated)
{
    const struct hot_functions *hot = &annotated->hot;
    if (hot->samples == 0)
        return fail(KOV_FAILED, "%s: no such samples", path);
    if (hot->count == 0)
        return fail(KOV_FAILED,
                    "%s: none of the %" PRIu64 " samples lies in a function that is known", path,
                    hot->samples);
    char names[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < hot->count && i < NAMES_SHOWN && length < sizeof(names); i++)
        length +=
            (size_t)snprintf(names + length, sizeof(names) - length, "%s%s:%s", i == 0 ? "" : ", ",
                             hot->functions[i].binary, hot->functions[i].name);
    return fail(KOV_FAILED, "%s: no samples in a function '%s'; there are in %s%s", path,
                annotated->wanted, names, hot->count > NAMES_SHOWN ? ", ..." : "");
}

static void print_head(const struct annotated *annotated)
{
    const struct recording *recording = &annotated->recording;
    u32 event = annotated->choice.event;
    printf("%s: %" PRIu64 " samples of %s, lost %" PRIu64 "; a sample every %" PRIu64 "\n", path,
           annotated->hot.samples, annotated->view.event, recording_event_lost(recording, event),
           annotated->view.period);
    if (annotated->hot.unknown != 0)
        printf("%" PRIu64 " samples lie where no function is known\n", annotated->hot.unknown);
    puts("percentages beside lines and instructions are of the function's events");
}

static void json_head(json_t *json, const struct annotated *annotated)
{
    put_text(json, "file", path);
    put_bool(json, "complete", !annotated->recording.cut);
    put_text(json, "event", annotated->view.event);
    put_u64(json, "period", annotated->view.period);
    put_u64(json, "samples", annotated->hot.samples);
    put_u64(json, "lost", recording_event_lost(&annotated->recording, annotated->choice.event));
    put_u64(json, "unknown", annotated->hot.unknown);
}

// Shows the functions. json NULL: as text.
static void show_functions(const struct annotated *annotated, json_t *json)
{
    const struct hot_functions *hot = &annotated->hot;
    u64 left = max_functions;
    if (left == 0) // the hottest, or all of the wanted name
        left = annotated->wanted == NULL ? 1 : UINT64_MAX;
    for (size_t i = 0; i < hot->count && left > 0; i++) {
        if (!is_wanted(annotated, &hot->functions[i]))
            continue;
        struct annotation annotation;
        annotation_make(hot, &hot->functions[i], &annotation);
        if (json != NULL) {
            annotate_json(json, &annotated->view, &annotation);
        } else {
            putchar('\n');
            annotate_print(stdout, &annotated->view, &annotation);
        }
        annotation_free(&annotation);
        left--;
    }
}

static int show(const struct annotated *annotated)
{
    bool any = false;
    for (size_t i = 0; i < annotated->hot.count && !any; i++)
        any = is_wanted(annotated, &annotated->hot.functions[i]);
    if (!any)
        return nothing_found(annotated);
    if (output_form() == OUTPUT_JSON) { // people see each function as soon as it is read
        json_t *document = json_object();
        json_head(document, annotated);
        json_t *list = put_array(document, "functions");
        show_functions(annotated, list);
        document_print(document);
    } else {
        print_head(annotated);
        show_functions(annotated, NULL);
    }
    return KOV_OK;
}

static int choose_event(struct annotated *annotated)
{
    const struct recording *recording = &annotated->recording;
    u32 *event = &annotated->choice.event;
    int code = recording_event_find(recording, event_name, event);
    if (code != KOV_OK)
        return code;
    if (*event == RECORDING_EVENT_ALL)
        *event = 0;
    recording_event_name(recording, *event, annotated->view.event);
    annotated->view.period = recording_event_period(recording, *event);
    return KOV_OK;
}

static int annotate(struct annotated *annotated)
{
    int code = recording_load(path, &annotated->recording);
    if (code == KOV_OK)
        code = choose_event(annotated);
    if (code != KOV_OK)
        return code;
    struct kernel kernel = {0};
    struct programs programs = {0};
    struct sources sources = {0};
    annotated->view.sources = &sources;
    kernel_use_build_id(&kernel, annotated->recording.build_id, annotated->recording.build_id_size);
    hot_functions_find(&annotated->recording, &annotated->choice, kernel_symbols(&kernel),
                       &programs, &annotated->hot);
    annotated->view.samples = annotated->hot.samples;
    annotated->view.events = annotated->hot.events;
    code = show(annotated);
    hot_functions_free(&annotated->hot);
    sources_close(&sources);
    disassemble_close();
    programs_close(&programs);
    kernel_close(&kernel);
    return code;
}

static int run(const struct arguments *arguments)
{
    struct annotated annotated = {
        .choice = {.idle = with_idle, .pid = pid},
        .view = {.source = only_source || !only_assembly,
                 .assembly = only_assembly || !only_source,
                 .folder = folder},
        .wanted = arguments->count > 0 ? arguments->values[0] : NULL,
    };
    int code = annotate(&annotated);
    recording_free(&annotated.recording);
    return code;
}

const struct command command_annotate = {
    .name = "annotate",
    .synopsis = "[FUNCTION] [-i FILE] [--source | --asm] [-e EVENT] [--pid PID] [-n COUNT]",
    .summary = "Show a recording's samples beside the source lines and instructions of a function",
    .details =
        "Without FUNCTION: of the hottest one. FUNCTION may stand behind \"kernel:\" or the name\n"
        "of a program and a colon. Each instruction stands below the source line that it comes\n"
        "from, inlined ones below the lines of what was inlined; with --asm they are in order of\n"
        "their addresses. The code is that of the ELF files (--kernel, --programs). Instructions\n"
        "that the disassembler does not know are shown as .long.",
    .options = {own_options},
    .max_arguments = 1,
    .run = run,
};
