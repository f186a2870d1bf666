// SPDX-License-Identifier: MIT
// Many threads at once, and an exact account of what they have done: what is lost or done twice by
// a lock that does not hold is missing in it.
#include "calls.h"

#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>

#define THREADS 64
#define ROUNDS 40
#define LIVES 300

static volatile unsigned long first, second; // read and written apart
static unsigned long wrong;                  // atomic

static void note_wrong(bool is)
{
    if (is)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

// One more, with all the time for others to come in between.
static void add_slowly(unsigned round)
{
    unsigned long before = first;
    if (round % 8 == 0)
        sched_yield();
    first = before + 1;
    second = second + 1;
}

// Returns whether all have come and gone, and none has said that something was wrong.
static bool run_all(void *(*function)(void *argument), void *argument)
{
    pthread_t threads[THREADS];
    unsigned made = 0, gone = 0;
    first = second = wrong = 0;
    while (made < THREADS && pthread_create(&threads[made], NULL, function, argument) == 0)
        made++;
    while (gone < made && pthread_join(threads[gone], NULL) == 0)
        gone++;
    return gone == THREADS && __atomic_load_n(&wrong, __ATOMIC_RELAXED) == 0;
}

static bool counted(unsigned long expected)
{
    return first == expected && second == expected;
}

// ---- locks --------------------------------------------------------------------------------------

static void *with_mutex(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        note_wrong(pthread_mutex_lock(argument) != 0);
        add_slowly(i);
        note_wrong(pthread_mutex_unlock(argument) != 0);
    }
    return NULL;
}

long mutex_account(int kind)
{
    pthread_mutexattr_t how;
    pthread_mutex_t mutex;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, kind);
    pthread_mutex_init(&mutex, &how);
    return run_all(with_mutex, &mutex) && counted(THREADS * ROUNDS) &&
           pthread_mutex_destroy(&mutex) == 0;
}

static pthread_spinlock_t spin;

static void *with_spin(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_spin_lock(&spin);
        add_slowly(i == 0 && first < 2 ? 0 : 1); // the host's spin for all of their slices
        pthread_spin_unlock(&spin);
    }
    return argument;
}

long spin_account(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    return run_all(with_spin, NULL) && counted(THREADS * ROUNDS);
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

// Each fourth round writes. Readers see both numbers the same.
static void *read_and_write(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i % 4 == 0) {
            pthread_rwlock_wrlock(&lock);
            add_slowly(i);
        } else {
            pthread_rwlock_rdlock(&lock);
            unsigned long before = first;
            if (i % 8 == 1)
                sched_yield();
            note_wrong(before != second || before != first);
        }
        note_wrong(pthread_rwlock_unlock(&lock) != 0);
    }
    return argument;
}

long reader_account(void)
{
    return run_all(read_and_write, NULL) && counted(THREADS * ROUNDS / 4) &&
           pthread_rwlock_destroy(&lock) == 0;
}

// ---- barriers -----------------------------------------------------------------------------------

static pthread_barrier_t barrier;
static unsigned long arrivals; // atomic

// Between two barriers all have arrived, and one has been told so.
static void *pass_barriers(void *argument)
{
    for (unsigned long i = 1; i <= ROUNDS / 4; i++) {
        __atomic_fetch_add(&arrivals, 1, __ATOMIC_SEQ_CST);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            add_slowly(0);
        note_wrong(__atomic_load_n(&arrivals, __ATOMIC_SEQ_CST) != i * THREADS);
        pthread_barrier_wait(&barrier);
    }
    return argument;
}

long barrier_account(void)
{
    arrivals = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    return run_all(pass_barriers, NULL) && counted(ROUNDS / 4) &&
           pthread_barrier_destroy(&barrier) == 0;
}

// ---- a queue of one place -----------------------------------------------------------------------

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2]; // to empty, to full
static bool full, all_woken;
static unsigned long sides; // atomic: who comes puts or takes, in turn

static void change(bool to)
{
    pthread_mutex_lock(&mutex);
    while (full == to)
        pthread_cond_wait(&changed[all_woken ? 0 : !to], &mutex);
    full = to;
    *(to ? &first : &second) += 1;
    if (all_woken)
        pthread_cond_broadcast(&changed[0]);
    else
        pthread_cond_signal(&changed[to]);
    pthread_mutex_unlock(&mutex);
}

static void *put_or_take(void *argument)
{
    bool puts = __atomic_fetch_add(&sides, 1, __ATOMIC_RELAXED) % 2 == 0;
    for (unsigned i = 0; i < ROUNDS / 4; i++)
        change(puts);
    return argument;
}

long queue_account(bool by_broadcast)
{
    full = false;
    all_woken = by_broadcast;
    pthread_cond_init(&changed[0], NULL);
    pthread_cond_init(&changed[1], NULL);
    return run_all(put_or_take, NULL) && counted(THREADS / 2 * (ROUNDS / 4)) && !full &&
           pthread_cond_destroy(&changed[0]) == 0 && pthread_cond_destroy(&changed[1]) == 0;
}

static sem_t places;
static unsigned long inside; // atomic

static void *take_place(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        sem_wait(&places);
        note_wrong(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) > 3);
        if (i % 8 == 0)
            sched_yield();
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        sem_post(&places);
    }
    return argument;
}

long semaphore_account(void)
{
    int value = 0;
    sem_init(&places, 0, 3);
    return run_all(take_place, NULL) && sem_getvalue(&places, &value) == 0 && value == 3;
}

// ---- short lives --------------------------------------------------------------------------------

static void *detached(void *argument)
{
    sem_post(argument);
    return NULL;
}

static void *one_more(void *argument)
{
    return (void *)((uintptr_t)argument + 1);
}

// Those that are detached all come, those that are joined bring their result.
long short_lives(void)
{
    sem_t came;
    unsigned long sum = 0;
    sem_init(&came, 0, 0);
    for (uintptr_t i = 0; i < LIVES; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, detached, &came) != 0 || pthread_detach(thread) != 0)
            return -2;
        sum += (uintptr_t)elsewhere(one_more, (void *)i);
    }
    for (unsigned i = 0; i < LIVES; i++)
        sem_wait(&came);
    return sum == LIVES * (LIVES + 1) / 2;
}
