// SPDX-License-Identifier: MIT
// Raises interrupts by typing at consoles.
#include "interrupt.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "host_clock.h"

// QEMU's main loop takes the byte, mostly within 20 µs. It may be waiting for this CPU, so the wait
// is limited.
#define WAIT_NS 2000000
#define WAIT_STEP_NS 5000
#define AFTERWARDS_NS 20000 // from taking the byte to raising the interrupt

static const char *consoles; // NULL: there are none

void interrupt_consoles(const char *name)
{
    consoles = name;
}

static int connect_console(unsigned number)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s.%u", consoles, number);
    if (length < 0 || (size_t)length >= sizeof(address.sun_path))
        return -1;
    if (address.sun_path[0] == '@') // an abstract name, whose end is the address's length
        address.sun_path[0] = '\0';
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length);
    prctl(PR_SET_TIMERSLACK, 1); // this thread's sleeps last microseconds; by default 50 more
    int new = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (new >= 0 && connect(new, (struct sockaddr *)&address, bytes) != 0) {
        close(new);
        return -1;
    }
    return new;
}

bool interrupt_possible(struct vcpu *cpu)
{
    if (cpu->console < 0 && consoles)
        cpu->console = connect_console(cpu->number);
    return cpu->console >= 0;
}

static void sleep_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static bool type(int console)
{
    u8 byte = 0;
    if (send(console, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
        return false;
    int queued = 1;
    u64 began = host_ns();
    while (ioctl(console, TIOCOUTQ, &queued) == 0 && queued && host_ns() - began < WAIT_NS)
        sleep_ns(WAIT_STEP_NS);
    sleep_ns(AFTERWARDS_NS);
    return true;
}

void interrupt_raise(struct vcpu *cpu)
{
    if (cpu->interrupted)
        return;
    cpu->interrupted = type(cpu->console);
    if (cpu->interrupted)
        guest_write(&cpu->slot->interrupts, ++cpu->interrupts);
}

void interrupt_taken(struct vcpu *cpu)
{
    cpu->interrupted = false;
}
