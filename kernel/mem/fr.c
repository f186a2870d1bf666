// SPDX-License-Identifier: MIT
// FR: the kernel's side of a file that a server keeps (S000 §2.4.3): its endpoint, and the token by
// which the server knows the file. Also tells a server that memory that it made has ended.
#include "file.h"

#include <kernel/capability.h>
#include <orrery/errors.h>

struct fr_ops {
    struct co_ops base;
    s64 (*tell)(struct fr *self, u64 what, u64 offset);
};

struct fr {
    CO_REP(struct fr_ops);
    struct co_root root;
    struct endpoint *endpoint; // with a reference
    u64 token;
    u64 bytes;       // of memory that has ended
    struct fr *next; // of those that could not be told yet
};

static struct spinlock late_lock = SPINLOCK_INIT("late FRs", RANK_FCM_USERS);
static struct fr *late;

static CO_METHOD s64 fr_rep_tell(struct fr *self, u64 what, u64 offset)
{
    CO_HOME(self);
    u64 words[MESSAGE_WORDS] = {what, offset, PAGE_SIZE};

    return ipc_send_from_kernel(self->endpoint, self->token, words);
}

static void fr_root_destroy(struct co_root *root)
{
    struct fr *fr = container_of(root, struct fr, root);

    endpoint_put(fr->endpoint);
    kfree(fr);
}

static const struct fr_ops ops = {CO_LEAF, fr_rep_tell};
static struct co_class class = {
    .name = "FR",
    .implementation = "FRServer",
    .size = sizeof(struct fr),
    .ops = &ops.base,
    .destroy = fr_root_destroy,
};

struct fr *fr_create(struct endpoint *endpoint, u64 token)
{
    struct fr *fr = kzalloc(sizeof(*fr));

    if (fr == NULL)
        return NULL;
    fr->endpoint = endpoint;
    fr->token = token;
    if (co_create_shared(&class, &fr->root, &fr->co) < 0) {
        kfree(fr);
        return NULL;
    }
    endpoint_hold(endpoint);
    return fr;
}

void fr_destroy(struct fr *fr)
{
    co_destroy(fr->root.coid);
}

coid_t fr_coid(const struct fr *fr)
{
    return fr->root.coid;
}

static void keep_for_later(struct fr *fr)
{
    spin_lock(&late_lock);
    fr->next = late;
    late = fr;
    spin_unlock(&late_lock);
    pager_later();
}

void fr_memory_gone(struct fr *fr, u64 bytes)
{
    s64 error = fr_tell(fr, MEMORY_GONE, bytes);

    fr->bytes = bytes;
    if (error == E_AGAIN || error == E_NOMEM)
        keep_for_later(fr);
    else
        fr_destroy(fr);
}

void frs_retry(void)
{
    spin_lock(&late_lock);
    struct fr *fr = late;
    late = NULL;
    spin_unlock(&late_lock);
    while (fr != NULL) {
        struct fr *next = fr->next;
        fr_memory_gone(fr, fr->bytes);
        fr = next;
    }
}

s64 fr_tell(struct fr *fr, u64 what, u64 offset)
{
    return CO_CALL(struct fr, fr->root.coid, tell, what, offset);
}
