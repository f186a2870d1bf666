// SPDX-License-Identifier: MIT
// Descriptions that must be refused.
#ifndef DESCRIBED_LIAR_H
#define DESCRIBED_LIAR_H

// How many of them were not refused as they should be; says which.
unsigned lie(void);
// Describes events, one a call, until that is refused, as it must be in the end: then 0. Those that
// are known then still are.
unsigned take_all(const char *names);

#endif
