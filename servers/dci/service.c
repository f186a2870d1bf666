// SPDX-License-Identifier: MIT
// The table of services.
#include "service.h"

#define ENTRY(name) &name##_service,
static const struct service *const services[] = {SERVICES(ENTRY)};
static u64 due[ARRAY_SIZE(services)]; // when each works next

const struct request_kind *request_find(u32 tag)
{
    for (u32 i = 0; i < ARRAY_SIZE(services); i++)
        for (u32 k = 0; k < services[i]->kind_count; k++)
            if (services[i]->kinds[k].tag == tag)
                return &services[i]->kinds[k];
    return NULL;
}

u64 services_work(u64 now, bool all)
{
    u64 next = UINT64_MAX;

    for (u32 i = 0; i < ARRAY_SIZE(services); i++) {
        if (services[i]->work == NULL)
            continue;
        if (all || now >= due[i])
            due[i] = services[i]->work(now);
        next = due[i] < next ? due[i] : next;
    }
    return next;
}

void services_release(struct client *client)
{
    for (u32 i = 0; i < ARRAY_SIZE(services); i++)
        if (services[i]->release != NULL)
            services[i]->release(client);
}
