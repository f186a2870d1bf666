// SPDX-License-Identifier: MIT
// Values of a thread's own. A key that has been deleted and made again has no values from before:
// each value knows the key's generation.
#include "objects.h"

#include <errno.h>
#include <stdlib.h>

// Its generation is odd while the key is there. Those that look at it without the lock may only ask
// for keys that are there.
static struct {
    void (*destructor)(void *value);
    u64 generation;
} keys[PTHREAD_KEYS_MAX];
static struct mutex lock; // of keys

static bool is_there(u64 generation)
{
    return (generation & 1) != 0;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *value))
{
    unsigned i = 0;
    mutex_lock(&lock);
    while (i < PTHREAD_KEYS_MAX && is_there(keys[i].generation))
        i++;
    if (i < PTHREAD_KEYS_MAX) {
        keys[i].destructor = destructor;
        __atomic_store_n(&keys[i].generation, keys[i].generation + 1, __ATOMIC_RELEASE);
        *key = i;
    }
    mutex_unlock(&lock);
    return i < PTHREAD_KEYS_MAX ? 0 : EAGAIN;
}

static u64 generation_of(pthread_key_t key)
{
    return key < PTHREAD_KEYS_MAX ? __atomic_load_n(&keys[key].generation, __ATOMIC_ACQUIRE) : 0;
}

int pthread_key_delete(pthread_key_t key)
{
    mutex_lock(&lock);
    u64 generation = generation_of(key);
    if (is_there(generation))
        __atomic_store_n(&keys[key].generation, generation + 1, __ATOMIC_RELEASE);
    mutex_unlock(&lock);
    return is_there(generation) ? 0 : EINVAL;
}

void *pthread_getspecific(pthread_key_t key)
{
    const struct posix_thread *self = posix_thread_find();
    u64 generation = generation_of(key);
    if (self == NULL || self->values == NULL || !is_there(generation) ||
        self->values[key].generation != generation)
        return NULL;
    return (void *)self->values[key].value;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    u64 generation = generation_of(key);
    if (!is_there(generation))
        return EINVAL;
    struct posix_thread *self = posix_thread_self();
    if (self != NULL && self->values == NULL)
        self->values = calloc(PTHREAD_KEYS_MAX, sizeof(*self->values));
    if (self == NULL || self->values == NULL)
        return ENOMEM;
    self->values[key] = (struct posix_value){value, generation};
    return 0;
}

// Takes a value and its destructor, if it has both.
static void (*take(struct posix_thread *thread, pthread_key_t key, void **value))(void *)
{
    struct posix_value *slot = &thread->values[key];
    void (*destructor)(void *value) = NULL;
    mutex_lock(&lock);
    if (slot->value != NULL && slot->generation == keys[key].generation)
        destructor = keys[key].destructor;
    mutex_unlock(&lock);
    *value = (void *)slot->value;
    slot->value = NULL;
    return destructor;
}

void posix_values_drop(struct posix_thread *thread)
{
    bool more = thread->values != NULL;
    for (unsigned round = 0; more && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        more = false;
        for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
            void *value, (*destructor)(void *value) = NULL;
            if (thread->values[key].value != NULL)
                destructor = take(thread, key, &value);
            if (destructor != NULL) {
                destructor(value);
                more = true;
            }
        }
    }
    free(thread->values);
    thread->values = NULL;
}
