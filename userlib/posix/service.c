// SPDX-License-Identifier: MIT
// Services by name, with the endpoints that were found for them.
#include <posix/service.h>

#include <ipc/names.h>
#include <stdlib.h>
#include <string.h>
#include <user/lock.h>
#include <user/thread.h>
#include <user/time.h>

#define FIRST_PAUSE_US 500
#define LONGEST_PAUSE_US 20000

struct service {
    struct service *next;
    struct mutex lock; // of changes to the two
    cap_t endpoint;    // 0: to be asked for
    cap_t lost; // the one before: kept, so that a thread that still calls it calls nobody else
    char name[NAMES_NAME_MAX + 1];
};

static struct mutex list_lock;
static struct service *services;

static struct service *add(const char *name)
{
    struct service *service = calloc(1, sizeof(*service));
    if (service == NULL)
        return NULL;
    strcpy(service->name, name);
    service->next = services;
    services = service;
    return service;
}

struct service *service_get(const char *name)
{
    if (strnlen(name, NAMES_NAME_MAX + 1) > NAMES_NAME_MAX)
        return NULL;
    mutex_lock(&list_lock);
    struct service *service = services;
    while (service != NULL && strcmp(service->name, name) != 0)
        service = service->next;
    if (service == NULL)
        service = add(name);
    mutex_unlock(&list_lock);
    return service;
}

const char *service_name(const struct service *service)
{
    return service->name;
}

// Without a name service every call on CAP_NAMES gives E_NOENT, as for a name that is not there
// yet.
static bool have_names(void)
{
    s64 copy = sys_cap_copy(CAP_NAMES);
    if (copy < 0)
        return false;
    sys_cap_drop((cap_t)copy);
    return true;
}

// Asks for a name again and again until it is there.
static s64 wait_for(const char *name, u64 deadline, cap_t *endpoint)
{
    u64 pause = FIRST_PAUSE_US;
    for (;;) {
        s64 status = names_lookup(CAP_NAMES, name, endpoint);
        if (status != E_NOENT)
            return status;
        if (time_now() >= deadline)
            return E_TIMEOUT;
        thread_sleep_us(pause);
        pause = pause * 2 < LONGEST_PAUSE_US ? pause * 2 : LONGEST_PAUSE_US;
    }
}

cap_t service_known(const struct service *service)
{
    return __atomic_load_n(&service->endpoint, __ATOMIC_RELAXED);
}

// Keeps a found endpoint, and returns the one to use. Several threads may have asked at once: the
// first one's endpoint stays.
static cap_t keep(struct service *service, cap_t found)
{
    mutex_lock(&service->lock);
    if (service->endpoint == 0)
        __atomic_store_n(&service->endpoint, found, __ATOMIC_RELAXED);
    else
        sys_cap_drop(found);
    cap_t endpoint = service->endpoint;
    mutex_unlock(&service->lock);
    return endpoint;
}

s64 service_endpoint(struct service *service, u64 deadline, cap_t *endpoint)
{
    *endpoint = service_known(service);
    if (*endpoint != 0)
        return 0;
    cap_t found;
    s64 status = have_names() ? wait_for(service->name, deadline, &found) : E_NOENT;
    if (status == 0)
        *endpoint = keep(service, found);
    return status;
}

void service_lost(struct service *service, cap_t endpoint)
{
    mutex_lock(&service->lock);
    if (service->endpoint == endpoint && endpoint != 0) {
        if (service->lost != 0)
            sys_cap_drop(service->lost);
        service->lost = endpoint;
        __atomic_store_n(&service->endpoint, 0, __ATOMIC_RELAXED);
    }
    mutex_unlock(&service->lock);
}

s64 service_register(const char *name, cap_t endpoint)
{
    return names_register(CAP_NAMES, name, endpoint);
}
