// SPDX-License-Identifier: MIT
// held ROUNDS: a thread holds a mutex for long, while another one waits for it. Prints where the
// mutex lies.
#include <stdio.h>
#include <stdlib.h>
#include <user/lock.h>
#include <user/thread.h>
#include <user/time.h>

#define HOLD_US 5000
#define POLL_US 100

static struct mutex lock;
static struct semaphore held, done;

static __attribute__((noinline)) void hold_long(void)
{
    mutex_lock(&lock);
    semaphore_up(&held);
    while ((__atomic_load_n(&lock.word, __ATOMIC_RELAXED) & 1) == 0) // nobody waits yet
        thread_sleep_until(time_after_us(POLL_US));
    thread_sleep_until(time_after_us(HOLD_US));
    mutex_unlock(&lock);
}

static __attribute__((noinline)) void want_it(void)
{
    mutex_lock(&lock);
    mutex_unlock(&lock);
    semaphore_up(&done); // so that this calls, and does not jump
}

static __attribute__((noinline)) void want_it_often(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        semaphore_down(&held);
        want_it();
    }
}

static s64 holder(void *rounds)
{
    for (int i = 0; i < *(int *)rounds; i++) {
        hold_long();
        semaphore_down(&done);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct thread *thread;
    s64 result;
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    if (thread_create(&thread, NULL, holder, &rounds) != 0)
        return 1;
    want_it_often(rounds);
    thread_join(thread, &result);
    printf("%p\n", (void *)&lock);
    return 0;
}
