// SPDX-License-Identifier: MIT
// A parser by descent, with a function for each rule. The grammar has no nesting, so none is
// recursive.
#include "parse.h"

#include <ctype.h>
#include <orrery/errors.h>
#include <string.h>

struct parser {
    struct arena *arena;
    const char *at;
    const char *message;
};

static s64 refuse(struct parser *parser, s64 error, const char *message)
{
    parser->message = message;
    return error;
}

bool is_name(const char *text, u64 length)
{
    if (length == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (u64 i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Skips blanks, comments, and newlines that follow a backslash.
static void skip_blanks(struct parser *parser)
{
    for (;;) {
        if (is_blank(*parser->at))
            parser->at++;
        else if (parser->at[0] == '\\' && parser->at[1] == '\n')
            parser->at += 2;
        else if (*parser->at == '#')
            parser->at += strcspn(parser->at, "\n");
        else
            return;
    }
}

static bool take(struct parser *parser, const char *operator)
{
    u64 length = strlen(operator);
    if (strncmp(parser->at, operator, length) != 0)
        return false;
    parser->at += length;
    return true;
}

static bool ends_word(char c)
{
    return c == 0 || is_blank(c) || strchr("\n;&|<>", c) != NULL;
}

// Returns the end of the quoted text that begins at quote, or NULL if it is not closed.
static const char *quote_end(const char *quote)
{
    const char *at = quote + 1;

    while (*at != 0 && *at != *quote)
        at += *quote == '"' && at[0] == '\\' && at[1] != 0 ? 2 : 1;
    return *at == 0 ? NULL : at + 1;
}

static s64 take_word(struct parser *parser, const char **word)
{
    const char *start = parser->at;

    while (!ends_word(*parser->at)) {
        if (*parser->at == '\'' || *parser->at == '"') {
            parser->at = quote_end(parser->at);
            if (parser->at == NULL)
                return E_AGAIN;
        } else if (*parser->at == '\\') {
            if (parser->at[1] == 0)
                return E_AGAIN;
            parser->at += 2;
        } else {
            parser->at++;
        }
    }
    *word = arena_copy(parser->arena, start, (u64)(parser->at - start));
    return *word == NULL ? E_NOMEM : 0;
}

// Takes the operator of a redirection, and sets its kind and file. Returns false if there is none.
static bool take_redirect(struct parser *parser, struct redirect *redirect)
{
    static const struct {
        const char *operator;
        enum redirect_kind kind;
        int file;
    } operators[] = {
        {"2>&1", REDIRECT_SAME, 2}, {"2>>", REDIRECT_APPEND, 2}, {"2>", REDIRECT_OUT, 2},
        {">>", REDIRECT_APPEND, 1}, {">", REDIRECT_OUT, 1},      {"<", REDIRECT_IN, 0},
    };

    for (u32 i = 0; i < ARRAY_SIZE(operators); i++) {
        if (!take(parser, operators[i].operator))
            continue;
        redirect->kind = operators[i].kind;
        redirect->file = operators[i].file;
        return true;
    }
    return false;
}

static s64 add_redirect(struct parser *parser, struct command *command, struct redirect found)
{
    struct redirect **last = &command->redirects;

    if (found.kind != REDIRECT_SAME) {
        skip_blanks(parser);
        if (ends_word(*parser->at))
            return refuse(parser, E_PROTO, "a redirection needs a file name");
        s64 error = take_word(parser, &found.word);
        if (error != 0)
            return error;
    }
    struct redirect *redirect = arena_alloc(parser->arena, sizeof(*redirect));
    if (redirect == NULL)
        return E_NOMEM;
    *redirect = found;
    while (*last != NULL)
        last = &(*last)->next;
    *last = redirect;
    return 0;
}

static s64 add_word(struct parser *parser, struct command *command)
{
    if (command->word_count == WORDS_MAX)
        return refuse(parser, E_LIMIT, "too many words");
    const char **word = &command->words[command->word_count];
    s64 error = take_word(parser, word);
    if (error != 0)
        return error;
    const char *equals = strchr(*word, '=');
    if (command->assignment_count == command->word_count && equals != NULL &&
        is_name(*word, (u64)(equals - *word)))
        command->assignment_count++; // NAME=…, and nothing else before it
    command->word_count++;
    return 0;
}

static s64 parse_command(struct parser *parser, struct command *command)
{
    struct redirect redirect = {0};

    command->words = arena_alloc(parser->arena, WORDS_MAX * sizeof(*command->words));
    if (command->words == NULL)
        return E_NOMEM;
    for (;;) {
        s64 error;
        skip_blanks(parser);
        if (take_redirect(parser, &redirect))
            error = add_redirect(parser, command, redirect);
        else if (!ends_word(*parser->at))
            error = add_word(parser, command);
        else
            break;
        if (error != 0)
            return error;
    }
    if (command->word_count == 0 && command->redirects == NULL)
        return refuse(parser, *parser->at == 0 ? E_AGAIN : E_PROTO, "a command is missing");
    return 0;
}

static s64 parse_pipeline(struct parser *parser, struct pipeline *pipeline)
{
    const char *start = parser->at;

    do {
        if (pipeline->count == COMMANDS_MAX)
            return refuse(parser, E_LIMIT, "too many commands in a pipeline");
        s64 error = parse_command(parser, &pipeline->commands[pipeline->count]);
        if (error != 0)
            return error;
        pipeline->count++;
    } while (strncmp(parser->at, "||", 2) != 0 && take(parser, "|"));
    pipeline->text = arena_copy(parser->arena, start, (u64)(parser->at - start));
    return pipeline->text == NULL ? E_NOMEM : 0;
}

// Skips newlines and blanks between pipelines.
static void skip_lines(struct parser *parser)
{
    skip_blanks(parser);
    while (*parser->at == '\n') {
        parser->at++;
        skip_blanks(parser);
    }
}

// Takes the separator after a pipeline. *next: when the next pipeline runs. *more: there must be a
// next one.
static s64 take_separator(struct parser *parser, struct pipeline *pipeline,
                          enum pipeline_when *next, bool *more)
{
    *next = WHEN_ALWAYS;
    *more = false;
    if (take(parser, "&&")) {
        *next = WHEN_SUCCEEDED;
        *more = true;
    } else if (take(parser, "||")) {
        *next = WHEN_FAILED;
        *more = true;
    } else if (take(parser, "&")) {
        pipeline->background = true;
    } else if (!take(parser, ";") && *parser->at != '\n' && *parser->at != 0) {
        return refuse(parser, E_PROTO, "this cannot stand here");
    }
    skip_lines(parser);
    return 0;
}

static s64 parse_list(struct parser *parser, struct pipeline **list)
{
    enum pipeline_when when = WHEN_ALWAYS;
    bool more = false;

    skip_lines(parser);
    while (*parser->at != 0 || more) {
        struct pipeline *pipeline = arena_alloc(parser->arena, sizeof(*pipeline));
        if (pipeline == NULL)
            return E_NOMEM;
        pipeline->when = when;
        s64 error = parse_pipeline(parser, pipeline);
        error = error ? error : take_separator(parser, pipeline, &when, &more);
        if (error != 0)
            return error;
        *list = pipeline;
        list = &pipeline->next;
    }
    return 0;
}

s64 parse(struct arena *arena, const char *text, struct pipeline **list, const char **message)
{
    struct parser parser = {.arena = arena, .at = text, .message = ""};

    *list = NULL;
    s64 error = parse_list(&parser, list);
    if (error != 0)
        *list = NULL;
    *message = parser.message;
    return error;
}
