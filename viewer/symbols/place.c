// SPDX-License-Identifier: MIT
// Writes places as text: of the code, and of its variables.
#include "symbols/place.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void place_function(struct symbol symbol, u64 address, char *text, size_t size)
{
    if (symbol.function == NULL)
        snprintf(text, size, "0x%" PRIx64, address);
    else
        snprintf(text, size, "%s", symbol.function);
}

// A symbol without a size is the last one before the address, whatever lies there. A function has
// its name at its descriptor too, with the size of its code.
bool place_variable(struct symbol symbol, u64 address, char *text, size_t size)
{
    bool known = symbol.is_variable && symbol.offset < symbol.size;
    if (!known)
        snprintf(text, size, "0x%" PRIx64, address);
    else if (symbol.offset == 0)
        snprintf(text, size, "%s", symbol.function);
    else
        snprintf(text, size, "%s+0x%" PRIx64, symbol.function, symbol.offset);
    return known;
}

// The current folder at the first call; "" when it has no path.
static char folder[PATH_MAX];

static void find_folder(void)
{
    if (getcwd(folder, sizeof(folder)) == NULL)
        folder[0] = '\0';
}

const char *place_path(const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_folder);
    size_t length = strlen(folder);
    if (length == 0)
        return path;
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

void place_line(struct symbol symbol, u64 address, char *text, size_t size)
{
    if (symbol.file != NULL)
        snprintf(text, size, "%s:%" PRIu32, place_path(symbol.file), symbol.line);
    else if (symbol.function != NULL)
        snprintf(text, size, "%s+0x%" PRIx64, symbol.function, symbol.offset);
    else
        snprintf(text, size, "0x%" PRIx64, address);
}
