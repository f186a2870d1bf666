// SPDX-License-Identifier: MIT
// Parses workload parameters strictly: unknown keys, keys given twice, numbers out of range and
// leftovers are errors whose message says what is valid.
#include "registry.h"

#include <kernel/percpu.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    const char *text;
    size_t length;
};

// Cuts the piece before the separator off *text.
static struct piece next_piece(const char **text, char separator)
{
    const char *begin = *text;
    const char *end = strchr(begin, separator);
    size_t length = end == NULL ? strlen(begin) : (size_t)(end - begin);
    *text = begin + length + (end != NULL);
    return (struct piece){begin, length};
}

static bool piece_is(struct piece piece, const char *word)
{
    return strlen(word) == piece.length && memcmp(word, piece.text, piece.length) == 0;
}

static bool parse_number(struct piece piece, u64 low, u64 high, u64 *number)
{
    if (piece.length == 0 || piece.length > 19)
        return false;
    *number = 0;
    for (size_t i = 0; i < piece.length; i++) {
        if (piece.text[i] < '0' || piece.text[i] > '9')
            return false;
        *number = *number * 10 + (u64)(piece.text[i] - '0');
    }
    return low <= *number && *number <= high;
}

// Parses numbers between dashes. Returns how many, 0 if malformed.
static u32 parse_numbers(struct piece piece, u64 low, u64 high, u64 numbers[WORKLOAD_LIST_MAX])
{
    u32 count = 0;
    size_t at = 0;
    while (at <= piece.length) {
        size_t length = 0;
        while (at + length < piece.length && piece.text[at + length] != '-')
            length++;
        if (count == WORKLOAD_LIST_MAX ||
            !parse_number((struct piece){piece.text + at, length}, low, high, &numbers[count]))
            return 0;
        count++;
        at += length + 1;
    }
    return count;
}

static bool parse_cpus(struct piece piece, struct workload_value *value)
{
    u64 numbers[WORKLOAD_LIST_MAX];
    u64 mask = (1UL << cpu_count) - 1;
    if (!piece_is(piece, "all")) {
        u32 count = parse_numbers(piece, 0, cpu_count - 1, numbers);
        if (count == 0)
            return false;
        mask = 0;
        for (u32 i = 0; i < count; i++)
            mask |= 1UL << numbers[i];
    }
    value->count = 1;
    value->numbers[0] = mask;
    return true;
}

static bool parse_choice(struct piece piece, const char *choices, struct workload_value *value)
{
    value->count = 1;
    value->numbers[0] = 0;
    while (*choices != '\0') {
        struct piece choice = next_piece(&choices, '|');
        if (choice.length == piece.length && memcmp(choice.text, piece.text, piece.length) == 0)
            return true;
        value->numbers[0]++;
    }
    return false;
}

static bool parse_value(const struct workload_param *param, struct piece piece,
                        struct workload_value *value)
{
    switch (param->kind) {
    case PARAM_NUMBER:
        value->count = 1;
        return parse_number(piece, param->low, param->high, &value->numbers[0]);
    case PARAM_LIST:
        value->count = parse_numbers(piece, param->low, param->high, value->numbers);
        return value->count == param->length;
    case PARAM_CPUS:
        return parse_cpus(piece, value);
    case PARAM_CHOICE:
        return parse_choice(piece, param->choices, value);
    }
    return false;
}

static void explain(const struct workload_param *param, struct piece piece, char *message,
                    u64 bytes)
{
    const char *key = param->key;
    int length = piece.length > 40 ? 40 : (int)piece.length;
    unsigned long long low = param->low, high = param->high;
    int used = snprintf(message, bytes, "%s: '%.*s' is not ", key, length, piece.text);
    if (used < 0 || (u64)used >= bytes)
        return;
    message += used;
    bytes -= (u64)used;
    if (param->kind == PARAM_NUMBER)
        snprintf(message, bytes, "a number from %llu to %llu", low, high);
    else if (param->kind == PARAM_LIST)
        snprintf(message, bytes, "a list of %u numbers from %llu to %llu, as in %s", param->length,
                 low, high, param->fallback);
    else if (param->kind == PARAM_CPUS)
        snprintf(message, bytes, "'all' or CPU numbers below %u, as in 0-1", cpu_count);
    else
        snprintf(message, bytes, "one of %s", param->choices);
}

static u32 find_param(const struct workload *workload, struct piece key)
{
    for (u32 i = 0; i < workload->param_count; i++)
        if (piece_is(key, workload->params[i].key))
            return i;
    return UINT32_MAX;
}

static int parse_assignment(const struct workload *workload, struct piece assignment, u32 *given,
                            struct workload_value values[], char *message, u64 bytes)
{
    const char *equals = memchr(assignment.text, '=', assignment.length);
    struct piece key = {assignment.text,
                        equals == NULL ? assignment.length : (size_t)(equals - assignment.text)};
    u32 index = find_param(workload, key);
    int shown = key.length > 40 ? 40 : (int)key.length;
    if (index == UINT32_MAX || equals == NULL || (*given >> index & 1) != 0) {
        snprintf(message, bytes, "'%.*s': %s; %s takes %s", shown, key.text,
                 index == UINT32_MAX ? "no such parameter"
                 : equals == NULL    ? "needs =value"
                                     : "given twice",
                 workload->name, workload->help);
        return E_INVAL;
    }
    struct piece value = {equals + 1, assignment.length - key.length - 1};
    if (!parse_value(&workload->params[index], value, &values[index])) {
        explain(&workload->params[index], value, message, bytes);
        return E_INVAL;
    }
    *given |= 1u << index;
    return 0;
}

int workload_parse(const struct workload *workload, const char *text,
                   struct workload_value values[WORKLOAD_PARAMS_MAX], char *message, u64 bytes)
{
    u32 given = 0;
    for (u32 i = 0; i < workload->param_count; i++) {
        const char *fallback = workload->params[i].fallback;
        parse_value(&workload->params[i], (struct piece){fallback, strlen(fallback)}, &values[i]);
    }
    bool more = *text != '\0';
    while (more) {
        more = strchr(text, ',') != NULL;
        struct piece assignment = next_piece(&text, ',');
        int error = parse_assignment(workload, assignment, &given, values, message, bytes);
        if (error != 0)
            return error;
    }
    return 0;
}
