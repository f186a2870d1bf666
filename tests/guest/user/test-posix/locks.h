// SPDX-License-Identifier: MIT
// Record locks of several processes.
#ifndef LOCKS_H
#define LOCKS_H

int locks_command(const char *what); // as another process: its exit status
void locks_of_several(void);

#endif
