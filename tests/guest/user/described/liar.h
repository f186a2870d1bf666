// SPDX-License-Identifier: MIT
// Descriptions that must be refused.
#ifndef DESCRIBED_LIAR_H
#define DESCRIBED_LIAR_H

// How many of them were not refused as they should be; says which.
unsigned lie(void);

#endif
