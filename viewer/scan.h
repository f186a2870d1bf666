// SPDX-License-Identifier: MIT
// Asks the machine for its classes and objects.
#ifndef KOV_SCAN_H
#define KOV_SCAN_H

#include "snapshot.h"

int scan_classes(struct snapshot *snapshot);
// Classes and all live objects.
int scan_objects(struct snapshot *snapshot);

#endif
