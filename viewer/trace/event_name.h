// SPDX-License-Identifier: MIT
// How events are named on the command line.
#ifndef KOV_EVENT_NAME_H
#define KOV_EVENT_NAME_H

#include <orrery/types.h>

// name: "GROUP:event". The word, of `length`, is a number of a major, or GROUP, GROUP:event or
// event, in any case.
bool event_name_fits(const char *name, u32 major, const char *word, size_t length);

#endif
