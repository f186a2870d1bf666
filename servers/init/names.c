// SPDX-License-Identifier: MIT
// The name service: a table of names and endpoints. A name that the manifest lists belongs to the
// processes of that service; one that it reserves belongs to processes with a right. Any other name
// belongs to the process that registers it first, until that process or the endpoint is dead.
#include "names.h"

#include <co/manager.h>
#include <co/object.h>
#include <ipc/names.h>
#include <string.h>
#include <user/ipc.h>
#include <user/lock.h>
#include <user/process.h>

struct name {
    char name[NAMES_NAME_MAX + 1];
    cap_t endpoint; // 0: free
    u32 owner;      // service
    u32 pid;        // of the process that registered it
};

static struct {
    struct co_root root;
    struct co_rep rep;
    struct mutex lock;
    const struct manifest *manifest;
    struct name names[NAMES_MAX];
    struct ipc_service services[SERVICES_MAX + 1];
    u32 owners[SERVICES_MAX + 1];
} names;

struct names_state names_states[SERVICES_MAX];

// ---- the table (with the lock held) ------------------------------------------------------------

static struct name *find(const char *name)
{
    for (u32 i = 0; i < NAMES_MAX; i++) {
        if (names.names[i].endpoint != 0 && strcmp(names.names[i].name, name) == 0)
            return &names.names[i];
    }
    return NULL;
}

static void clear(struct name *entry)
{
    sys_cap_drop(entry->endpoint);
    *entry = (struct name){0};
}

// Sends an empty message, which servers ignore. Returns E_NOENT if there is no endpoint, E_PEER if
// it is dead, and anything else if it is alive (its queue may be full).
static s64 probe(cap_t endpoint)
{
    static const u64 nothing[MESSAGE_WORDS];
    return ipc_send(endpoint, -1, nothing);
}

static bool has_ended(u32 pid)
{
    struct sys_process_info info;
    return sys_process_info(pid, &info) == E_NOENT;
}

// Checks the process as well: the endpoint may be another process's, and outlive it.
static bool dead(const struct name *entry)
{
    return probe(entry->endpoint) == E_PEER || has_ended(entry->pid);
}

static void clear_dead(void)
{
    for (u32 i = 0; i < NAMES_MAX; i++) {
        if (names.names[i].endpoint != 0 && dead(&names.names[i]))
            clear(&names.names[i]);
    }
}

// Whoever registers a name clears away what others have left: nobody else may ever ask for theirs,
// and an endpoint stays as long as its name.
static void clear_ended(void)
{
    for (u32 i = 0; i < NAMES_MAX; i++) {
        if (names.names[i].endpoint != 0 && has_ended(names.names[i].pid))
            clear(&names.names[i]);
    }
}

static struct name *find_free(void)
{
    for (u32 i = 0; i < NAMES_MAX; i++) {
        if (names.names[i].endpoint == 0)
            return &names.names[i];
    }
    return NULL;
}

// Returns the number of names. Sets *own to the number that the process has registered.
static u32 count_names(u32 pid, u32 *own)
{
    u32 count = 0;
    *own = 0;
    for (u32 i = 0; i < NAMES_MAX; i++) {
        count += names.names[i].endpoint != 0;
        *own += names.names[i].endpoint != 0 && names.names[i].pid == pid;
    }
    return count;
}

static bool may_have_one_more(u32 pid)
{
    u32 own, all = count_names(pid, &own);
    u32 most = process_has_right(pid, RIGHT_ALL) ? NAMES_MAX : NAMES_MAX - NAMES_RESERVED;
    if (all >= most) {
        clear_dead();
        all = count_names(pid, &own);
    }
    return own < NAMES_OF_PROCESS && all < most;
}

static s64 may_have(const char *name, const struct name *wanted, struct name *entry)
{
    s32 listed = manifest_find(names.manifest, name);
    if (listed >= 0)
        return (u32)listed == wanted->owner ? 0 : E_PERM;
    u32 rights = manifest_reserved(names.manifest, name);
    if (rights != 0 && !process_has_right(wanted->pid, rights))
        return E_PERM;
    if (entry != NULL && entry->pid == wanted->pid)
        return 0;
    if (entry != NULL && !dead(entry))
        return E_EXIST;
    return may_have_one_more(wanted->pid) ? 0 : E_LIMIT;
}

static s64 enter(const char *name, const struct name *wanted)
{
    clear_ended();
    struct name *entry = find(name);
    s64 status = may_have(name, wanted, entry);
    if (status != 0)
        return status;
    if (entry == NULL && (entry = find_free()) == NULL) {
        clear_dead();
        entry = find_free();
    }
    if (entry == NULL)
        return E_LIMIT;
    if (entry->endpoint != 0)
        clear(entry);
    *entry = *wanted;
    strcpy(entry->name, name);
    return 0;
}

// ---- ipc/names.idl -----------------------------------------------------------------------------

s64 names_server_register(struct ipc_caller *caller, const char *name, cap_t endpoint)
{
    if (name[0] == '\0' || endpoint == 0 || probe(endpoint) == E_NOENT)
        return E_INVAL;
    const u32 *owner = caller->context;
    const struct name wanted = {.endpoint = endpoint, .owner = *owner, .pid = caller->pid};
    mutex_lock(&names.lock);
    s64 status = enter(name, &wanted);
    mutex_unlock(&names.lock);
    return status;
}

// Gives the caller a copy of the endpoint, so the entry may change before the answer is sent. The
// copy is dropped once it is sent.
s64 names_server_lookup(struct ipc_caller *caller, const char *name, cap_t *endpoint)
{
    mutex_lock(&names.lock);
    const struct name *entry = find(name);
    s64 copy = entry != NULL ? sys_cap_copy(entry->endpoint) : E_NOENT;
    mutex_unlock(&names.lock);
    if (copy < 0)
        return copy;
    *endpoint = (cap_t)copy;
    caller->drop_answer = true;
    return 0;
}

s64 names_server_unregister(struct ipc_caller *caller, const char *name)
{
    mutex_lock(&names.lock);
    struct name *entry = find(name);
    s64 status = entry == NULL ? E_NOENT : entry->pid != caller->pid ? E_PERM : 0;
    if (status == 0)
        clear(entry);
    mutex_unlock(&names.lock);
    return status;
}

s64 names_server_list(struct ipc_caller *caller, u32 index, char *name, u64 name_room, u32 *pid,
                      u32 *starts)
{
    (void)caller;
    s64 status = E_NOENT;
    mutex_lock(&names.lock);
    for (u32 i = 0, seen = 0; i < NAMES_MAX && status == E_NOENT; i++) {
        const struct name *entry = &names.names[i];
        if (entry->endpoint == 0 || seen++ != index)
            continue;
        status = strlen(entry->name) < name_room ? 0 : E_INVAL;
        if (status == 0)
            strcpy(name, entry->name);
        if (entry->owner < SERVICES_MAX) {
            *pid = names_states[entry->owner].pid;
            *starts = names_states[entry->owner].starts;
        }
    }
    mutex_unlock(&names.lock);
    return status;
}

// ---- for init itself ---------------------------------------------------------------------------

bool names_registered(const char *name)
{
    mutex_lock(&names.lock);
    bool found = find(name) != NULL;
    mutex_unlock(&names.lock);
    return found;
}

void names_remove(u32 service)
{
    mutex_lock(&names.lock);
    for (u32 i = 0; i < NAMES_MAX; i++) {
        if (names.names[i].endpoint != 0 && names.names[i].owner == service)
            clear(&names.names[i]);
    }
    mutex_unlock(&names.lock);
}

s64 names_endpoint(u32 service)
{
    names.owners[service] = service;
    names.services[service] =
        (struct ipc_service){.dispatch = names_dispatch, .context = &names.owners[service]};
    return ipc_interface_endpoint(&names.services[service]);
}

static const struct co_ops ops = CO_LEAF;
static struct co_class class = {
    .name = "NameService",
    .implementation = "NameServiceTable",
    .size = sizeof(names),
    .ops = &ops,
};

s64 names_create(const struct manifest *manifest)
{
    names.manifest = manifest;
    s64 coid = co_create_shared(&class, &names.root, &names.rep);
    return coid < 0 ? coid : co_add_service((coid_t)coid);
}
