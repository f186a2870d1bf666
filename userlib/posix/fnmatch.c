// SPDX-License-Identifier: MIT
// Names that a pattern matches. newlib has the header alone.
#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct match {
    const char *start; // of the text
    int flags;
};

static int folded(const struct match *match, int c)
{
    return (match->flags & FNM_CASEFOLD) != 0 ? tolower(c) : c;
}

// A full stop that only a full stop matches?
static bool is_leading(const struct match *match, const char *at)
{
    return *at == '.' && (match->flags & FNM_PERIOD) != 0 &&
           (at == match->start || ((match->flags & FNM_PATHNAME) != 0 && at[-1] == '/'));
}

static bool ends_here(const struct match *match, const char *at)
{
    return *at == '\0' || (*at == '/' && (match->flags & FNM_PATHNAME) != 0);
}

static bool is_in_class(const char *name, size_t bytes, int c)
{
    static const struct {
        const char *name;
        int (*is)(int c);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank},
                   {"cntrl", iscntrl}, {"digit", isdigit}, {"graph", isgraph},
                   {"lower", islower}, {"print", isprint}, {"punct", ispunct},
                   {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strlen(classes[i].name) == bytes && memcmp(classes[i].name, name, bytes) == 0)
            return classes[i].is(c) != 0;
    }
    return false;
}

// Takes a character of a pattern, with a backslash or without. Returns -1 at the pattern's end.
static int take(const struct match *match, const char **pattern)
{
    if (**pattern == '\\' && (match->flags & FNM_NOESCAPE) == 0)
        ++*pattern;
    if (**pattern == '\0')
        return -1;
    return (unsigned char)*(*pattern)++;
}

// One member of a bracket: a class, a range or a character. Returns 1 if c is one, 0 if not, -1:
// the pattern ends within.
static int take_member(const struct match *match, const char **pattern, int c)
{
    const char *end = strncmp(*pattern, "[:", 2) == 0 ? strstr(*pattern + 2, ":]") : NULL;
    if (end != NULL) {
        bool is = is_in_class(*pattern + 2, (size_t)(end - *pattern - 2), c);
        *pattern = end + 2;
        return is;
    }
    int low = take(match, pattern), high = low;
    if (low >= 0 && **pattern == '-' && (*pattern)[1] != ']' && (*pattern)[1] != '\0') {
        ++*pattern;
        high = take(match, pattern);
    }
    if (low < 0 || high < 0)
        return -1;
    return folded(match, low) <= folded(match, c) && folded(match, c) <= folded(match, high);
}

// *pattern is behind "[". Moves it behind "]". Returns as take_member.
static int take_bracket(const struct match *match, const char **pattern, int c)
{
    bool inverted = **pattern == '!' || **pattern == '^', found = false;
    *pattern += inverted;
    const char *first = *pattern;
    while (**pattern != ']' || *pattern == first) {
        int member = take_member(match, pattern, c);
        if (member < 0)
            return -1;
        found |= member != 0;
    }
    ++*pattern;
    return found != inverted;
}

// Takes what matches one character, and is no "*".
static bool take_one(const struct match *match, const char **pattern, const char *at)
{
    int c = (unsigned char)*at;
    const char *behind = *pattern + 1;
    if (**pattern == '?' || **pattern == '[') {
        bool open = !ends_here(match, at) && !is_leading(match, at);
        int result = **pattern == '?' ? 1 : take_bracket(match, &behind, c);
        if (result >= 0) {
            *pattern = behind;
            return open && result != 0;
        }
    } // a "[" that nothing closes means itself
    int wanted = take(match, pattern);
    return wanted >= 0 && folded(match, wanted) == folded(match, c);
}

// Goes back to the last "*" alone, as what an earlier one takes cannot help.
static bool matches(const struct match *match, const char *pattern, const char *at)
{
    const char *star = NULL, *taken = NULL;
    for (;;) {
        if (*pattern == '*' && !is_leading(match, at)) {
            star = ++pattern;
            taken = at;
            continue;
        }
        bool over = *at == '\0' || (*at == '/' && (match->flags & FNM_LEADING_DIR) != 0);
        if (*pattern == '\0' && over)
            return true;
        if (*pattern != '\0' && *at != '\0' && take_one(match, &pattern, at)) {
            at++;
            continue;
        }
        if (star == NULL || *taken == '\0')
            return false;
        if (*taken == '/' && (match->flags & FNM_PATHNAME) != 0)
            return false;
        pattern = star;
        at = ++taken;
    }
}

int fnmatch(const char *pattern, const char *text, int flags)
{
    const struct match match = {text, flags};
    return matches(&match, pattern, text) ? 0 : FNM_NOMATCH;
}
