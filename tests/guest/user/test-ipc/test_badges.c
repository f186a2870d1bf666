// SPDX-License-Identifier: MIT
// Many endpoints, opened and closed in no order, beside a plain array of what there is.
#include "check.h"
#include "tests.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <stdlib.h>
#include <user/ipc.h>

#define ENDPOINTS 600
#define ROUNDS 4000

static struct {
    cap_t cap; // 0: none here
    u64 badge;
} opened[ENDPOINTS];

static s64 say_which(struct ipc_request *request)
{
    request->reply[0] = (u64)request->context;
    return 0;
}

static u64 asked(cap_t cap)
{
    struct ipc_message message = {0};

    return ipc_call(cap, &message) == 0 ? message.words[0] : UINT64_MAX;
}

static void open_one(u32 i)
{
    s64 cap = ipc_endpoint(say_which, (void *)(u64)i);

    CHECK(cap > 0);
    opened[i].cap = cap > 0 ? (cap_t)cap : 0;
    opened[i].badge = ipc_badge(opened[i].cap);
    CHECK(opened[i].badge != 0);
}

// Its capability names nothing then, until the number is given out again.
static void close_one(u32 i)
{
    CHECK_IS(ipc_endpoint_close(opened[i].cap), 0);
    CHECK_IS(ipc_badge(opened[i].cap), 0);
    CHECK_IS(ipc_endpoint_close(opened[i].cap), E_NOENT);
    opened[i].cap = 0;
}

void an_endpoint_is_found_by_its_capability(void)
{
    u64 badge;

    srand(32);
    CHECK_IS(ipc_badge_create(say_which, NULL, &badge), 0); // has no capability to be found by
    CHECK_IS(ipc_badge(0), 0);
    for (u32 round = 0; round < ROUNDS; round++) {
        u32 i = (u32)rand() % ENDPOINTS, other = (u32)rand() % ENDPOINTS;
        if (opened[i].cap == 0)
            open_one(i);
        else
            close_one(i);
        if (opened[other].cap != 0) {
            CHECK(ipc_badge(opened[other].cap) == opened[other].badge);
            CHECK_IS(asked(opened[other].cap), other);
        }
    }
    for (u32 i = 0; i < ENDPOINTS; i++)
        if (opened[i].cap != 0)
            close_one(i);
    ipc_badge_destroy(badge);
}
