// SPDX-License-Identifier: MIT
// Counting, for those who need its counters. The server's thread.
#ifndef DCI_COUNTING_H
#define DCI_COUNTING_H

#include "client.h"

// Ends the sessions of other clients that yield. Was there any? Then counters may be free now.
bool counting_give_way(const struct client *client);

#endif
