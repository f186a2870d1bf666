// SPDX-License-Identifier: MIT
// Places in the code as text.
#include "symbols/place.h"

#include <inttypes.h>
#include <limits.h>
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

const char *place_path(const char *path)
{
    static char folder[PATH_MAX];
    if (folder[0] == '\0' && getcwd(folder, sizeof(folder)) == NULL)
        return path;
    size_t length = strlen(folder);
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
