// SPDX-License-Identifier: MIT
// kov, the Orrery viewer: finds the command among the arguments and runs it.
#include "commands/commands.h"
#include "output/columns.h"
#include "tools/kov.h"
#include "tools/lines.h"
#include "tools/near.h"
#include "tools/options.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <orrery/version.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct settings settings = {
    .host = KOV_HOST,
    .port = KOV_PORT,
    .timeout = 10,
    .reconnect = 30,
};

static bool want_help, want_version;

const struct option global_options[] = {
    TEXT(0, "host", &settings.host, "ADDRESS", "machine to talk to (127.0.0.1)"),
    NUMBER(0, "port", &settings.port, 1, 65535, "PORT", "its TCP port (4242)"),
    TEXT(0, "token", &settings.token, "TOKEN",
         "observer or controller token ($ORRERY_TOKEN, else the one that `make run` left for the "
         "port, else \"orrery\")"),
    TEXT(0, "kernel", &settings.kernel, "FILE",
         "the kernel's ELF file, for names of functions (by its build id orrery.elf or "
         "orrery-bench.elf beside kov, in build/ or here)"),
    TEXT(0, "programs", &settings.programs, "FOLDER",
         "the programs' ELF files, for the same (user/bin beside the kernel's)"),
    SECONDS(0, "timeout", &settings.timeout, 3600,
            "longest wait for the machine (10); of live commands, each wait"),
    SECONDS(0, "reconnect", &settings.reconnect, 86400,
            "how long to try when a connection is lost (30)"),
    FLAG(0, "no-reconnect", &settings.no_reconnect, "end when the connection is lost"),
    FLAG(0, "json", &settings.json, "write one JSON object instead of tables"),
    FLAG(0, "csv", &settings.csv, "write tables as CSV, with the keys of --json"),
    NUMBER('n', "rows", &settings.rows, 1, UINT32_MAX, "ROWS",
           "at most so many rows a table (all), where the command has no -n of its own; --json has "
           "all"),
    FLAG(0, "wide", &settings.wide,
         "on a terminal, too: all columns of tables, and lines as long as they are"),
    FLAG('h', "help", &want_help, "this help, or that of the command"),
    FLAG(0, "version", &want_version, "kov's version"),
    OPTIONS_END,
};

// Returns the number of words in a command's name if the arguments begin with all of them, else 0.
static int matched_words(const char *name, int argc, char **argv)
{
    const char *space = strchr(name, ' ');
    size_t first = space == NULL ? strlen(name) : (size_t)(space - name);
    if (argc < 1 || strlen(argv[0]) != first || strncmp(argv[0], name, first) != 0)
        return 0;
    if (space == NULL)
        return 1;
    return argc >= 2 && strcmp(argv[1], space + 1) == 0 ? 2 : 0;
}

static const struct command *find_command(int argc, char **argv, int *words)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        *words = matched_words(commands[i]->name, argc, argv);
        if (*words > 0)
            return commands[i];
    }
    return NULL;
}

// Prints an error about a name of two words. The first is right; the second may be missing.
static int unknown_second(const char *first, const char *second)
{
    size_t length = strlen(first);
    if (second == NULL || second[0] == '-')
        return fail(KOV_USAGE, "'%s' needs a second word: see `kov help %s`", first, first);
    struct near near = {.typed = second, .length = strlen(second)};
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = commands[i]->name;
        if (strncmp(name, first, length) == 0 && name[length] == ' ')
            near_offer(&near, name + length + 1, strlen(name + length + 1));
    }
    return fail(KOV_USAGE, "no command '%s %s'%s: see `kov help %s`", first, second,
                near_hint(&near), first);
}

// Prints an error about an unknown command. second: NULL when there is none.
static int unknown_command(const char *word, const char *second)
{
    size_t length = strlen(word);
    struct near near = {.typed = word, .length = length};
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = commands[i]->name;
        if (strncmp(name, word, length) == 0 && name[length] == ' ')
            return unknown_second(word, second);
        near_offer(&near, name, strcspn(name, " "));
    }
    return fail(KOV_USAGE, "no command '%s'%s: see `kov help`", word, near_hint(&near));
}

// Has the commands in messages find the same machine.
static void name_machine(void)
{
    char host[300] = "", options[sizeof(host) + 24];
    if (strcmp(settings.host, KOV_HOST) != 0)
        snprintf(host, sizeof(host), "--host %s ", settings.host);
    snprintf(options, sizeof(options), "%s", host);
    if (settings.port != KOV_PORT)
        snprintf(options, sizeof(options), "%s--port %llu ", host,
                 (unsigned long long)settings.port);
    message_command_options(options);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct arguments arguments;
    int code = options_parse(command->options, argc, argv, &arguments);
    if (code != KOV_OK)
        return code;
    name_machine();
    if (want_help)
        return help_command(stdout, command);
    if (arguments.count > command->max_arguments)
        return fail(KOV_USAGE, "'%s' is one argument too many: see `kov help %s`",
                    arguments.values[command->max_arguments], command->name);
    if (arguments.has_workload && !command->takes_workload)
        return fail(KOV_USAGE, "`kov %s` takes no workload", command->name);
    if (arguments.has_workload && arguments.workload_count == 0 && command->max_arguments == 0)
        return fail(KOV_USAGE, "the name of a workload must follow `--`: see `kov workload list`");
    if (settings.csv && settings.json)
        return fail(KOV_USAGE, "give either --json or --csv");
    if (settings.csv && !command->has_csv)
        return fail(KOV_USAGE, "`kov %s` prints no table: --csv is not for it", command->name);
    patience_begin();
    arguments.command = command;
    code = command->run(&arguments);
    columns_tell_left_out();
    session_end();
    if (fflush(stdout) != 0 || ferror(stdout))
        return fail(KOV_FAILED, "cannot write the output");
    return code;
}

int main(int argc, char **argv)
{
    const char *token = getenv("ORRERY_TOKEN");
    signal(SIGXFSZ, SIG_IGN); // so that a limit on file sizes acts like a full disk
    lines_begin();
    if (token != NULL)
        settings.token = token;
    int used;
    int code = options_parse_global(argc - 1, argv + 1, &used);
    if (code != KOV_OK)
        return code;
    if (want_version)
        return printf("kov " ORRERY_VERSION "\n") < 0 ? KOV_FAILED : KOV_OK;
    argv += 1 + used;
    argc -= 1 + used;
    if (argc == 0) {
        help_overview(want_help ? stdout : stderr);
        return want_help ? KOV_OK : KOV_USAGE;
    }
    int words;
    const struct command *command = find_command(argc, argv, &words);
    return command == NULL ? unknown_command(argv[0], argv[1])
                           : run(command, argc - words, argv + words);
}
