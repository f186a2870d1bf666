// SPDX-License-Identifier: MIT
// Reads DREF counts and scan records through the system calls that servers use.
#include "counts.h"

#include <kernel/memory.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>

#define BUFFER_BYTES 16384

static void note(const struct sys_dref_count *record, const coid_t *coids, u32 count,
                 struct dref_counts *counts)
{
    for (u32 i = 0; i < count; i++)
        if (coids[i] == record->coid) {
            counts->invocations[i][record->cpu] = record->invocations;
            counts->misses[i][record->cpu] = record->misses;
        }
}

int dref_counts_read(const coid_t *coids, u32 count, struct dref_counts *counts)
{
    struct sys_dref_count *records = kmalloc(BUFFER_BYTES);
    u64 cursor = 0;
    s64 bytes;
    if (records == NULL)
        return E_NOMEM;
    memset(counts, 0, sizeof(*counts));
    while ((bytes = sys_dref_read(&cursor, records, BUFFER_BYTES)) > 0)
        for (u64 i = 0; i < (u64)bytes / sizeof(*records); i++)
            note(&records[i], coids, count, counts);
    kfree(records);
    return (int)bytes;
}

s64 scan_objects(void (*visit)(const struct sys_object *object, void *argument), void *argument)
{
    char *buffer = kmalloc(BUFFER_BYTES);
    u64 cursor = 0;
    s64 bytes, objects = 0;
    if (buffer == NULL)
        return E_NOMEM;
    while ((bytes = sys_object_scan(&cursor, buffer, BUFFER_BYTES)) > 0)
        for (u64 at = 0; at < (u64)bytes; objects++) {
            const struct sys_object *object = (const struct sys_object *)(buffer + at);
            visit(object, argument);
            at += object->record_bytes;
        }
    kfree(buffer);
    return bytes < 0 ? bytes : objects;
}
