// SPDX-License-Identifier: MIT
// Two endpoints for all processes: the hub takes a capability and gives another one, of whichever
// process, so that capabilities come to where nobody expects them; the other never answers.
#include "supervisor.h"

#include <user/ipc.h>
#include <user/lock.h>

#define HELD 16

cap_t hub_endpoint, silent_endpoint;

static struct {
    struct mutex lock;
    cap_t held[HELD];
    u32 next;
} hub;

// What it had in that place goes to the caller.
static cap_t exchange(cap_t cap)
{
    mutex_lock(&hub.lock);
    cap_t *place = &hub.held[hub.next++ % HELD];
    cap_t before = *place;
    *place = cap;
    mutex_unlock(&hub.lock);
    return before;
}

static s64 take(struct ipc_request *request)
{
    if (request->call == 0)
        return 0;
    cap_t cap = request->cap;
    if (cap == 0)
        return E_INVAL;
    request->reply_cap = exchange(cap);
    request->drop_reply_cap = request->reply_cap != 0;
    return 0;
}

// Its callers wait until they end or lose patience.
static s64 be_silent(struct ipc_request *request)
{
    if (request->cap != 0)
        sys_cap_drop(request->cap);
    return request->call != 0 ? IPC_LATER : 0;
}

s64 hub_create(void)
{
    s64 one = ipc_endpoint(take, NULL), other = ipc_endpoint(be_silent, NULL);

    if (one < 0 || other < 0)
        return one < 0 ? one : other;
    hub_endpoint = (cap_t)one;
    silent_endpoint = (cap_t)other;
    return 0;
}

void hub_offer(cap_t cap)
{
    cap_t before = exchange(cap);
    if (before != 0)
        sys_cap_drop(before);
}

void hub_clear(void)
{
    for (u32 i = 0; i < HELD; i++)
        hub_offer(0);
}
