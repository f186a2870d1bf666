// SPDX-License-Identifier: MIT
#ifndef TEST_NET_TESTS_H
#define TEST_NET_TESTS_H

#include <expect.h>
#include <stdbool.h>
#include <stddef.h>

// Sockets through the machine's own address (helpers.c). All return descriptors.
int listen_on(int port);
int connect_to(int port); // -1 with errno
int accept_one(int listener);
void connect_pair(int port, int ends[2]); // of one connection
// Sends or takes exactly count bytes of a pattern that depends on seed: true when all were right.
bool send_pattern(int file, size_t count, unsigned seed);
bool receive_pattern(int file, size_t count, unsigned seed);

void test_calls(void);   // addresses, states, errors, options
void test_streams(void); // bytes: order, amounts, ends
void test_many(void);    // many connections, poll, threads
void test_wakes(void);   // who is told of what
void test_ends(void);    // processes and servers that end
void test_hostile(void); // a process that writes nonsense into shared memory

int child_main(int argc, char **argv); // what test_ends starts

#endif
