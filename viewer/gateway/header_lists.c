// SPDX-License-Identifier: MIT
// Headers of HTTP that are lists: words between commas, of which some have a weight (RFC 9110).
#include "gateway/header_lists.h"

#include <string.h>
#include <strings.h>

// Returns the next element, which ends at a comma or at the end. NULL: there is none.
static const char *next_element(const char **at)
{
    const char *element = *at + strspn(*at, ", \t");
    *at = element + strcspn(element, ",");
    return element == *at ? NULL : element;
}

static size_t word_length(const char *element)
{
    return strcspn(element, ",; \t");
}

bool header_list_has(const char *list, const char *word)
{
    for (const char *element; (element = next_element(&list)) != NULL;)
        if (word_length(element) == strlen(word) && strncmp(element, word, strlen(word)) == 0)
            return true;
    return false;
}

static bool is_coding(const char *element, const char *name)
{
    return word_length(element) == strlen(name) && strncasecmp(element, name, strlen(name)) == 0;
}

// Whether its weight is not 0. `end` is the element's.
static bool weighs(const char *element, const char *end)
{
    const char *weight = memchr(element, ';', (size_t)(end - element));
    if (weight == NULL)
        return true;
    weight += 1 + strspn(weight + 1, " \t");
    if (strncasecmp(weight, "q=", 2) != 0)
        return true;
    return strspn(weight + 2, "0.") < word_length(weight + 2);
}

bool header_list_takes_gzip(const char *list)
{
    bool any = false;
    for (const char *element; (element = next_element(&list)) != NULL;) {
        if (is_coding(element, "gzip") || is_coding(element, "x-gzip"))
            return weighs(element, list);
        if (is_coding(element, "*"))
            any = weighs(element, list);
    }
    return any;
}
