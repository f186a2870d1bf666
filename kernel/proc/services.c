// SPDX-License-Identifier: MIT
// Creation of kernel services.
#include "services.h"

#include <co/manager.h>
#include <kernel/panic.h>

coid_t service_create(struct co_class *class, struct co_root *root, struct co_rep *rep)
{
    s64 coid = rep != NULL ? co_create_shared(class, root, rep) : co_create(class, root);

    if (coid < 0)
        panic("cannot create service %s: %s", class->name, orrery_strerror(coid));
    s64 error = co_add_service((coid_t)coid);
    if (error != 0)
        panic("cannot add service %s: %s", class->name, orrery_strerror(error));
    return (coid_t)coid;
}
