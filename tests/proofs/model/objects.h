// SPDX-License-Identifier: MIT
// Endpoints, processes and memory objects as capabilities see them: an address, a kind,
// and a count of references.
// None is ever looked into, so their addresses are numbers and not objects of C: whoever follows
// one is found.
#ifndef TESTS_PROOFS_MODEL_OBJECTS_H
#define TESTS_PROOFS_MODEL_OBJECTS_H

#include <kernel/address_space.h>
#include <kernel/capability.h>
#include <orrery/errors.h>

#include "model/proof.h"

#define OBJECTS 3
#define OBJECTS_BASE 0x100000UL
#define OBJECT_BYTES 0x100UL
#define OBJECT_AT(number) ((void *)(OBJECTS_BASE + OBJECT_BYTES * (number)))

static const u32 object_kind[OBJECTS] = {CAPABILITY_ENDPOINT, CAPABILITY_PROCESS,
                                         CAPABILITY_MEMORY};
static s64 object_held[OBJECTS];      // references there are
static s64 object_accounted[OBJECTS]; // how often it is in its holder's account

// The number of a live object of a kind.
static u32 object_number(const void *object, u32 kind)
{
    u64 offset = (u64)object - OBJECTS_BASE;
    u32 number = (u32)(offset / OBJECT_BYTES);

    //@ check is_an_object: offset % OBJECT_BYTES == 0 && number < OBJECTS;
    //@ check of_its_kind: object_kind[number] == kind;
    //@ check has_not_ended: object_held[number] > 0;
    return number;
}

static void object_hold(const void *object, u32 kind)
{
    object_held[object_number(object, kind)]++;
}

static void object_put(const void *object, u32 kind)
{
    object_held[object_number(object, kind)]--;
}

void endpoint_hold(struct endpoint *endpoint)
{
    object_hold(endpoint, CAPABILITY_ENDPOINT);
}

void endpoint_put(struct endpoint *endpoint)
{
    object_put(endpoint, CAPABILITY_ENDPOINT);
}

void process_hold(struct process *process)
{
    object_hold(process, CAPABILITY_PROCESS);
}

void process_put(struct process *process)
{
    object_put(process, CAPABILITY_PROCESS);
}

void fcm_hold(struct fcm *fcm)
{
    object_hold(fcm, CAPABILITY_MEMORY);
}

void fcm_put(struct fcm *fcm)
{
    object_put(fcm, CAPABILITY_MEMORY);
}

s64 space_hold(struct address_space *space, struct fcm *memory)
{
    u32 number = object_number(memory, CAPABILITY_MEMORY);

    (void)space;
    if (EITHER())
        return E_LIMIT;
    object_accounted[number]++;
    return 0;
}

void space_let_go(struct address_space *space, struct fcm *memory)
{
    (void)space;
    object_accounted[object_number(memory, CAPABILITY_MEMORY)]--;
}

void monitor_hold(struct monitor *monitor)
{
    object_hold(monitor, CAPABILITY_MONITOR);
}

void monitor_put(struct monitor *monitor)
{
    object_put(monitor, CAPABILITY_MONITOR);
}

#endif
