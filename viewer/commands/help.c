// SPDX-License-Identifier: MIT
// `kov help`: texts made from the tables of commands and options. Also prints the parts of the
// manual page that they describe.
#include "commands/commands.h"
#include "tools/lines.h"
#include "tools/options.h"

#include <string.h>

#define WRITTEN_WIDTH 100

// Prints paragraphs. Where the terminal is narrower than the lines in which they were written, each
// is one line, which is broken where it has to be.
static void print_paragraphs(FILE *out, const char *text)
{
    bool joined = lines_width() != LINES_ANY_WIDTH && lines_width() < WRITTEN_WIDTH;
    for (; *text != '\0'; text++) {
        bool ends = text[0] != '\n' || text[1] == '\n' || text[1] == ' ' || text[-1] == '\n';
        fputc(joined && !ends ? ' ' : *text, out);
    }
}

void help_overview(FILE *out)
{
    const struct command_group *group = command_groups;
    fputs("usage: kov [OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n", out);
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (commands[i] == group->first)
            fprintf(out, "\n%s:\n", group++->title);
        fprintf(out, "  %-16s %s\n", commands[i]->name, commands[i]->summary);
    }
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
    if (command->details != NULL) {
        fputc('\n', out);
        print_paragraphs(out, command->details);
        fputc('\n', out);
    }
    if (command->options[0] != NULL)
        fputs("\nOptions:\n", out);
    for (size_t i = 0; command->options[i] != NULL; i++)
        options_print(out, command->options[i]);
    fputs("\nOptions of every command (--json, --host, …): `kov help`.\n", out);
    return KOV_OK;
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

// ---- the manual page ----------------------------------------------------------------------------

static const char *man_part;

static const struct option own_options[] = {
    CHOICE(0, "man", &man_part, "PART", "synopsis options",
           "a command's synopsis or options, or those of all commands, as a manual page has them"),
    OPTIONS_END,
};

// Prints a text for roff. Literals are bold. Words in capital letters, which stand for something
// else, are italic.
static void man_text(const char *text, bool fonts)
{
    while (*text != '\0') {
        size_t word = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefghijklmnopqrstuvwxyz_=");
        bool capital = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ=") == word;
        if (fonts && word > 0)
            fputs(capital ? "\\fI" : "\\fB", stdout);
        for (size_t i = 0; i < (word > 0 ? word : 1); i++)
            if (text[i] == '-')
                fputs("\\-", stdout);
            else if (text[i] == '\\')
                fputs("\\e", stdout);
            else if (strncmp(text + i, "…", strlen("…")) == 0)
                fputs("...", stdout);
            else if (((unsigned char)text[i] & 0xc0) != 0x80)
                putchar(text[i]);
        if (fonts && word > 0)
            fputs("\\fR", stdout);
        text += word > 0 ? word : 1;
    }
}

static void man_options(const struct option *options)
{
    for (const struct option *option = options; option->name != NULL; option++) {
        fputs(".TP\n", stdout);
        if (option->letter != 0)
            printf("\\fB\\-%c\\fR, ", option->letter);
        fputs("\\fB\\-\\-", stdout);
        man_text(option->name, false);
        fputs("\\fR", stdout);
        if (option->argument != NULL)
            printf(option->kind == OPTION_OPTIONAL ? " [\\fI%s\\fR]" : " \\fI%s\\fR",
                   option->argument);
        fputs("\n", stdout);
        man_text(option->help, false);
        fputs(".\n", stdout);
    }
}

static int man_command(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) != 0)
            continue;
        if (strcmp(man_part, "synopsis") == 0) {
            printf("\\fB%s\\fR ", name);
            man_text(commands[i]->synopsis, true);
            putchar('\n');
            return KOV_OK;
        }
        fputs(".RS\n", stdout);
        for (size_t table = 0; commands[i]->options[table] != NULL; table++)
            man_options(commands[i]->options[table]);
        fputs(".RE\n", stdout);
        return KOV_OK;
    }
    return fail(KOV_USAGE, "no command '%s': see `kov help`", name);
}

// ---- the command -------------------------------------------------------------------------------

static int run(const struct arguments *arguments)
{
    char name[80] = "";
    if (arguments->count > 0)
        snprintf(name, sizeof(name), "%s%s%s", arguments->values[0],
                 arguments->count > 1 ? " " : "", arguments->count > 1 ? arguments->values[1] : "");
    if (man_part != NULL && strcmp(man_part, "synopsis") != 0 && strcmp(man_part, "options") != 0)
        return fail(KOV_USAGE, "--man: '%s' is none of synopsis, options", man_part);
    if (man_part != NULL)
        lines_as_they_are(true);
    if (man_part != NULL && name[0] != '\0')
        return man_command(name);
    if (man_part != NULL) {
        man_options(global_options);
        return KOV_OK;
    }
    if (arguments->count == 0) {
        help_overview(stdout);
        return KOV_OK;
    }
    return help_named(name);
}

const struct command command_help = {
    .name = "help",
    .synopsis = "[COMMAND] [--man PART]",
    .summary = "List the commands, or explain one",
    .options = {own_options},
    .max_arguments = 2,
    .run = run,
};
