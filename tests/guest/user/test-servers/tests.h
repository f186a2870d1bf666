// SPDX-License-Identifier: MIT
// The checks of this program, and its parts.
#ifndef TEST_SERVERS_TESTS_H
#define TEST_SERVERS_TESTS_H

void expect(int condition, int line, const char *text, unsigned long value);
#define EXPECT(condition) expect(condition, __LINE__, #condition, 0)
#define EXPECT_IS(value, wanted)                                                                   \
    expect((value) == (wanted), __LINE__, #value, (unsigned long)(value))

void what_is_anothers_is_refused(void);
void nobody_takes_all(void);
int hostile_main(int argc, char **argv);

#endif
