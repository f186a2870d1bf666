// SPDX-License-Identifier: MIT
// `kov completion`: writes a script that completes kov's words in a shell. It is made from the
// tables of commands and options. Zsh runs bash's script with its own bashcompinit.
#include "commands/commands.h"
#include "tools/lines.h"
#include "tools/options.h"

#include <string.h>

// `command` is what the words before the current one name: "", "trace" or "trace record". `kind` is
// what the typed value may be: words, FILE, FOLDER, or anything else.
static const char complete[] =
    "_kov() {\n"
    "    local command='' kind='' words='' word current=${COMP_WORDS[COMP_CWORD]} at\n"
    "    for ((at = 1; at < COMP_CWORD; at++)); do\n"
    "        word=${COMP_WORDS[at]}\n"
    "        if [[ -n $kind ]]; then\n"
    "            [[ $word == '=' ]] || kind=''\n"
    "        elif [[ $word == -- ]]; then\n"
    "            return\n"
    "        elif [[ $word == -* ]]; then\n"
    "            _kov_value \"$command $word\"\n"
    "        else\n"
    "            _kov_command \"$command${command:+ }$word\"\n"
    "        fi\n"
    "    done\n"
    "    [[ $current == '=' ]] && current=''\n"
    "    COMPREPLY=()\n"
    "    case $kind in\n"
    "    FILE) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
    "    FOLDER) COMPREPLY=($(compgen -d -- \"$current\")) ;;\n"
    "    ?*) COMPREPLY=($(compgen -W \"$kind\" -- \"$current\")) ;;\n"
    "    *)\n"
    "        _kov_words \"$command\"\n"
    "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _kov kov\n";

static size_t first_word(const char *name)
{
    return strcspn(name, " ");
}

// Returns whether it is the first command with this first word.
static bool is_first(size_t index)
{
    size_t length = first_word(commands[index]->name);
    return index == 0 || strncmp(commands[index - 1]->name, commands[index]->name, length + 1) != 0;
}

// Prints a case for each option that takes a value. With command NULL, it is a global option, which
// may follow any command.
static void print_values(const char *command, const struct option *options)
{
    for (const struct option *option = options; option->name != NULL; option++) {
        if (option->kind == OPTION_FLAG || option->kind == OPTION_OPTIONAL)
            continue;
        const char *before = command == NULL ? "*' " : "'", *name = command == NULL ? "" : command;
        const char *blank = command == NULL ? "" : " ";
        printf("    %s%s%s--%s'", before, name, blank, option->name);
        if (option->letter != 0)
            printf(" | %s%s%s-%c'", before, name, blank, option->letter);
        bool path =
            strcmp(option->argument, "FILE") == 0 || strcmp(option->argument, "FOLDER") == 0;
        printf(") kind='%s' ;;\n", path                     ? option->argument
                                   : option->values != NULL ? option->values
                                                            : "-");
    }
}

static void print_names(const struct option *options)
{
    for (const struct option *option = options; option->name != NULL; option++) {
        printf(" --%s", option->name);
        if (option->letter != 0)
            printf(" -%c", option->letter);
    }
}

static void print_commands(void)
{
    puts("_kov_command() {\n    case $1 in");
    for (size_t i = 0; commands[i] != NULL; i++) {
        size_t length = first_word(commands[i]->name);
        if (is_first(i) && commands[i]->name[length] == ' ')
            printf("    '%.*s') command=$1 ;;\n", (int)length, commands[i]->name);
        printf("    '%s') command=$1 ;;\n", commands[i]->name);
    }
    puts("    esac\n}");
}

// Prints what may come next: first words, second words, or options.
static void print_words(void)
{
    fputs("_kov_words() {\n    case $1 in\n    '') words='", stdout);
    for (size_t i = 0; commands[i] != NULL; i++)
        if (is_first(i))
            printf("%.*s ", (int)first_word(commands[i]->name), commands[i]->name);
    print_names(global_options);
    puts("' ;;");
    for (size_t i = 0; commands[i] != NULL; i++) {
        const char *name = commands[i]->name;
        size_t length = first_word(name);
        if (is_first(i) && name[length] == ' ') {
            printf("    '%.*s') words='", (int)length, name);
            for (size_t j = i;
                 commands[j] != NULL && strncmp(commands[j]->name, name, length + 1) == 0; j++)
                printf("%s ", commands[j]->name + length + 1);
            puts("' ;;");
        }
        printf("    '%s') words='", name);
        for (size_t j = 0; commands[i]->options[j] != NULL; j++)
            print_names(commands[i]->options[j]);
        print_names(global_options);
        puts("' ;;");
    }
    puts("    esac\n}");
}

static void print_script(void)
{
    print_commands();
    puts("_kov_value() {\n    case $1 in");
    for (size_t i = 0; commands[i] != NULL; i++)
        for (size_t j = 0; commands[i]->options[j] != NULL; j++)
            print_values(commands[i]->name, commands[i]->options[j]);
    print_values(NULL, global_options);
    puts("    esac\n}");
    print_words();
    fputs(complete, stdout);
}

static int run(const struct arguments *arguments)
{
    const char *shell = arguments->count > 0 ? arguments->values[0] : "";
    lines_as_they_are(true);
    if (strcmp(shell, "bash") == 0)
        puts("# bash completion of kov, by `kov completion bash`\n# shellcheck shell=bash "
             "disable=SC2207");
    else if (strcmp(shell, "zsh") == 0)
        puts(
            "#compdef kov\n# By `kov completion zsh`\nautoload -U +X bashcompinit && bashcompinit");
    else
        return fail(KOV_USAGE, "give a shell, bash or zsh: `kov completion bash`");
    print_script();
    return KOV_OK;
}

const struct command command_completion = {
    .name = "completion",
    .synopsis = "bash|zsh",
    .summary = "Print a script that completes commands and options in a shell",
    .details = "For this shell: eval \"$(kov completion bash)\". For all: its output in a file of\n"
               "/etc/bash_completion.d, or in _kov in a folder of zsh's $fpath.",
    .max_arguments = 1,
    .run = run,
};
