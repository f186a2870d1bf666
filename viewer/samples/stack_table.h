// SPDX-License-Identifier: MIT
// Numbers for stacks: the places in code, with process, object and callers, where samples were. A
// table has a limit and is allocated once.
#ifndef KOV_STACK_TABLE_H
#define KOV_STACK_TABLE_H

#include "samples/samples.h"
#include "samples/site_sums.h"

struct stack_place {
    coid_t coid; // of an object: SITE_OBJECT
    u64 pc;
    u64 callers[SAMPLE_MAX_CALLERS]; // return addresses, innermost first
    u32 pid;                         // ran, or the kernel worked for it; 0: for no process
    bool kernel;                     // code and object are the kernel's, else those of pid
    u8 kind;                         // SITE_OBJECT, SITE_NONE, SITE_STALE
    u8 caller_count;
    u32 binary; // no part of what it is: a number that the owner of the table gives it
};

struct stack_table {
    struct stack_place *places; // number n is n - 1
    size_t count, limit;
    u32 *slots; // hash table of numbers; 0: free
    size_t slot_count;
    u64 refused; // how often a stack had no room
};

// Begins a table of so many stacks, with all memory that it will need.
void stack_table_begin(struct stack_table *table, size_t limit);
size_t stack_table_bytes(size_t limit);
// Returns the number of a stack, a new one if need be. 0: there is no room for it.
u32 stack_table_number(struct stack_table *table, const struct stack_place *place);
// Returns the stack of a number, or NULL.
const struct stack_place *stack_table_place(const struct stack_table *table, u64 number);
void stack_table_free(struct stack_table *table);

#endif
