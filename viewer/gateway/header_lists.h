// SPDX-License-Identifier: MIT
// Headers of HTTP that are lists.
#ifndef KOV_HEADER_LISTS_H
#define KOV_HEADER_LISTS_H

#include <orrery/types.h>

// Whether this word, upper and lower case told apart, is in the list.
bool header_list_has(const char *list, const char *word);
// Whether who says this as Accept-Encoding takes gzip: by its name, or by `*` if the name is
// missing.
bool header_list_takes_gzip(const char *list);

#endif
