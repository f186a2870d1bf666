// SPDX-License-Identifier: MIT
// The system call that swaps an object of the kernel, and what it tells when it cannot.
#include <co/manager.h>
#include <co/swap.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *bytes;
    u64 room, length;
};

static void __attribute__((format(printf, 2, 3)))
add_text(struct text *text, const char *format, ...)
{
    va_list arguments;

    if (text->length >= text->room)
        return;
    va_start(arguments, format);
    int count = vsnprintf(text->bytes + text->length, text->room - text->length, format, arguments);
    va_end(arguments);
    text->length += count > 0 ? (u64)count : 0;
}

static void tell_called_off(struct text *text, const struct co_swap_report *report, u64 us)
{
    add_text(text, "called off after %llu ms: ", (unsigned long long)(us / 1000));
    if (report->earlier)
        add_text(text, "a thread goes on that may be in a call from before the swap");
    if (report->earlier && report->calls != 0)
        add_text(text, "; ");
    if (report->calls != 0)
        add_text(text, "%llu calls are inside", (unsigned long long)report->calls);
    else if (!report->earlier)
        add_text(text, "calls went in and out without a pause");
    for (u32 i = 0; i < report->named; i++)
        add_text(text, "%s thread %u in method %u", i == 0 ? ":" : ",", report->inside[i].thread,
                 report->inside[i].method);
}

static const char *reason(s64 error)
{
    switch (error) {
    case E_INVAL:
        return "no object can have this number, or the time is not between 1 us and 1 s";
    case E_STALE:
        return "the object is gone";
    case E_NOTSUP:
        return "objects of its implementation cannot be swapped";
    case E_NOENT:
        return "it cannot become that";
    case E_EXIST:
        return "it is of this implementation already";
    case E_BUSY:
        return "another swap is under way, or somebody is still inside one that was called off";
    default:
        return orrery_strerror((long)error);
    }
}

s64 sys_object_swap(const struct sys_swap *swap, char *message, u64 bytes)
{
    struct text text = {.bytes = message, .room = bytes};
    struct co_swap_report report;

    if (bytes != 0)
        message[0] = '\0';
    if (memchr(swap->implementation, '\0', sizeof(swap->implementation)) == NULL)
        return E_INVAL;
    u64 us = swap->microseconds != 0 ? swap->microseconds : CO_SWAP_MICROSECONDS;
    s64 error = co_swap(swap->coid, swap->implementation, us, &report);
    if (error == E_TIMEOUT)
        tell_called_off(&text, &report, us);
    else if (error != 0)
        add_text(&text, "%s", reason(error));
    return error;
}
