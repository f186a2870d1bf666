// SPDX-License-Identifier: MIT
// crossed [limited]: two threads take two mutexes in opposite order. limited: with a time limit, so
// that neither waits for ever. Says so once both wait.
#include <stdio.h>
#include <user/lock.h>
#include <user/thread.h>
#include <user/time.h>

#define POLL_US 100

static struct mutex first, second;
static struct semaphore has_second, begin;
static u64 limit = THREAD_FOREVER;

static s64 other(void *unused)
{
    (void)unused;
    mutex_lock(&second);
    semaphore_up(&has_second);
    semaphore_down(&begin);
    mutex_lock_until(&first, limit);
    return 0;
}

static bool waited_for(const struct mutex *mutex)
{
    return (__atomic_load_n(&mutex->word, __ATOMIC_RELAXED) & 1) != 0;
}

// Runs when the other threads of this CPU wait.
static s64 tell(void *unused)
{
    (void)unused;
    while (!waited_for(&first) || !waited_for(&second))
        thread_sleep_us(POLL_US);
    puts("crossed: planted");
    fflush(stdout);
    return 0;
}

int main(int count, char **words)
{
    struct thread *threads[2];
    (void)words;
    if (count > 1)
        limit = time_after_us(3600 * 1000000ul);
    mutex_lock(&first);
    if (thread_create(&threads[0], NULL, other, NULL) != 0 ||
        thread_create(&threads[1], NULL, tell, NULL) != 0)
        return 1;
    semaphore_down(&has_second);
    semaphore_up(&begin);
    mutex_lock_until(&second, limit);
    return 0;
}
