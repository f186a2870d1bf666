// SPDX-License-Identifier: MIT
#include "branch.h"

#include <stdlib.h>

struct branch_model *branch_model_new(const struct machine *machine)
{
    const struct model_geometry *geometry = &machine->geometry;
    struct branch_model *model = malloc(sizeof(*model));
    if (!model)
        return NULL;
    *model = (struct branch_model){
        .local = calloc((geometry->local_entries + 7) / 8, 1),
        .global = calloc((geometry->global_entries + 7) / 8, 1),
        .selector = calloc((geometry->global_entries + 7) / 8, 1),
        .local_mask = geometry->local_entries - 1,
        .global_mask = geometry->global_entries - 1,
        .history_mask = (1UL << geometry->history_bits) - 1,
    };
    if (!model->local || !model->global || !model->selector) {
        branch_model_free(model);
        return NULL;
    }
    return model;
}

void branch_model_free(struct branch_model *model)
{
    if (!model)
        return;
    free(model->local);
    free(model->global);
    free(model->selector);
    free(model);
}
