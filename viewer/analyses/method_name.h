// SPDX-License-Identifier: MIT
// Names of methods, from the interfaces (ipc/*.idl). The first word of a request names both.
#ifndef KOV_METHOD_NAME_H
#define KOV_METHOD_NAME_H

#include <orrery/types.h>

// Returns a name such as "fs.write"; NULL for what no interface has: a call of other programs, or
// the trace is of another build.
const char *method_name(u64 word);

#endif
