// SPDX-License-Identifier: MIT
// What the table of calls.def has, besides the calls themselves. All return 1 if what they say
// holds, unless said otherwise.
#ifndef CALLS_H
#define CALLS_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

// A date, or a time of a clock, so many milliseconds from now.
const struct timespec *in_ms(clockid_t clock, long milliseconds);
// Starts a thread, waits for its end, and returns what it has returned.
void *elsewhere(void *(*function)(void *argument), void *argument);

// threads.c
long joined(void);
long detached_by(bool attribute);
long stack_has(unsigned long bytes);
long exits_inside(void);
long cleaned_up(bool exits);
long destroys_values(unsigned rounds);
long value_of_new_key(void);
long values_differ(void);
long keys_there_are(void);
long once_only(void);
long name_kept(void);
long condition_timed(clockid_t clock);
long recursive_waits(void);
long writer_comes_after_readers(void);
long others_come_after_writer(void);

// account.c: many threads, and an exact account of what they have done.
long mutex_account(int kind);
long spin_account(void);
long reader_account(void);
long barrier_account(void);
long queue_account(bool by_broadcast);
long semaphore_account(void);
long short_lives(void);

// c11.c
long c11_joined(void);
long c11_mutex(int kind);
long c11_timed(void);
long c11_condition(void);
long c11_values(void);

#endif
