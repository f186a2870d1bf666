// SPDX-License-Identifier: MIT
// Exceptions from user mode: interrupts, and those that the program's Process object has to deal
// with. Then what has to be done before user code goes on.
#include "user.h"

#include <co/object.h>
#include <kernel/console.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <trace/events.h>

#include "exception.h"
#include "proc/process.h"
#include "proc/thread.h"

#define PPC_BLR 0x4e800020u
#define PPC_OPCODE_B 18

_Static_assert(sizeof(struct frame) + FRAME_GPR <= USER_FRAME, "a frame fits");
_Static_assert(offsetof(struct percpu, user_work) == offsetof(struct percpu, soft_masked) + 4,
               "PERCPU_WORK");

void user_exit(struct frame *frame)
{
    struct percpu *cpu = percpu();

    while (cpu->user_work != 0) {
        struct dispatcher *self = cpu->dispatcher;
        cpu->user_work = 0;
        hard_unmask();
        if (self->ending)
            dispatcher_end();
        if (self->news != 0)
            dispatcher_deliver(self, frame);
        if (self->thread->member.generation != 0)
            co_thread_exit(&self->thread->member);
        hard_mask();
    }
}

void user_exception(struct frame *frame)
{
    trace_exc_enter(frame->vector, frame->pc, frame->dar);
    if (frame->vector == VECTOR_EXTERNAL || frame->vector == VECTOR_DECREMENTER) {
        struct dispatcher *self = percpu()->dispatcher;
        self->interrupted_user = true;
        interrupt_handle(frame);
        self->interrupted_user = false;
    } else if (frame->vector == VECTOR_RESET) {
        panic_reset(frame);
    } else if (frame->vector == VECTOR_MACHINE_CHECK) {
        panic_with_frame(frame, "machine check in user mode");
    } else {
        CO_CALL(struct process_rep, percpu()->process, exception, frame);
    }
    trace_exc_exit(frame->vector);
    if (percpu()->user_work != 0)
        user_exit(frame);
}

// The same rule as in the kernel (rseq.c). The instruction is read where it has just been fetched.
u64 user_rollback(const struct sys_process_image *image, u64 pc)
{
    u32 instruction;

    if (pc < image->rseq_start || pc >= image->rseq_end)
        return pc;
    if (safe_read(&instruction, (const void *)pc, sizeof(instruction)) != 0)
        return pc;
    if (instruction == PPC_BLR || instruction >> 26 == PPC_OPCODE_B)
        return pc;
    u64 slot = pc < image->rseq32_start ? 128 : 32;
    return pc & ~(slot - 1);
}

void user_report(const struct frame *frame, const char *why)
{
    const struct process *process = process_current();
    u64 offset;
    const char *access = exception_null_access(frame, &offset);

    kprintf("process %u (%s) on CPU %u: ", process->pid, process->name, cpu_id());
    if (access != NULL)
        kprintf("NULL pointer: %s at offset %#lx, ", access, offset);
    kprintf("%s, vector %#lx\n"
            "  pc %016lx  lr %016lx  dar %016lx  dsisr %08lx\n",
            why, frame->vector, frame->pc, frame->lr, frame->dar, frame->dsisr);
}

void user_report_registers(const struct frame *frame)
{
    for (u32 i = 0; i < 32; i += 4)
        kprintf("  r%-2u %016lx %016lx %016lx %016lx\n", i, frame->gpr[i], frame->gpr[i + 1],
                frame->gpr[i + 2], frame->gpr[i + 3]);
}
