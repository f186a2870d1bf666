// SPDX-License-Identifier: MIT
// Values of a step, when its call is made.
#include "target.h"

#define POOL_DEPTH 16

static struct pool {
    u32 count;
    u64 values[POOL_DEPTH];
} pools[FUZZ_POOLS];

void pool_add(u32 kind, u64 value)
{
    if (kind >= FUZZ_POOLS)
        return;
    struct pool *pool = &pools[kind];
    u32 at = __atomic_fetch_add(&pool->count, 1, __ATOMIC_RELAXED);
    pool->values[at % POOL_DEPTH] = value;
}

u64 pool_get(u32 kind, u64 nth)
{
    if (kind >= FUZZ_POOLS)
        return 0;
    const struct pool *pool = &pools[kind];
    u32 count = pool->count;
    if (nth >= count || nth >= POOL_DEPTH)
        return 0;
    return pool->values[(count - 1 - nth) % POOL_DEPTH];
}

static u64 pid_of(u32 which, u64 nth)
{
    const struct fuzz_state *shared = state();

    switch (which) {
    case FUZZ_PID_SELF:
        return shared->pid;
    case FUZZ_PID_PARENT:
        return shared->supervisor;
    case FUZZ_PID_CHILD:
        return pool_get(FUZZ_POOL_CHILD, nth);
    case FUZZ_PID_PEER:
        return shared->peers[nth % ARRAY_SIZE(shared->peers)];
    case FUZZ_PID_SERVICE:
        return shared->spared[nth % FUZZ_PROTECTED];
    case FUZZ_PID_INIT:
        return 1;
    default:
        return UINT32_MAX;
    }
}

static u64 cpu_of(const struct thread *self, u32 which)
{
    switch (which) {
    case FUZZ_CPU_OWN:
        return self->cpu;
    case FUZZ_CPU_OTHER:
        return self->cpu ^ 1;
    default:
        return ORRERY_MAX_CPUS;
    }
}

static u64 event_word(const struct thread *self, u32 which)
{
    const u64 *words = &self->last.type;
    return which < sizeof(self->last) / sizeof(*words) ? words[which] : 0;
}

// The text lies so that its NUL is the last byte that is mapped.
static u64 long_text(void)
{
    u8 *end = (u8 *)(AREA + AREA_PAGES * FUZZ_PAGE);

    for (u8 *at = end - LONG_TEXT_BYTES; at < end - 1; at++)
        *at = 'x';
    end[-1] = 0;
    return (u64)(end - LONG_TEXT_BYTES);
}

u64 value_of(struct thread *self, const struct fuzz_value *value, u64 bytes)
{
    u64 delta = (u64)(s64)value->delta, result;

    switch (value->mode) {
    case FUZZ_RESULT:
        result = self->results[value->literal % FUZZ_STEPS] + delta;
        break;
    case FUZZ_POOL:
        result = pool_get(value->which, value->literal) + delta;
        break;
    case FUZZ_PLACE:
        return place_address(self, value->which) + delta;
    case FUZZ_PID:
        return pid_of(value->which, value->literal) + delta;
    case FUZZ_CPU:
        return cpu_of(self, value->which);
    case FUZZ_TIME:
        return now() + delta * TICKS_A_MICROSECOND;
    case FUZZ_EVENT:
        return event_word(self, value->which) + delta;
    case FUZZ_TEXT:
        return value->literal < FUZZ_TEXTS ? (u64)fuzz_texts[value->literal] : long_text();
    case FUZZ_DATA:
        return data_of(self, value, bytes);
    default:
        return value->literal;
    }
    return result << (value->reserved % 64);
}

// ---- memory with contents ----------------------------------------------------------------------

// The area of normal data is used upwards within a step.
static u64 normal(struct thread *self, u64 bytes)
{
    u64 at = self->data;
    if (at + bytes > (AREA_PAGES - 2) * FUZZ_PAGE)
        at = 0;
    self->data = at + ALIGN_UP(bytes, 16UL);
    return AREA + at;
}

static u64 placed(struct thread *self, u32 placement, u64 bytes)
{
    u64 edge = AREA + AREA_PAGES * FUZZ_PAGE;

    switch (placement) {
    case FUZZ_UNALIGNED:
        return normal(self, bytes + 8) + 3;
    case FUZZ_EDGE:
        return edge - bytes;
    case FUZZ_CROSSING:
        return edge - bytes / 2;
    case FUZZ_CROSSING_READ_ONLY:
        return AREA_READ_ONLY - (bytes / 2 < FUZZ_PAGE ? bytes / 2 : FUZZ_PAGE);
    case FUZZ_READ_ONLY:
        return AREA_READ_ONLY;
    case FUZZ_EXECUTABLE:
        return place_address(self, FUZZ_PLACE_TEXT);
    case FUZZ_MESSAGE:
        return window() + WINDOW_MESSAGE;
    case FUZZ_HOLE:
        return AREA_HOLE;
    default:
        return normal(self, bytes);
    }
}

static bool writable(u64 address)
{
    return (address >= AREA && address < AREA + AREA_PAGES * FUZZ_PAGE) ||
           (address >= AREA_OTHER && address < AREA_READ_ONLY);
}

// The first bytes say which; much of what is there stays from before.
#define FILLED 64
static void fill(u64 address, u64 bytes, u64 seed)
{
    for (u64 i = 0; i < bytes && i < FILLED && writable(address + i); i++)
        ((u8 *)address)[i] = (u8)(seed >> i % 8 * 8 ^ i / 8);
}

u64 data_of(struct thread *self, const struct fuzz_value *value, u64 bytes)
{
    u64 wanted = value->delta > 0 ? (u64)value->delta : bytes;
    u64 most = (AREA_PAGES - 3) * FUZZ_PAGE;
    u64 address = placed(self, value->which, wanted < most ? wanted : most);

    if (value->literal != 0)
        fill(address, wanted, value->literal);
    return address;
}
