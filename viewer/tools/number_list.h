// SPDX-License-Identifier: MIT
// Lists of small numbers, such as CPUs or counters: "0-2,5".
#ifndef KOV_NUMBER_LIST_H
#define KOV_NUMBER_LIST_H

#include <orrery/types.h>

// Reads numbers and ranges, each number below 64, separated by commas. Sets bit n for number n.
// Returns false if the text is no such list.
bool number_list_parse(const char *text, u64 *mask);

#define NUMBER_LIST_BYTES 192
// Writes the list of a mask; "-" for an empty one.
const char *number_list_text(u64 mask, char text[NUMBER_LIST_BYTES]);

#endif
