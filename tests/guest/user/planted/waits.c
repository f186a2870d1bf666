// SPDX-License-Identifier: MIT
// waits: the first thread waits for the end of one that waits for a semaphore; another one waits
// for a mutex of one that waits for a condition. Says so once all wait.
#include <stdio.h>
#include <user/lock.h>
#include <user/thread.h>
#include <user/time.h>

#define POLL_US 100
#define THREADS 4

static struct semaphore never, has_lock;
static struct mutex held, own;
static struct condition change;
static struct thread *threads[THREADS];

static s64 wait_for_semaphore(void *unused)
{
    (void)unused;
    semaphore_down(&never);
    return 0;
}

static s64 wait_for_condition(void *unused)
{
    (void)unused;
    mutex_lock(&held);
    mutex_lock(&own);
    semaphore_up(&has_lock);
    condition_wait(&change, &own);
    return 0;
}

static s64 wait_for_mutex(void *unused)
{
    (void)unused;
    semaphore_down(&has_lock);
    mutex_lock(&held);
    return 0;
}

// Runs when the other threads of this CPU wait.
static s64 tell(void *unused)
{
    (void)unused;
    while ((__atomic_load_n(&held.word, __ATOMIC_RELAXED) & 1) == 0 ||
           __atomic_load_n(&own.word, __ATOMIC_RELAXED) != 0)
        thread_sleep_us(POLL_US);
    puts("waits: planted");
    fflush(stdout);
    return 0;
}

int main(void)
{
    static const thread_function functions[THREADS] = {wait_for_semaphore, wait_for_condition,
                                                       wait_for_mutex, tell};
    for (u32 i = 0; i < THREADS; i++)
        if (thread_create(&threads[i], NULL, functions[i], NULL) != 0)
            return 1;
    thread_join(threads[0], NULL);
    return 0;
}
