// SPDX-License-Identifier: MIT
// The class table: ids in the order of first use.
#include "internal.h"
#include <co/swap.h>

static struct co_lock class_lock;
static struct co_class *classes[CO_CLASS_MAX];
static u32 class_count;

void co_class_init(void)
{
    co_platform_lock_init(&class_lock, "co classes", CO_LOCK_TABLE);
}

// Something supplies a rep for each CPU if, and only if, the class says that it is distributed.
static bool class_fits(const struct co_class *class)
{
    bool supplies = class->handle_miss != NULL || class->static_reps != NULL;
    return class->distributed == supplies;
}

static s64 enter_class(struct co_class *class)
{
    if (!class_fits(class))
        return E_INVAL;
    co_platform_lock(&class_lock);
    bool full = class_count == CO_CLASS_MAX;
    if (class->id == 0 && !full) {
        classes[class_count] = class;
        __atomic_store_n(&class_count, class_count + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&class->id, class_count, __ATOMIC_RELEASE);
    }
    s64 error = class->id != 0 ? 0 : E_LIMIT;
    co_platform_unlock(&class_lock);
    return error;
}

// Registers with a class those that its objects can become, so that they can be shown.
s64 co_class_register(struct co_class *class)
{
    if (__atomic_load_n(&class->id, __ATOMIC_ACQUIRE) != 0)
        return 0;
    s64 error = enter_class(class);
    for (u32 i = 0; i < class->swap_count && error == 0; i++)
        error = enter_class(class->swaps[i].to);
    return error;
}

struct co_class *co_class_at(u32 index)
{
    return index < __atomic_load_n(&class_count, __ATOMIC_ACQUIRE) ? classes[index] : NULL;
}
