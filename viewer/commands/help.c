// SPDX-License-Identifier: MIT
// `kov help`: texts made from the tables of commands and options.
#include "commands/help.h"
#include "commands/commands.h"
#include "tools/options.h"

#include <string.h>

void help_overview(FILE *out)
{
    fputs("usage: kov [OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\nCommands:\n", out);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-16s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nOptions of every command:\n", out);
    options_print(out, global_options);
    fputs("\nExit status: 0 done, 1 the command failed, 2 wrong usage, 3 no connection or a broken "
          "one.\n"
          "`kov help COMMAND` tells more.\n",
          out);
}

int help_command(FILE *out, const struct command *command)
{
    fprintf(out, "usage: kov %s%s%s\n\n%s.\n", command->name,
            command->synopsis[0] != '\0' ? " " : "", command->synopsis, command->summary);
    if (command->details != NULL)
        fprintf(out, "\n%s\n", command->details);
    if (command->options[0] != NULL)
        fputs("\nOptions:\n", out);
    for (size_t i = 0; command->options[i] != NULL; i++)
        options_print(out, command->options[i]);
    fputs("\nOptions of every command (--json, --host, …): `kov help`.\n", out);
    return KOV_OK;
}

// Words of the arguments joined by one blank, as commands are named.
static void join(const struct arguments *arguments, char *name, size_t size)
{
    snprintf(name, size, "%s%s%s", arguments->values[0], arguments->count > 1 ? " " : "",
             arguments->count > 1 ? arguments->values[1] : "");
}

static int help_named(const char *name)
{
    size_t length = strlen(name);
    bool found = false;
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *candidate = commands[i]->name;
        if (strncmp(candidate, name, length) != 0)
            continue;
        if (candidate[length] != '\0' && candidate[length] != ' ')
            continue;
        if (found)
            fputc('\n', stdout);
        help_command(stdout, commands[i]);
        found = true;
    }
    return found ? KOV_OK : fail(KOV_USAGE, "no command '%s': see `kov help`", name);
}

static int run(const struct arguments *arguments)
{
    if (arguments->count == 0) {
        help_overview(stdout);
        return KOV_OK;
    }
    char name[80];
    join(arguments, name, sizeof(name));
    return help_named(name);
}

const struct command command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .summary = "List the commands, or explain one",
    .max_arguments = 2,
    .run = run,
};
