// SPDX-License-Identifier: MIT
// Lists of small numbers, such as CPUs or counters: "0-2,5".
#ifndef KOV_NUMBER_LIST_H
#define KOV_NUMBER_LIST_H

#include <orrery/types.h>

// Reads numbers and ranges, each below 64, separated by commas: bit n for number n.
// False: it is none.
bool number_list_parse(const char *text, u64 *mask);

#define NUMBER_LIST_BYTES 192
// The other way; "-" for none.
const char *number_list_text(u64 mask, char text[NUMBER_LIST_BYTES]);

#endif
