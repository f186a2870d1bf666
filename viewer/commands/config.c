// SPDX-License-Identifier: MIT
// `kov config`: lists, shows, saves, loads from files, and removes named configurations.
#include "commands/commands.h"
#include "counts/event_configuration.h"
#include "output/columns.h"

#include <inttypes.h>
#include <orrery/pmu.h>
#include <stdlib.h>
#include <string.h>

static struct texts sets;
static const char *shares, *cpus, *about;
static u64 slice, period;
static bool force;

static const struct option save_options[] = {
    LIST('e', "event", &sets, "EVENTS", "EVENT[:u|:k][@PERIOD],… or all; each -e is a set"),
    NUMBER('c', "period", &period, 16, 0x7fffffff, "EVENTS", "events a sample"),
    TEXT('C', "cpus", &cpus, "CPUS", "on these CPUs only, such as 0-2,5"),
    TEXT(0, "shares", &shares, "LIST", "of the time, one for each -e"),
    NUMBER(0, "slice", &slice, SYS_PMU_SLICE_MIN, SYS_PMU_SLICE_MAX, "COUNT",
           "instructions that a turn takes"),
    TEXT(0, "about", &about, "TEXT", "what it is for, one line"),
    FLAG(0, "force", &force, "replace the one of that name"),
    OPTIONS_END,
};

static const struct option load_options[] = {
    FLAG(0, "force", &force, "with FILE: replace the one of that name"),
    OPTIONS_END,
};

// Static because it is large; there is one at a time.
static struct configuration configuration;

static int check_name(const struct arguments *arguments)
{
    if (arguments->count < 1)
        return fail(KOV_USAGE, "give the name of a configuration: see `kov config list`");
    return configuration_check_name(arguments->values[0]);
}

// ---- showing -----------------------------------------------------------------------------------

static void json_number_or_null(json_t *json, const char *key, u64 value)
{
    if (value == 0)
        put_text(json, key, NULL);
    else
        put_u64(json, key, value);
}

static void json_members(json_t *json, const struct configuration *one)
{
    put_text(json, "name", one->name);
    put_bool(json, "built_in", one->built_in);
    put_text(json, "about", one->about);
    put_text(json, "events", one->events);
    json_t *list = put_array(json, "sets");
    for (u32 set = 0; set < one->sets.count; set++)
        put_text(list, NULL, one->sets.texts[set]);
    put_text(json, "shares", one->shares);
    put_text(json, "cpus", one->cpus);
    json_number_or_null(json, "slice", one->slice);
    json_number_or_null(json, "period", one->period);
}

static void print_file(const json_t *document)
{
    (void)document; // the file is shown instead, since it has comments and an order, too
    configuration_write(stdout, &configuration);
}

static int show(void (*people)(const json_t *document))
{
    json_t *document = json_object();
    json_members(document, &configuration);
    document_tell(document, people);
    return KOV_OK;
}

static int run_show(const struct arguments *arguments)
{
    int code = check_name(arguments);
    if (code == KOV_OK)
        code = configuration_load(arguments->values[0], &configuration);
    return code == KOV_OK ? show(print_file) : code;
}

static void from_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    const char *name = json_string_value(json_object_get(row, "name"));
    strcpy(text, json_object_get(row, "events") == NULL           ? "not valid"
                 : json_is_true(json_object_get(row, "built_in")) ? "built in"
                 : configuration_built_in(name) == NULL           ? "yours"
                                                                  : "yours, for the built-in");
}

static void about_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    const char *about = json_string_value(json_object_get(row, "about"));
    const char *events = json_string_value(json_object_get(row, "events"));
    snprintf(text, CELL_BYTES, "%s", events == NULL ? "" : *about != '\0' ? about : events);
}

static const struct column columns[] = {
    COLUMN("NAME", "name", -21),
    COLUMN("FROM", NULL, -25, .compose = from_text),
    COLUMN("ABOUT", "about", -1, .compose = about_text),
    HIDDEN("built_in"),
    HIDDEN("events"),
    HIDDEN("shares"),
    HIDDEN("cpus"),
    HIDDEN("slice"),
    HIDDEN("period"),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"configurations", columns}, {NULL, NULL}};

static int run_list(const struct arguments *arguments)
{
    char **names;
    size_t count;
    (void)arguments;
    int code = configuration_names(&names, &count);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    json_t *list = put_array(document, "configurations");
    for (size_t i = 0; i < count; i++) {
        // One that is wrong has had its message, and does not hide the others. People see its name;
        // programs would miss its members.
        if (configuration_load(names[i], &configuration) == KOV_OK)
            json_members(put_object(list, NULL), &configuration);
        else if (output_form() == OUTPUT_TABLES)
            put_text(put_object(list, NULL), "name", names[i]);
        free(names[i]);
    }
    document_show(document, sheets);
    free(names);
    return KOV_OK;
}

// ---- changing ----------------------------------------------------------------------------------

// Builds a configuration from text, as a file has it, so that the checks are the same.
static int build(const char *name)
{
    struct configuration wanted = {.sets = sets, .shares = shares, .cpus = cpus};
    wanted.about = about == NULL ? "" : about;
    wanted.slice = slice;
    wanted.period = period;
    memset(&configuration, 0, sizeof(configuration));
    snprintf(configuration.name, sizeof(configuration.name), "%s", name);
    FILE *text = fmemopen(configuration.text, sizeof(configuration.text), "w");
    if (text == NULL)
        return fail(KOV_FAILED, "out of memory");
    configuration_write(text, &wanted);
    if (fclose(text) != 0 || strlen(configuration.text) >= CONFIGURATION_BYTES)
        return fail(KOV_USAGE, "a configuration has at most %d bytes", CONFIGURATION_BYTES);
    return configuration_parse("the configuration", &configuration);
}

static bool has_line_end(const char *text)
{
    return text != NULL && strchr(text, '\n') != NULL;
}

static int run_save(const struct arguments *arguments)
{
    int code = check_name(arguments);
    if (code == KOV_OK && sets.count == 0)
        code = fail(KOV_USAGE, "give events: -e");
    bool wrong = has_line_end(shares) || has_line_end(cpus) || has_line_end(about);
    for (u32 set = 0; set < sets.count; set++)
        wrong |= has_line_end(sets.texts[set]);
    if (code == KOV_OK && wrong)
        code = fail(KOV_USAGE, "no option may have a line end in it");
    if (code == KOV_OK)
        code = build(arguments->values[0]) == KOV_OK ? KOV_OK : KOV_USAGE;
    if (code == KOV_OK)
        code = configuration_save(&configuration, force);
    return code == KOV_OK ? show(NULL) : code;
}

static int run_load(const struct arguments *arguments)
{
    int code = check_name(arguments);
    if (code != KOV_OK)
        return code;
    if (arguments->count == 1)
        return run_show(arguments);
    code = configuration_read(arguments->values[1], arguments->values[0], &configuration);
    if (code == KOV_OK)
        code = configuration_save(&configuration, force);
    return code == KOV_OK ? show(print_file) : code;
}

static int run_remove(const struct arguments *arguments)
{
    int code = check_name(arguments);
    if (code == KOV_OK)
        code = configuration_remove(arguments->values[0]);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    put_text(document, "removed", arguments->values[0]);
    document_tell(document, NULL);
    return KOV_OK;
}

// ---- commands ----------------------------------------------------------------------------------

const struct command command_config_list = {
    .name = "config list",
    .synopsis = "",
    .summary = "List named configurations: which events to measure, and how",
    .details =
        "Those that are built in, and yours, which are files NAME.conf in\n"
        "$XDG_CONFIG_HOME/orrery (~/.config/orrery). Yours go before built-in ones of the same\n"
        "name. `kov stat --config NAME` counts the events of one.",
    .has_csv = true,
    .run = run_list,
};

const struct command command_config_show = {
    .name = "config show",
    .synopsis = "NAME",
    .summary = "Print a configuration as it stands in a file",
    .max_arguments = 1,
    .run = run_show,
};

const struct command command_config_save = {
    .name = "config save",
    .synopsis =
        "NAME -e EVENTS … [-c EVENTS] [-C CPUS] [--shares LIST] [--slice COUNT] [--about TEXT]",
    .summary = "Save events and options under a name",
    .details = "No machine is asked: whether it has the events is told when they are measured.",
    .options = {save_options},
    .max_arguments = 1,
    .run = run_save,
};

const struct command command_config_load = {
    .name = "config load",
    .synopsis = "NAME [FILE]",
    .summary = "Check a configuration, or take one in from a file, and print it",
    .details = "With FILE (-: standard input) the configuration that it holds is saved under NAME; "
               "without,\n"
               "the saved one is read: after editing it by hand this tells what is wrong with it.",
    .options = {load_options},
    .max_arguments = 2,
    .run = run_load,
};

const struct command command_config_remove = {
    .name = "config remove",
    .synopsis = "NAME",
    .summary = "Remove one of your configurations",
    .max_arguments = 1,
    .run = run_remove,
};
