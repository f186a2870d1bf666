// SPDX-License-Identifier: MIT
// Making TLBs forget user translations: tlbie reaches all CPUs, tlbiel this one.
#include "radix.h"

#define IS_PID 0x400UL // all entries of the PID in RS
#define IS_ALL 0x800UL // all entries of this machine
#define PID_OF(pid) ((u64)(pid) << 32)

// Operands: RB, RS, RIC (0: TLB, 2: everything cached of the tables too), PRS (process scoped),
// R (radix).
void mmu_flush_page(u32 pid, u64 virtual, bool local)
{
    u64 rb = virtual & ~0xfffUL;

    if (local)
        __asm__ volatile("ptesync\n"
                         ".machine push\n.machine power9\n"
                         "tlbiel %0,%1,0,1,1\n"
                         ".machine pop\n"
                         "ptesync" ::"r"(rb),
                         "r"(PID_OF(pid))
                         : "memory");
    else
        __asm__ volatile("ptesync\n"
                         ".machine push\n.machine power9\n"
                         "tlbie %0,%1,0,1,1\n"
                         ".machine pop\n"
                         "eieio\ntlbsync\nptesync" ::"r"(rb),
                         "r"(PID_OF(pid))
                         : "memory");
}

void mmu_flush_pid(u32 pid, bool local)
{
    if (local)
        __asm__ volatile("ptesync\n"
                         ".machine push\n.machine power9\n"
                         "tlbiel %0,%1,2,1,1\n"
                         ".machine pop\n"
                         "ptesync" ::"r"(IS_PID),
                         "r"(PID_OF(pid))
                         : "memory");
    else
        __asm__ volatile("ptesync\n"
                         ".machine push\n.machine power9\n"
                         "tlbie %0,%1,2,1,1\n"
                         ".machine pop\n"
                         "eieio\ntlbsync\nptesync" ::"r"(IS_PID),
                         "r"(PID_OF(pid))
                         : "memory");
}

void mmu_flush_all(void)
{
    __asm__ volatile("ptesync\n"
                     ".machine push\n.machine power9\n"
                     "tlbie %0,%1,2,1,1\n"
                     ".machine pop\n"
                     "eieio\ntlbsync\nptesync" ::"r"(IS_ALL),
                     "r"(0UL)
                     : "memory");
}

u32 mmu_current_pid(void)
{
    u64 pid;

    __asm__ volatile("mfspr %0,48" : "=r"(pid));
    return (u32)pid;
}

void mmu_set_pid(u32 pid)
{
    __asm__ volatile("mtspr 48,%0\nisync" ::"r"((u64)pid) : "memory");
}
