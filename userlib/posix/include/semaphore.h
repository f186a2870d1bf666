// SPDX-License-Identifier: MIT
// Semaphores of a process's threads. Calls return 0, or -1 and errno.
#ifndef _SEMAPHORE_H
#define _SEMAPHORE_H

#include <limits.h>
#include <time.h>
#include <user/lock.h>

#define SEM_VALUE_MAX INT_MAX

typedef struct {
    struct semaphore semaphore;
} sem_t;

int sem_init(sem_t *semaphore, int shared, unsigned value); // shared: by processes, ENOSYS
int sem_destroy(sem_t *semaphore);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);                                                      // EAGAIN
int sem_timedwait(sem_t *__restrict semaphore, const struct timespec *__restrict date); // ETIMEDOUT
int sem_post(sem_t *semaphore);                                                         // EOVERFLOW
int sem_getvalue(sem_t *__restrict semaphore, int *__restrict value);

#endif
