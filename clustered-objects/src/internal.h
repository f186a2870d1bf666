// SPDX-License-Identifier: MIT
// The object manager's own structures: the Global Translation Table, in chunks of one LTT page of
// COIDs, and functions shared by its source files.
#ifndef CO_INTERNAL_H
#define CO_INTERNAL_H

#include <co/cpu.h>
#include <co/manager.h>
#include <co/object.h>
#include <co/quiesce.h>

#define CO_PAGE_SHIFT 12
#define CO_PER_PAGE (CO_PAGE_SIZE / R13_LTT_ENTRY_SIZE)
#define CO_PAGE_FIRST (R13_LTT >> CO_PAGE_SHIFT)
#define CO_PAGE_END (R13_COUNTS >> CO_PAGE_SHIFT)
#define CO_CLASS_MAX 256
#define CO_LIVE_WORDS (CO_PER_PAGE / 64)

_Static_assert(R13_LTT_ENTRIES == R13_COUNTS / R13_LTT_ENTRY_SIZE,
               "LTT and counts must not overlap");

// One object in the GTT. root is written before it is live, and never changes. The others are read
// without a lock.
struct co_entry {
    struct co_root *root;
    u32 misses; // of all CPUs
    u16 class_id;
    u8 reps;  // representatives that exist
    u8 plain; // its class's objects have no children, and it was never swapped
};

// The objects of one LTT page, with that page and its page of counts for every CPU, but where pages
// are copies. The lock guards all fields; live is also read without it.
struct co_chunk {
    struct co_lock lock;
    u64 page; // COID >> CO_PAGE_SHIFT
    u32 used; // COIDs handed out: indices 0 … used-1
    u32 gone; // of these, reclaimed
    struct co_chunk *next_dead;
    u64 live[CO_LIVE_WORDS]; // bit i & 63 of word i / 64: object i is live
    void *ltt[ORRERY_MAX_CPUS], *counts[ORRERY_MAX_CPUS];
    struct co_entry entries[CO_PER_PAGE];
};

struct co_counts {
    u64 invocations, unused;
};

extern u32 co_cpu_mask; // CPUs with tables; grows only
extern struct co_stat co_statistics;
extern const struct co_rep co_stale_object;
extern const u64 co_default_ops[CO_METHOD_SLOTS]; // the trampolines

// ---- addresses ---------------------------------------------------------------------------------
static inline struct co_cpu *co_cpu_of(u32 cpu)
{
    return (struct co_cpu *)(co_platform_window(cpu) + R13_CO);
}

// Returns the first CPU >= cpu with tables, or ORRERY_MAX_CPUS.
static inline u32 co_cpu_from(u32 cpu)
{
    u64 mask = (u64)__atomic_load_n(&co_cpu_mask, __ATOMIC_ACQUIRE) >> cpu;
    return mask != 0 ? cpu + (u32)__builtin_ctzl(mask) : ORRERY_MAX_CPUS;
}

static inline bool co_cpu_known(u32 cpu)
{
    return cpu < ORRERY_MAX_CPUS && (co_cpu_mask >> cpu & 1) != 0;
}

// Returns this CPU's LTT entry. Word 0: the rep; word 1: the Default Object's interface table.
static inline u64 *co_ltt_entry(u32 cpu, coid_t coid)
{
    return (u64 *)(co_platform_window(cpu) + coid);
}

static inline struct co_counts *co_counts_of(u32 cpu, coid_t coid)
{
    return (struct co_counts *)(co_platform_window(cpu) + R13_COUNTS + coid);
}

static inline u32 co_index(coid_t coid)
{
    return (u32)(coid / R13_LTT_ENTRY_SIZE % CO_PER_PAGE);
}

static inline coid_t co_coid(const struct co_chunk *chunk, u32 index)
{
    return (chunk->page << CO_PAGE_SHIFT) + index * R13_LTT_ENTRY_SIZE;
}

static inline bool co_well_formed(coid_t coid)
{
    return coid >= R13_LTT && coid < R13_COUNTS && coid % R13_LTT_ENTRY_SIZE == 0;
}

static inline bool co_live(const struct co_chunk *chunk, u32 index)
{
    return __atomic_load_n(&chunk->live[index / 64], __ATOMIC_ACQUIRE) >> index % 64 & 1;
}

// ---- gtt.c -------------------------------------------------------------------------------------
void co_gtt_init(void);
s64 co_gtt_init_cpu(u32 cpu); // maps existing chunks, then counts the CPU in
// Returns the chunk with this COID page, or the next one; NULL behind the last. It stays until the
// caller's generation ends.
struct co_chunk *co_gtt_next(u64 page);
// Returns the chunk of a live object, or NULL. Same lifetime.
struct co_chunk *co_gtt_find_live(coid_t coid);
struct co_chunk *co_gtt_find(coid_t coid); // live or not
// Hands out a COID. Returns its locked chunk and *index, or NULL and *error.
struct co_chunk *co_gtt_take(u32 *index, s64 *error);
void co_gtt_gone(coid_t coid); // the object is reclaimed
u64 co_gtt_end(void);          // no chunk has this page or a higher one
extern u64 co_gtt_next_page;   // where the search for a free COID page continues; tests set it

// ---- ltt.c -------------------------------------------------------------------------------------
s64 co_ltt_init(void);
s64 co_ltt_init_cpu(u32 cpu); // makes its junk page
// Allocates a chunk's pages for one CPU, without mapping them. Returns 0 or E_NOMEM.
s64 co_ltt_alloc(struct co_chunk *chunk, u32 cpu);
void co_ltt_free(struct co_chunk *chunk);
// Both with the table lock held; the chunk knows its page. Maps them with all entries empty.
s64 co_ltt_map(struct co_chunk *chunk, u32 cpu);
void co_ltt_unmap(struct co_chunk *chunk);
// Maps the pages of counts of all chunks, those to come included, if they are not mapped yet. They
// stay. Returns 0, or E_NOMEM: nobody may count. Thread context.
s64 co_ltt_map_counts(void);
bool co_ltt_has_counts(void); // otherwise nothing has been counted, and no count may be read
void co_table_lock(void);
void co_table_unlock(void);

// ---- class.c -----------------------------------------------------------------------------------
void co_class_init(void);
// 0, E_LIMIT, or E_INVAL (co_create); repeating has no effect.
s64 co_class_register(struct co_class *class);
struct co_class *co_class_at(u32 index); // NULL past the last

// ---- miss.c ------------------------------------------------------------------------------------
// Called on the Default Object. Returns this CPU's rep (as an integer), or an error.
s64 co_miss(u64 *default_object);
bool co_rep_in_use(const struct co_root *root, const struct co_rep *rep);
// Gets this CPU's rep, or makes one, for a caller that a mediator counts. Returns 0 or an error.
s64 co_miss_aside(struct co_root *root, struct co_rep **rep);

// ---- reap.c ------------------------------------------------------------------------------------
void co_reap_root(struct co_root *root);    // destroys it after quiescence
void co_reap_chunk(struct co_chunk *chunk); // frees it after quiescence
// Does one step of this CPU's reaper. Returns 0 if nothing is left to do, else the ticks until the
// next call.
u64 co_reap(void);

// ---- root_object.c -----------------------------------------------------------------------------
s64 co_root_object_create(void);

// ---- object.c ---------------------------------------------------------------------------------

// Of what lies in one piece of memory with the root; 0: its class does not tell.
u32 co_root_bytes(const struct co_root *root);
// The address of its begin: root or rep comes first.
u64 co_root_address(const struct co_root *root);

// ---- scan.c, dref.c: behind the calls of the same names (co/manager.h) -------------------------
s64 co_scan(u64 *cursor, void *buffer, u64 bytes);
s64 co_dref_read(u64 *cursor, void *buffer, u64 bytes);
s64 co_dref_enable(bool on);

// A scan's place: the next COID, with a CPU in its low bits for co_dref_read, and the COID page
// where the scan ends. The end is fixed at the start, so a scan cannot chase objects being created.
struct co_cursor {
    coid_t next;
    u64 end_page;
};
struct co_cursor co_cursor_open(u64 cursor);
u64 co_cursor_close(struct co_cursor cursor);

#endif
