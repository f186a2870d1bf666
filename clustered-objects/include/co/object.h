// SPDX-License-Identifier: MIT
// Clustered objects for their authors and callers: interface, representative (rep), root and class,
// DREF and calls (docs/clustered-objects.md, S000 §2.4.2).
//
//   struct counter_ops { struct co_ops base; s64 (*inc)(struct counter *self); };   // interface
//   // What clients see, and the implementation:
//   struct counter { CO_REP(struct counter_ops); };
//   struct counter_root { struct co_root root; struct counter counter; s64 value; };
//   s64 value = CO_CALL(struct counter, coid, inc);
#ifndef CO_OBJECT_H
#define CO_OBJECT_H

#include <co/platform.h>
#include <orrery/errors.h>
#include <orrery/r13.h>
#include <orrery/types.h>

#define CO_REP_MAGIC 0x434f524550524550  // "COREPREP"
#define CO_ROOT_MAGIC 0x434f524f4f54524f // "COROOTRO"
#define CO_SWAPS_MAX 4
#define CO_METHOD_SLOTS 64 // methods of an interface, the two of co_ops included

struct co_rep;
struct co_root;
struct co_class;
struct co_swap;

// The first slots of every interface (S000, "Object Scan"). A scan may call them on any rep of
// the object from any CPU, in a thread, with no lock held.
struct co_ops {
    s64 (*get_num_children)(struct co_rep *self); // the number of referenced objects, or an error
    // Writes at most max COIDs of referenced objects. Returns how many, or an error.
    s64 (*get_children)(struct co_rep *self, coid_t *out, u32 max);
};

// Header of every rep. The object manager fills it in.
struct co_rep {
    const struct co_ops *ops;
    struct co_root *root;
    coid_t coid;
    u64 magic; // CO_REP_MAGIC
};

// First member of a rep type: the header, with its first word typed as the interface.
#define CO_REP(ops_type)                                                                           \
    union {                                                                                        \
        struct co_rep co;                                                                          \
        const ops_type *ops;                                                                       \
    }

// The global part of an object; first or embedded member of an implementation's root type. The
// object manager fills it in.
struct co_root {
    const struct co_class *class;
    coid_t coid;
    u64 magic;                            // CO_ROOT_MAGIC
    struct co_rep *shared;                // the one rep of a shared implementation
    struct co_rep *reps[ORRERY_MAX_CPUS]; // installed, by CPU
    struct co_root *next_dead;            // while awaiting quiescence
    u32 swaps;                            // of its implementation, so far
};

// One implementation of an interface: static and writable, never freed. The author sets the part up
// to destroy; the rest belongs to the object manager.
struct co_class {
    const char *name;           // of the object, e.g. "Counter"; shown by the viewer
    const char *implementation; // of the implementation, e.g. "DistributedCounter"
    u32 size;                   // of root and one rep, bytes
    u32 root_size;              // distributed: of what begins with the root; 0: not told
    bool distributed;           // one rep a CPU
    const struct co_ops *ops;   // interface table of its reps
    // For a singleton: its reps, an array by CPU of static_rep_size bytes each. The next two then
    // stay NULL.
    void *static_reps;
    u32 static_rep_size;
    // Supplies the rep of cpu (the calling CPU): a new or an existing one, with its private part
    // ready; the caller fills in the header. Two threads may be in it for one object at the same
    // time: the rep of the second goes to destroy_rep. It has the context and locks of the call
    // that missed, so it neither parks nor takes locks of rank <= RANK_CO. Returns 0, or an error,
    // which that call then returns. Shared classes leave it NULL.
    s64 (*handle_miss)(struct co_root *root, u32 cpu, struct co_rep **rep);
    // Frees a rep that handle_miss made; NULL: nothing to free. Context: as handle_miss, or in the
    // reaper's thread after quiescence.
    void (*destroy_rep)(struct co_root *root, struct co_rep *rep);
    // Frees the root, in the reaper's thread after quiescence, no lock held. NULL: nothing to free.
    void (*destroy)(struct co_root *root);
    // What its objects can become (co/swap.h), an array; NULL: nothing.
    const struct co_swap *swaps;
    u32 swap_count; // at most CO_SWAPS_MAX

    u32 id;   // from 1; 0 until registered
    u64 live; // instances
};

// ---- methods -----------------------------------------------------------------------------------

// A method takes integers and pointers (a first call keeps no floating-point registers). It returns
// s64 or a type that can carry a negative error in r3: a call on an object that is gone returns
// E_STALE. Its first argument is self. Its first statement is CO_HOME(self), which stores self at
// the caller's sp + 48, where samples find it (docs/pmu.md; why there: docs/design/elfv1.md).
#define CO_METHOD __attribute__((section(".text.co"), noipa))

#ifdef __powerpc64__
#define CO_HOME(self) (*(void *volatile *)((char *)__builtin_dwarf_cfa() + 48) = (self))
#else
#define CO_HOME(self) ((void)(self))
#endif

#define CO_CHECK_INTERFACE(ops_type)                                                               \
    _Static_assert(sizeof(ops_type) <= CO_METHOD_SLOTS * sizeof(void (*)(void)), "too many methods")

// get_num_children and get_children of objects without references. A scan does not call them.
s64 co_no_num_children(struct co_rep *self);
s64 co_no_children(struct co_rep *self, coid_t *out, u32 max);
#define CO_LEAF                                                                                    \
    {                                                                                              \
        .get_num_children = co_no_num_children, .get_children = co_no_children                     \
    }

// ---- calls -------------------------------------------------------------------------------------

// DREF returns this CPU's rep, the Default Object before the first call on this CPU, or the Stale
// Object; never NULL. It is valid until the thread's next checkpoint (co/quiesce.h) or, in an
// interrupt handler, until the handler returns. coid must come from co_create, never from outside.
// Context: thread or interrupt, not PMI; locks held have rank < RANK_CO.
//
// It is one ldx, behind a nop, the counting hook. While counting is on the nop is a branch to the
// site's stub, a restartable sequence (32-byte slot) that adds one to this CPU's count of the
// object.
#if defined(__powerpc64__) && defined(CO_DREF_WITHOUT_HOOK) // to measure the hook's cost
static inline __attribute__((always_inline)) struct co_rep *co_dref(coid_t coid)
{
    struct co_rep *rep;
    __asm__ volatile("ldx %0,13,%1" : "=r"(rep) : "b"(coid));
    return rep;
}
#elif defined(__powerpc64__)
static inline __attribute__((always_inline)) struct co_rep *co_dref(coid_t coid)
{
    struct co_rep *rep;
    u64 count_offset;
    __asm__ volatile("1: nop\n"
                     "2: ldx %0,13,%2\n"
                     ".pushsection .text.rseq32,\"ax\",@progbits\n"
                     ".balign 32\n"
                     "3: addis %1,%2,%3\n"
                     "ldx %0,13,%1\n"
                     "addi %0,%0,1\n"
                     "stdx %0,13,%1\n"
                     "b 2b\n"
                     ".popsection\n"
                     ".pushsection .dref_sites,\"a\",@progbits\n"
                     ".balign 8\n"
                     ".quad 1b,3b\n"
                     ".popsection\n"
                     : "=&b"(rep), "=&r"(count_offset)
                     : "b"(coid), "i"(R13_COUNTS >> 16));
    return rep;
}
#else
struct co_rep *co_dref(coid_t coid);
#endif

#define DREF(type, coid) ((type *)co_dref(coid))

// Calls a method: CO_CALL(struct counter, coid, add, 5). It evaluates coid once. DREF's result may
// not be a `type`: the Default Object has only a first word, and no type's alignment.
#define CO_CALL(type, coid, method, ...)                                                           \
    __extension__({                                                                                \
        struct co_rep *co_self_ = co_dref(coid);                                                   \
        __typeof__(((type *)NULL)->ops) co_ops_ = (const void *)co_self_->ops;                     \
        co_ops_->method((type *)co_self_ __VA_OPT__(, ) __VA_ARGS__);                              \
    })

// ---- lifetime ----------------------------------------------------------------------------------

// Makes root an instance of class (and registers the class at its first use). The object is live,
// and its first call on each CPU misses. Returns the COID (> 0), E_NOMEM, E_LIMIT if all 2^24 COIDs
// are in use or 256 classes are registered, or E_INVAL if the class is not distributed, or nothing
// supplies its reps. Thread or interrupt context, locks of rank < RANK_CO.
s64 co_create(struct co_class *class, struct co_root *root);
// Does the same for a shared implementation: rep (mostly in the same allocation as root) serves all
// CPUs. E_INVAL: the class is distributed.
s64 co_create_shared(struct co_class *class, struct co_root *root, struct co_rep *rep);

// Ends an object. From now on calls return E_STALE on every CPU. Calls under way finish; after
// quiescence its reps go to destroy_rep and its root to destroy. Returns 0; E_STALE: it is not
// live; E_INVAL: coid cannot be one. Same context as co_create.
s64 co_destroy(coid_t coid);

#endif
