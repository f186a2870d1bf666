// SPDX-License-Identifier: MIT
// traced CALLS PAGES: makes system calls that nobody else makes, and touches pages for the first
// time. Prints where they are: the trace must have as many.
#include <orrery/memory.h>
#include <orrery/process.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE_SIZE 4096 // of the machine
#define NO_CPU 0x7ace  // the argument by which the calls are known: E_INVAL

int main(int count, char **words)
{
    if (count != 3)
        return 2;
    u64 calls = strtoul(words[1], NULL, 0), pages = strtoul(words[2], NULL, 0);
    char *memory =
        mmap(NULL, pages * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    for (u64 i = 0; i < calls; i++)
        sys_dispatcher_kick(NO_CPU, 1);
    for (u64 i = 0; i < pages; i++)
        *(volatile char *)(memory + i * PAGE_SIZE) = 1;
    printf("%#lx %lu\n", (unsigned long)memory, (unsigned long)PAGE_SIZE);
    return 0;
}
