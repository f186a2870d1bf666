// SPDX-License-Identifier: MIT
// What the parts of test-files share.
#ifndef TESTS_H
#define TESTS_H

#include <expect.h>
#include <posix/spawn.h>

// errno after a call that must fail.
#define EXPECT_ERROR(call, number)                                                                 \
    do {                                                                                           \
        errno = 0;                                                                                 \
        EXPECT((call) < 0 && errno == (number));                                                   \
    } while (0)

void test_contents(void);
void test_names(void);
void test_directories(void);
void test_descriptors(void);
void test_pipes(void);
void test_own_pipes(void);
void test_mappings(void);
void test_rights(void);
void test_running(void);
void test_direct(void);
void test_children(void);
void test_stdio(void);
void test_storm(void);
void test_killed(void);
void test_exhausted(void);

// Starts this program as a child that does `what`: its pid, or an error; and its exit status.
s64 child_start(const char *what, const char *argument, const struct posix_spawn_fd *fds,
                u32 count);
int child_status(s64 pid);
// The bytes of the pipe that this is an end of are the server's from now on (docs/files.md).
void give_to_server(int fd);

// The parts of this program that run as its children: the exit status.
int child_main(int argc, char **argv);
int child_answer(void);
int child_map(void);
int child_scribble(void);
int child_lie(void);
int child_eat(void);
int child_greedy(void);
int child_records(void);

#endif
