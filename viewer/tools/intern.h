// SPDX-License-Identifier: MIT
// A number for each distinct text, so that texts can be compared and counted cheaply.
#ifndef KOV_INTERN_H
#define KOV_INTERN_H

#include <orrery/types.h>

struct intern {
    char **texts; // by number
    size_t count, capacity;
    u32 *slots; // hash table of number + 1
    size_t slot_count;
};

u32 intern_text(struct intern *intern, const char *text);
void intern_free(struct intern *intern);

#endif
