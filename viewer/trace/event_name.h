// SPDX-License-Identifier: MIT
// How events are named on the command line.
#ifndef KOV_EVENT_NAME_H
#define KOV_EVENT_NAME_H

#include "tools/near.h"

// name: "GROUP:event". The word, of `length`, is a number of a major, or GROUP, GROUP:event or
// event, in any case.
bool event_name_fits(const char *name, u32 major, const char *word, size_t length);

// Offers an event's name, its group and both together.
void event_name_offer(struct near *near, const char *name);

#endif
