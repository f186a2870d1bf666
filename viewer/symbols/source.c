// SPDX-License-Identifier: MIT
// Lines of source files.
#include "symbols/source.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TAB 8
#define MAX_BYTES (16u << 20) // longer files are no sources

// Returns a copy of a line without its end. It has blanks for tabs and is UTF-8.
// The caller frees it.
static char *clean_line(const char *line, size_t length)
{
    struct bytes text = {0};
    for (size_t i = 0; i < length; i++) {
        size_t blanks = line[i] == '\t' ? TAB - text.size % TAB : 0;
        if (blanks == 0 && line[i] != '\r' && line[i] != '\f')
            bytes_append(&text, line + i, 1);
        for (; blanks > 0; blanks--)
            bytes_append(&text, " ", 1);
    }
    bytes_append(&text, "", 1);
    text_mend((char *)text.data);
    return (char *)text.data;
}

static void read_lines(struct source *source, FILE *file)
{
    char *line = NULL;
    size_t size = 0, capacity = 0, bytes = 0;
    ssize_t length;
    while (bytes < MAX_BYTES && (length = getline(&line, &size, file)) >= 0) {
        bytes += (size_t)length;
        length -= length > 0 && line[length - 1] == '\n';
        source->lines =
            memory_grow(source->lines, source->count, &capacity, sizeof(*source->lines));
        source->lines[source->count++] = clean_line(line, (size_t)length);
    }
    free(line);
}

static bool read_file(struct source *source, const char *path)
{
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    if (file == NULL)
        return false;
    source->path = memory_copy_text(path);
    source->changed = status.st_mtime;
    read_lines(source, file);
    fclose(file);
    return true;
}

// Reads the file below the folder. For "/A/B/NAME.c" it tries FOLDER/A/B/NAME.c,
// FOLDER/B/NAME.c, FOLDER/NAME.c.
static bool read_below(struct source *source, const char *folder)
{
    for (const char *end = source->file; end != NULL; end = strchr(end, '/')) {
        end += strspn(end, "/");
        char path[PATH_MAX];
        int length = snprintf(path, sizeof(path), "%s/%s", folder, end);
        if (length < (int)sizeof(path) && read_file(source, path))
            return true;
    }
    return false;
}

struct source *source_find(struct sources *sources, const char *file, const char *folder)
{
    for (struct source *source = sources->first; source != NULL; source = source->next)
        if (strcmp(source->file, file) == 0)
            return source;
    struct source *source = memory_get(sizeof(*source));
    source->file = memory_copy_text(file);
    source->next = sources->first;
    sources->first = source;
    if (!read_file(source, file))
        read_below(source, folder);
    return source;
}

const char *source_line(const struct source *source, u32 line)
{
    return line == 0 || line > source->count ? NULL : source->lines[line - 1];
}

void sources_close(struct sources *sources)
{
    while (sources->first != NULL) {
        struct source *source = sources->first;
        sources->first = source->next;
        for (u32 i = 0; i < source->count; i++)
            free(source->lines[i]);
        free(source->lines);
        free(source->file);
        free(source->path);
        free(source);
    }
}
