// SPDX-License-Identifier: MIT
// The program as its own child: what it does by its first argument.
#ifndef TEST_SPAWN_CHILD_H
#define TEST_SPAWN_CHILD_H

#define CHILD_THREADS 10

// Never comes back when argv[1] says to crash; else the exit status, -1 for an unknown word.
int child_main(int argc, char **argv);

#endif
