// SPDX-License-Identifier: MIT
// Prints annotated functions, as text or as JSON.
#ifndef KOV_ANNOTATE_PRINT_H
#define KOV_ANNOTATE_PRINT_H

#include "output/document.h"
#include "samples/annotation.h"
#include "samples/recording_event.h"
#include "symbols/source.h"

struct annotate_view {
    bool source, assembly; // at least one is set
    struct sources *sources;
    const char *folder; // where to look for sources that have moved
    char event[RECORDING_EVENT_NAME_BYTES];
    u64 period;
    u64 samples, events; // of all functions together
};

void annotate_print(FILE *out, const struct annotate_view *view,
                    const struct annotation *annotation);
void annotate_json(json_t *json, const struct annotate_view *view,
                   const struct annotation *annotation);

#endif
