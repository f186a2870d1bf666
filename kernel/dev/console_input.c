// SPDX-License-Identifier: MIT
// Console input: the device's interrupt moves what was typed into a buffer, from which processes
// read. If somebody wants to be told of Ctrl-C, it drops what waits in the buffer, and they are
// told at once. It is input as well, so that a line's reader sees it between what came before and
// after.
#include "console_device.h"

#include <kernel/hcall.h>
#include <kernel/irq.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <string.h>

#define INPUT_BYTES 4096 // power of two
#define PIECE_BYTES 16   // of one hypercall
#define CONTROL_C 3

static struct {
    struct spinlock lock; // guards everything here
    char bytes[INPUT_BYTES];
    u32 head, tail; // ever put, ever taken, modulo 2^32
    bool started;
    struct process *process; // held; is told
    u64 typed_bits, interrupt_bits;
    u32 cpu;
} input = {.lock = SPINLOCK_INIT("console input", RANK_SERVICE)};

static void put(char c, u64 *kick)
{
    if (c == CONTROL_C && input.interrupt_bits != 0) {
        input.tail = input.head;
        *kick |= input.interrupt_bits;
    }
    input.bytes[input.head++ % INPUT_BYTES] = c;
    *kick |= input.typed_bits;
}

// Takes from the device what there is room for; the rest stays there. Returns the bits to kick. The
// caller holds the lock.
static u64 drain(void)
{
    u64 kick = 0;

    while (INPUT_BYTES - (input.head - input.tail) >= PIECE_BYTES) {
        const u64 arguments[8] = {console_device.unit};
        u64 out[4];
        char piece[PIECE_BYTES];
        if (hcall(H_GET_TERM_CHAR, arguments, out) != H_SUCCESS || out[0] == 0)
            break;
        memcpy(piece, &out[1], sizeof(piece));
        for (u64 i = 0; i < out[0] && i < sizeof(piece); i++)
            put(piece[i], &kick);
    }
    return kick;
}

// Kicks the listener, if there is one. Lock held.
static void input_tell(u64 bits)
{
    struct dispatcher *dispatcher = NULL;

    if (input.process != NULL && bits != 0)
        dispatcher = process_dispatcher(input.process, input.cpu);
    if (dispatcher != NULL)
        dispatcher_kick(dispatcher, bits);
}

static void input_on_interrupt(void *argument)
{
    (void)argument;
    spin_lock(&input.lock);
    input_tell(drain());
    spin_unlock(&input.lock);
}

// Starts input, at the first use. E_NOTSUP: the console cannot interrupt.
static s64 input_start(void)
{
    spin_lock(&input.lock);
    bool first = !input.started;
    input.started = true;
    spin_unlock(&input.lock);
    if (!first)
        return 0;
    if (console_device.irq == 0)
        return E_NOTSUP;
    return irq_register(console_device.irq, cpu_id(), input_on_interrupt, NULL);
}

s64 sys_console_type(const char *bytes, u64 count)
{
    u64 taken = 0, kick = 0;

    spin_lock(&input.lock);
    while (taken < count && INPUT_BYTES - (input.head - input.tail) > PIECE_BYTES)
        put(bytes[taken++], &kick);
    input_tell(kick);
    spin_unlock(&input.lock);
    return (s64)taken;
}

s64 sys_console_read(char *buffer, u64 bytes)
{
    u64 count = 0;

    s64 error = input_start();
    if (error != 0)
        return error;
    spin_lock(&input.lock);
    input_tell(drain()); // also what came before the first use, and what there was no room for
    while (count < bytes && input.tail != input.head)
        buffer[count++] = input.bytes[input.tail++ % INPUT_BYTES];
    spin_unlock(&input.lock);
    return (s64)count;
}

// Makes process (held for it, or NULL) the one that is told. Gives the one before back.
static void replace(struct process *process, u64 typed_bits, u64 interrupt_bits)
{
    spin_lock(&input.lock);
    struct process *before = input.process;
    input.process = process;
    input.typed_bits = typed_bits;
    input.interrupt_bits = interrupt_bits;
    input.cpu = cpu_id();
    spin_unlock(&input.lock);
    if (before != NULL)
        process_put(before);
}

static void listener_ends(struct process *process)
{
    if (input.process == process)
        replace(NULL, 0, 0);
}
PROCESS_END_HOOK(listener_ends);

s64 sys_console_kick(u64 typed_bits, u64 interrupt_bits)
{
    struct process *process = process_current();

    if (process == NULL)
        return E_NOTSUP;
    s64 error = input_start();
    if (error != 0)
        return error;
    if ((typed_bits | interrupt_bits) == 0) {
        listener_ends(process);
        return 0;
    }
    process_hold(process);
    replace(process, typed_bits, interrupt_bits);
    return 0;
}
