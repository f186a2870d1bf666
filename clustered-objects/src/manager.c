// SPDX-License-Identifier: MIT
// The ObjectManager, itself a clustered object, and start-up.
#include "internal.h"
#include <co/swap.h>
#include <orrery/sys.h>
#include <string.h>

u32 co_cpu_mask;
struct co_stat co_statistics;
static u32 reapers_started; // by CPU
static u32 reaper_count;    // reapers that are objects
static coid_t reaper_coids[ORRERY_MAX_CPUS];

struct object_manager;

struct object_manager_ops {
    struct co_ops base;
    s64 (*scan)(struct object_manager *self, u64 *cursor, void *buffer, u64 bytes);
    s64 (*class_get)(struct object_manager *self, u32 index, struct sys_class *out);
    s64 (*dref_enable)(struct object_manager *self, bool on);
    s64 (*dref_read)(struct object_manager *self, u64 *cursor, void *buffer, u64 bytes);
    s64 (*reap)(struct object_manager *self);
};

struct object_manager {
    CO_REP(struct object_manager_ops);
};

CO_CHECK_INTERFACE(struct object_manager_ops);

static struct co_root root;
static struct object_manager manager;
static coid_t manager_coid;

// ---- methods -----------------------------------------------------------------------------------

// The manager refers to the reapers' threads.
static CO_METHOD s64 object_manager_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return __atomic_load_n(&reaper_count, __ATOMIC_ACQUIRE);
}

static CO_METHOD s64 object_manager_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    u32 count = __atomic_load_n(&reaper_count, __ATOMIC_ACQUIRE);
    if (count > max)
        count = max;
    for (u32 i = 0; i < count; i++)
        out[i] = reaper_coids[i];
    return count;
}

static CO_METHOD s64 scan(struct object_manager *self, u64 *cursor, void *buffer, u64 bytes)
{
    CO_HOME(self);
    return co_scan(cursor, buffer, bytes);
}

static CO_METHOD s64 class_get(struct object_manager *self, u32 index, struct sys_class *out)
{
    CO_HOME(self);
    const struct co_class *class = co_class_at(index);
    if (class == NULL)
        return E_NOENT;
    *out = (struct sys_class){
        .class_id = class->id,
        .size = class->size,
        .distributed = class->distributed,
        .live = (u32)__atomic_load_n(&class->live, __ATOMIC_RELAXED),
    };
    for (u32 i = 0; i < class->swap_count; i++)
        out->swaps[i] = (u16)__atomic_load_n(&class->swaps[i].to->id, __ATOMIC_RELAXED);
    strncpy(out->name, class->name, sizeof(out->name) - 1);
    strncpy(out->implementation, class->implementation, sizeof(out->implementation) - 1);
    return 0;
}

static CO_METHOD s64 dref_enable(struct object_manager *self, bool on)
{
    CO_HOME(self);
    return co_dref_enable(on);
}

static CO_METHOD s64 dref_read(struct object_manager *self, u64 *cursor, void *buffer, u64 bytes)
{
    CO_HOME(self);
    return co_dref_read(cursor, buffer, bytes);
}

static CO_METHOD s64 reap(struct object_manager *self)
{
    CO_HOME(self);
    return (s64)co_reap();
}

static const struct object_manager_ops ops = {
    {object_manager_get_num_children, object_manager_get_children},
    scan,
    class_get,
    dref_enable,
    dref_read,
    reap};
static struct co_class class = {
    .name = "ObjectManager",
    .implementation = co_platform_manager_implementation,
    .size = sizeof(root) + sizeof(manager),
    .ops = &ops.base,
};

// ---- start-up ----------------------------------------------------------------------------------

#define GENERATION_FIRST 2 // 0 means none, and g-1 must not be 0

s64 co_init_cpu(u32 cpu)
{
    *co_cpu_of(cpu) = (struct co_cpu){.generation = GENERATION_FIRST};
    s64 error = co_ltt_init_cpu(cpu);
    return error != 0 ? error : co_gtt_init_cpu(cpu);
}

s64 co_init(void)
{
    co_class_init();
    co_gtt_init();
    s64 error = co_ltt_init();
    if (error == 0)
        error = co_init_cpu(co_platform_cpu());
    if (error == 0)
        error = co_root_object_create();
    if (error != 0)
        return error;
    s64 coid = co_create_shared(&class, &root, &manager.co);
    if (coid < 0)
        return coid;
    manager_coid = (coid_t)coid;
    return co_add_service(manager_coid);
}

static u64 reaper_work(void)
{
    return (u64)CO_CALL(struct object_manager, manager_coid, reap);
}

s64 co_start(void)
{
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        if (reapers_started >> cpu & 1)
            continue;
        s64 coid = co_platform_reaper_start(cpu, reaper_work);
        if (coid < 0)
            return coid;
        reapers_started |= 1u << cpu;
        reaper_coids[reaper_count] = (coid_t)coid;
        __atomic_store_n(&reaper_count, reaper_count + (coid > 0), __ATOMIC_RELEASE);
    }
    return 0;
}

void co_stat(struct co_stat *stat)
{
    *stat = co_statistics;
}

// ---- calls -------------------------------------------------------------------------------------

s64 co_manager_scan(u64 *cursor, void *buffer, u64 bytes)
{
    return CO_CALL(struct object_manager, manager_coid, scan, cursor, buffer, bytes);
}

s64 co_manager_class(u32 index, struct sys_class *class_info)
{
    return CO_CALL(struct object_manager, manager_coid, class_get, index, class_info);
}

s64 co_manager_dref_enable(bool on)
{
    return CO_CALL(struct object_manager, manager_coid, dref_enable, on);
}

s64 co_manager_dref_read(u64 *cursor, void *buffer, u64 bytes)
{
    return CO_CALL(struct object_manager, manager_coid, dref_read, cursor, buffer, bytes);
}
