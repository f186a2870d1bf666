// SPDX-License-Identifier: MIT
// The server and its clients as clustered objects.
#include "registry.h"

#include <co/manager.h>
#include <co/object.h>
#include <stdlib.h>

static u64 (*server_round)(u64 until);
static bool (*client_turn)(struct client *client, u64 now);

// ---- clients -----------------------------------------------------------------------------------

struct dci_client;
struct dci_client_ops {
    struct co_ops base;
    s64 (*work)(struct dci_client *self, u64 now);
};
struct dci_client {
    CO_REP(struct dci_client_ops);
};
CO_CHECK_INTERFACE(struct dci_client_ops);

// The object of a client. It may outlive the client for a while, until no thread can be in it.
struct client_object {
    struct co_root root;
    struct dci_client rep;
    struct client *client;
};

static coid_t client_coids[SLOTS_MAX]; // 0: none; a scan may read them at any time

static CO_METHOD s64 dci_client_work(struct dci_client *self, u64 now)
{
    CO_HOME(self);
    struct client_object *object = container_of(self, struct client_object, rep);
    return client_turn(object->client, now);
}

static void client_destroy(struct co_root *root)
{
    free(container_of(root, struct client_object, root));
}

static const struct dci_client_ops client_ops = {.base = CO_LEAF, .work = dci_client_work};

static struct co_class client_class = {
    .name = "DciClient",
    .implementation = "StreamClient",
    .size = sizeof(struct client_object),
    .ops = &client_ops.base,
    .destroy = client_destroy,
};

static u32 slot_of(coid_t coid)
{
    u32 slot = 0;

    while (slot < SLOTS_MAX && client_coids[slot] != coid)
        slot++;
    return slot;
}

void registry_add(struct client *client)
{
    struct client_object *object = calloc(1, sizeof(*object));
    u32 slot = slot_of(0);

    if (object == NULL || slot == SLOTS_MAX) {
        free(object);
        return;
    }
    object->client = client;
    s64 coid = co_create_shared(&client_class, &object->root, &object->rep.co);
    if (coid < 0) {
        free(object);
        return;
    }
    client->object = (coid_t)coid;
    __atomic_store_n(&client_coids[slot], client->object, __ATOMIC_RELEASE);
}

void registry_remove(struct client *client)
{
    u32 slot = client->object == 0 ? SLOTS_MAX : slot_of(client->object);

    if (slot == SLOTS_MAX)
        return;
    __atomic_store_n(&client_coids[slot], 0, __ATOMIC_RELEASE);
    co_destroy(client->object);
    client->object = 0;
}

bool registry_work(struct client *client, u64 now)
{
    if (client->object == 0)
        return client_turn(client, now);
    return CO_CALL(struct dci_client, client->object, work, now) > 0;
}

// ---- the server --------------------------------------------------------------------------------

struct dci_server;
struct dci_server_ops {
    struct co_ops base;
    s64 (*round)(struct dci_server *self, u64 until);
};
struct dci_server {
    CO_REP(struct dci_server_ops);
};
CO_CHECK_INTERFACE(struct dci_server_ops);

struct server_object {
    struct co_root root;
    struct dci_server rep;
};

static CO_METHOD s64 dci_server_round(struct dci_server *self, u64 until)
{
    CO_HOME(self);
    return (s64)server_round(until);
}

static CO_METHOD s64 server_num_children(struct co_rep *self)
{
    CO_HOME(self);
    s64 count = 0;

    (void)self;
    for (u32 i = 0; i < SLOTS_MAX; i++)
        count += __atomic_load_n(&client_coids[i], __ATOMIC_ACQUIRE) != 0;
    return count;
}

static CO_METHOD s64 server_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    u32 count = 0;

    (void)self;
    for (u32 i = 0; i < SLOTS_MAX && count < max; i++) {
        coid_t coid = __atomic_load_n(&client_coids[i], __ATOMIC_ACQUIRE);
        if (coid != 0)
            out[count++] = coid;
    }
    return count;
}

static const struct dci_server_ops server_ops = {
    .base = {.get_num_children = server_num_children, .get_children = server_children},
    .round = dci_server_round,
};

static struct server_object server_object;
static struct co_class server_class = {
    .name = "DciServer",
    .implementation = "EventLoopServer",
    .size = sizeof(struct server_object),
    .ops = &server_ops.base,
};

void registry_start(u64 (*round)(u64 until), bool (*turn)(struct client *client, u64 now))
{
    server_round = round;
    client_turn = turn;
    s64 coid = co_create_shared(&server_class, &server_object.root, &server_object.rep.co);
    if (coid > 0)
        co_add_service((coid_t)coid);
}

u64 registry_round(u64 until)
{
    if (server_object.root.coid == 0)
        return server_round(until);
    return (u64)CO_CALL(struct dci_server, server_object.root.coid, round, until);
}
