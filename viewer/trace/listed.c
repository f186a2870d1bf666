// SPDX-License-Identifier: MIT
// Lists the streams of a recording in its metadata.
#include "trace/listed.h"

#include <ctype.h>
#include <inttypes.h>
#include <orrery/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "stream_";

void listed_name(u32 pid, u32 cpu, char name[STREAM_NAME_BYTES])
{
    if (pid == 0)
        snprintf(name, STREAM_NAME_BYTES, "%s%" PRIu32, prefix, cpu);
    else
        snprintf(name, STREAM_NAME_BYTES, "%s%" PRIu32 "_%" PRIu32, prefix, pid, cpu);
}

void listed_add(struct listed *listed, const struct listed_stream *stream)
{
    listed->streams =
        memory_grow(listed->streams, listed->count, &listed->capacity, sizeof(*listed->streams));
    listed->streams[listed->count++] = *stream;
}

void listed_free(struct listed *listed)
{
    free(listed->streams);
    *listed = (struct listed){0};
}

// ---- writing -----------------------------------------------------------------------------------

// Returns how many bytes of the metadata stand before the end of `env`; 0: there is none.
static size_t before_end(const struct bytes *metadata)
{
    const char *text = (const char *)metadata->data;
    const char *env = metadata->size == 0 ? NULL : memmem(text, metadata->size, "env {", 5);
    const char *end =
        env == NULL ? NULL : memmem(env, metadata->size - (size_t)(env - text), "};", 2);
    while (end != NULL && end[-1] == ' ')
        end--;
    return end == NULL ? 0 : (size_t)(end - text);
}

void listed_write(struct bytes *text, const struct bytes *metadata, const struct listed *listed)
{
    size_t before = before_end(metadata);
    if (before > 0)
        bytes_append(text, metadata->data, before);
    for (size_t i = 0; before > 0 && i < listed->count; i++) {
        const struct listed_stream *stream = &listed->streams[i];
        char name[STREAM_NAME_BYTES], line[STREAM_NAME_BYTES + 48];
        listed_name(stream->pid, stream->cpu, name);
        snprintf(line, sizeof(line), "\n    %s = \"%" PRIu32 "-%" PRIu32 "\";", name, stream->first,
                 stream->last);
        bytes_append(text, line, strlen(line));
    }
    if (metadata->size > before)
        bytes_append(text, metadata->data + before, metadata->size - before);
}

// ---- reading -----------------------------------------------------------------------------------

static const char *read_number(const char *text, u32 *number)
{
    char *end;
    if (text == NULL || !isdigit((unsigned char)*text))
        return NULL;
    unsigned long value = strtoul(text, &end, 10);
    *number = (u32)value;
    return value <= UINT32_MAX ? end : NULL;
}

static const char *expect(const char *text, const char *word)
{
    size_t length = strlen(word);
    return text != NULL && strncmp(text, word, length) == 0 ? text + length : NULL;
}

// Reads what follows "stream_": CPU or PID_CPU, then ` = "FIRST-LAST";`.
static bool read_stream(const char *text, struct listed_stream *stream)
{
    stream->pid = 0;
    text = read_number(text, &stream->cpu);
    if (text != NULL && *text == '_') {
        stream->pid = stream->cpu;
        text = read_number(text + 1, &stream->cpu);
    }
    text = read_number(expect(text, " = \""), &stream->first);
    text = expect(read_number(expect(text, "-"), &stream->last), "\";");
    return text != NULL && stream->cpu < ORRERY_MAX_CPUS && stream->first <= stream->last;
}

static int compare(const void *one, const void *other)
{
    const struct listed_stream *a = one, *b = other;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

// Sorts them, so that they can be found. One that is there twice counts once.
static void sort(struct listed *listed)
{
    size_t kept = 0;
    if (listed->count > 1)
        qsort(listed->streams, listed->count, sizeof(*listed->streams), compare);
    for (size_t i = 0; i < listed->count; i++)
        if (kept == 0 || compare(&listed->streams[kept - 1], &listed->streams[i]) != 0)
            listed->streams[kept++] = listed->streams[i];
    listed->count = kept;
}

void listed_read(struct listed *listed, const char *metadata)
{
    const char *at = strstr(metadata, "env {");
    const char *end = at == NULL ? NULL : strstr(at, "};");
    while (end != NULL && (at = strstr(at, prefix)) != NULL && at < end) {
        struct listed_stream stream;
        at += strlen(prefix);
        if (read_stream(at, &stream))
            listed_add(listed, &stream);
    }
    sort(listed);
}

const struct listed_stream *listed_find(const struct listed *listed, u32 pid, u32 cpu)
{
    const struct listed_stream wanted = {.pid = pid, .cpu = cpu};
    if (listed->count == 0)
        return NULL;
    return bsearch(&wanted, listed->streams, listed->count, sizeof(*listed->streams), compare);
}
