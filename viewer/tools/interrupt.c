// SPDX-License-Identifier: MIT
// Takes SIGINT and SIGTERM as a request to end cleanly. A second one ends the program at once.
#include "tools/interrupt.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t caught;
static struct timespec caught_at; // set before caught
static _Atomic(void (*)(void *context)) waker;
static void *waker_context; // set before waker

static void note(int number)
{
    (void)number;
    if (caught == 0)
        clock_gettime(CLOCK_MONOTONIC, &caught_at);
    caught = 1;
    int error = errno;
    void (*wake)(void *context) = atomic_load(&waker);
    if (wake != NULL)
        wake(waker_context);
    errno = error;
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void)
{
    return caught != 0;
}

double interrupt_time(void)
{
    return (double)caught_at.tv_sec + (double)caught_at.tv_nsec * 1e-9;
}

void interrupt_wakes(void (*wake)(void *context), void *context)
{
    if (wake != NULL)
        waker_context = context;
    atomic_store(&waker, wake);
}

void interrupt_sleep(double seconds)
{
    double whole = floor(seconds);
    struct timespec time = {.tv_sec = (time_t)whole, .tv_nsec = (long)((seconds - whole) * 1e9)};
    nanosleep(&time, NULL); // a signal ends it
}
