// SPDX-License-Identifier: MIT
// newlib's <regex.h>, which needs these types first.
#include <sys/types.h>
#include_next <regex.h>
