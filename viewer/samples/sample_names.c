// SPDX-License-Identifier: MIT
// Names what a sample names, and finds the symbols of its addresses.
#include "samples/sample_names.h"
#include "symbols/programs.h"

#include <orrery/sys.h>
#include <stdio.h>

const char *sample_missing_object(const struct sample *sample)
{
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0)
        return "[idle]";
    if ((sample->flags & SYS_SAMPLE_STALE) != 0)
        return "[stale]";
    return (sample->flags & SYS_SAMPLE_ATTRIBUTED) == 0 ? "[none]" : NULL;
}

void sample_object_name(const struct snapshot *snapshot, const struct sample *sample,
                        char text[SAMPLE_NAME_BYTES])
{
    char name[OBJECT_NAME_BYTES];
    const char *missing = sample_missing_object(sample);
    if (missing == NULL)
        snapshot_object_name(snapshot, sample_space(sample), sample->coid, name);
    snprintf(text, SAMPLE_NAME_BYTES, "%s", missing == NULL ? name : missing);
}

void sample_class_name(const struct snapshot *snapshot, const struct sample *sample,
                       char text[SAMPLE_NAME_BYTES])
{
    u32 space = sample_space(sample);
    const struct object_info *object = snapshot_object(snapshot, space, sample->coid);
    const char *missing = sample_missing_object(sample);
    char name[OBJECT_NAME_BYTES] = "[gone]";
    if (missing == NULL && object != NULL)
        snapshot_class_name(snapshot, space, object->class_id, name);
    snprintf(text, SAMPLE_NAME_BYTES, "%s", missing == NULL ? name : missing);
}

void sample_process_name(const struct snapshot *snapshot, const struct sample *sample,
                         char text[SAMPLE_NAME_BYTES])
{
    char name[OBJECT_NAME_BYTES];
    snapshot_process_name(snapshot, sample->pid, name);
    snprintf(text, SAMPLE_NAME_BYTES, "%s",
             (sample->flags & SYS_SAMPLE_IDLE) != 0 ? "[idle]" : name);
}

bool samples_have_names(const struct sample_set *samples, size_t first,
                        const struct snapshot *snapshot)
{
    for (size_t i = first; i < samples->count; i++) {
        const struct sample *sample = &samples->samples[i];
        if ((sample->flags & SYS_SAMPLE_ATTRIBUTED) != 0 &&
            snapshot_object(snapshot, sample_space(sample), sample->coid) == NULL)
            return false;
    }
    return true;
}

struct symbols *sample_symbols(const struct snapshot *snapshot, struct symbols *kernel,
                               struct programs *programs, const struct sample *sample)
{
    u32 space = sample_space(sample);
    if (space == 0)
        return kernel;
    return programs == NULL ? NULL : program_symbols(programs, snapshot, space);
}
