// SPDX-License-Identifier: MIT
// How events are named on the command line.
#ifndef KOV_EVENT_NAME_H
#define KOV_EVENT_NAME_H

#include "tools/near.h"

// Returns whether a word means an event. name is "GROUP:event". The word has `length` characters.
// It is the number of a major, or GROUP, GROUP:event or event, in small or capital letters.
bool event_name_fits(const char *name, u32 major, const char *word, size_t length);

// Offers an event's name, its group, and both together.
void event_name_offer(struct near *near, const char *name);

#endif
