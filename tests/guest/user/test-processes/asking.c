// SPDX-License-Identifier: MIT
// Questions of the monitor that nobody waits for: open, answered, out of time,
// of processes that end.
#include "tests.h"

#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <stdio.h>
#include <trace/events.h>
#include <trace/layout.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

static u8 bytes[INSPECT_BYTES];
static struct sys_inspect_answer answer;
static struct thread *asker;

static void kicked(void)
{
    thread_unpark(asker);
}

static s64 ask(s64 pid, u64 patience_us, u64 kick)
{
    struct sys_inspect_question question = {.pid = (u32)pid,
                                            .operation = INSPECT_CLASS,
                                            .arguments = {0, sizeof(struct sys_class)},
                                            .patience_us = patience_us,
                                            .kick = kick};
    return sys_inspect_ask(&question);
}

static s64 answer_to(s64 pid, s64 question)
{
    return sys_inspect_answer((u32)pid, (u64)question, &answer, bytes, sizeof(bytes));
}

static s64 final_answer_to(s64 pid, s64 question)
{
    s64 result;

    while ((result = answer_to(pid, question)) == E_AGAIN)
        thread_sleep_us(1000);
    return result;
}

static void an_answer_kicks_its_asker(void)
{
    s64 pid = start_ready("sleep", cpus() - 1);
    s64 bit = user_on_kick(kicked);
    s64 result = E_AGAIN;

    asker = thread_current();
    u64 before = time_now();
    s64 question = ask(pid, 0, 1UL << bit);
    expect(question > 0 && bit > 0, "a question", question);
    while (result == E_AGAIN) {
        thread_park(
            time_after_us(10000000)); // far beyond the time of any answer: only the kick ends it
        result = answer_to(pid, question);
    }
    expect(result == sizeof(struct sys_class), "a class is the answer", result);
    expect(answer.status == result, "as the process says", answer.status);
    expect(answer.time >= before && answer.time <= time_now(), "and when", 0);
    expect(answer_to(pid, question) == E_NOENT, "which closes the question", 0);
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "a process that has answered ends", pid);
    expect(ask(pid, 0, 0) == E_NOENT, "and cannot be asked", 0);
}

// Time may pass here at any instruction,
// so a question may be out of its time sooner than looked at.
static void a_question_is_open_until_its_time_is_over(void)
{
    s64 pid = start_ready("stuck", cpus() - 1);
    u64 end = time_after_us(INSPECT_PATIENCE_US);
    s64 question = ask(pid, 0, 0);
    expect(question > 0, "a question to one that is stuck", question);
    s64 second = ask(pid, 0, 0);
    s64 other = answer_to(pid, question + 1);
    s64 early = answer_to(pid, question), looked = sys_inspect_poll((u32)pid, (u64)question);
    bool in_time = time_now() < end;
    expect(!in_time || second == E_BUSY, "one question at a time", second);
    expect(other == E_NOENT, "the number of another question", other);
    expect(!in_time || early == E_AGAIN, "no answer yet", early);
    expect(!in_time || looked == E_AGAIN, "nor is it over", looked);
    if (early == E_AGAIN)
        expect(final_answer_to(pid, question) == E_TIMEOUT, "no answer in its time", question);
    expect(time_now() >= end, "and not before", 0);
    expect(answer_to(pid, question) == E_NOENT, "that is told once", 0);
    expect(ask(pid, 0, 0) == E_TIMEOUT, "it has not seen the last question", 0);
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "one that is stuck can be ended", pid);
}

static void a_process_ends_while_it_is_asked(void)
{
    s64 pid = start_ready("stuck", cpus() - 1);
    s64 question = ask(pid, 0, 0);
    expect(question > 0, "a question to one that will end", question);
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "its end", pid);
    s64 result = final_answer_to(pid, question);
    expect(result == E_PEER, "is the answer", result);
}

static void what_was_not_taken_is_not_answered(void)
{
    s64 pid = start_ready("early", cpus() - 1);
    s64 question = ask(pid, 0, 0);
    expect(question == 1, "the first question to one that guesses its number", question);
    s64 result = final_answer_to(pid, question);
    expect(result == E_TIMEOUT, "is not answered by that", result);
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "one that guesses can be ended", pid);
}

static s64 request(s64 pid, u32 operation, u64 first, u64 second)
{
    struct sys_inspect_request request = {
        .pid = (u32)pid, .operation = operation, .arguments = {first, second}};
    return sys_process_inspect(&request, bytes, TRACE_SUBBUFFER_SIZE);
}

static s64 read_packet(s64 pid, u32 cpu)
{
    return request(pid, INSPECT_TRACE_READ, cpu, true);
}

static s64 set_trace(s64 pid, u64 mask, u64 mode)
{
    return request(pid, INSPECT_TRACE_MASK, mask, mode);
}

// Packets of a process begin anew when its rings do, which they do with a mode only.
static void packets_begin_anew_with_a_mode(void)
{
    s64 pid = start_ready("first-packets", cpus() - 1), result = read_packet(pid, 0);
    // A kernel without a trace hands out what the process says.
    s64 repeated = sys_trace_process_mask() == E_NOTSUP ? TRACE_SUBBUFFER_SIZE : E_PROTO;

    expect(result > 0, "the first packet", result);
    result = read_packet(pid, 0);
    expect(result == repeated, "the first packet again", result);
    result = set_trace(pid, 0, 0);
    expect(result == 0, "another mask", result);
    result = read_packet(pid, 0);
    expect(result == repeated, "the first packet again, of the same rings", result);
    result = set_trace(pid, 0, SYS_TRACE_DISCARD);
    expect(result == 0, "other rings", result);
    result = read_packet(pid, 0);
    expect(result > 0, "the first packet of other rings", result);
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "one that hands out packets can be ended", pid);
}

static u32 events_of_packet(void)
{
    return TRACE_BE32(((const struct trace_packet *)(const void *)bytes)->event_count);
}

// Asks for a packet within so little time that it comes too late.
// Returns the events of those that came in time.
static u64 let_a_packet_be_late(s64 pid, u32 cpu)
{
    struct sys_inspect_question question = {.pid = (u32)pid,
                                            .operation = INSPECT_TRACE_READ,
                                            .arguments = {cpu, true},
                                            .patience_us = 1};
    u64 events = 0;
    s64 result = 1;

    while (result > 0) {
        s64 number = sys_inspect_ask(&question);
        expect(number > 0, "a question without time for it", number);
        result = number > 0 ? final_answer_to(pid, number) : number;
        events += result > 0 ? events_of_packet() : 0;
    }
    expect(result == E_TIMEOUT, "no answer in so little time", result);
    return events;
}

// As long as it has not even seen the last question it cannot be asked.
static s64 request_after_late_one(s64 pid, u32 operation, u64 first)
{
    s64 result;

    while ((result = request(pid, operation, first, 0)) == E_TIMEOUT)
        thread_sleep_us(1000);
    return result;
}

// Its events are unread until the next reader gets them; with other rings they are gone,
// and the packets of these count anew.
static void a_packet_that_is_late_is_kept(void)
{
    u32 cpu = cpus() - 1;
    s64 pid = start_ready("sleep", cpu);
    const u64 mask = 1UL << TRACE_MAJOR_USER; // each question makes threads switch
    s64 result = set_trace(pid, mask, SYS_TRACE_DISCARD);
    expect(result == 0, "a trace", result);
    u64 events = let_a_packet_be_late(pid, cpu);
    result = request_after_late_one(pid, INSPECT_TRACE_STAT, cpu);
    const struct sys_trace_stat *stat = (const void *)bytes;
    expect(result == sizeof(*stat), "its counts", result);
    expect(stat->unread > 0 && stat->events == events + stat->unread, "all that it logged",
           (s64)stat->unread);
    result = read_packet(pid, cpu);
    expect(result > 0 && events_of_packet() > 0, "the late packet", result);
    let_a_packet_be_late(pid, cpu);
    result = request_after_late_one(pid, INSPECT_TRACE_STAT, cpu);
    expect(result > 0, "an answer that is in time", result);
    result = set_trace(pid, mask, SYS_TRACE_DISCARD);
    expect(result == 0, "other rings", result);
    for (u32 i = 0; i < 3; i++) {
        result = read_packet(pid, cpu);
        expect(result > 0, "a packet of other rings", result);
    }
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "one that is traced can be ended", pid);
}

// Numbers whose low halves would be good ones, too.
static void absurd_numbers_change_nothing(void)
{
    static const u32 operations[] = {INSPECT_TRACE_STAT, INSPECT_TRACE_READ, INSPECT_MOVE};
    u32 cpu = cpus() - 1;
    const u64 absurd[] = {ORRERY_MAX_CPUS, 1UL << 32 | cpu, UINT64_MAX};
    const u64 mask = 1UL << TRACE_MAJOR_USER;
    s64 pid = start_ready("sleep", cpu);
    s64 result = set_trace(pid, mask, SYS_TRACE_DISCARD);
    expect(result == 0, "a trace", result);
    for (u32 i = 0; i < ARRAY_SIZE(operations) * ARRAY_SIZE(absurd); i++) {
        u64 number = absurd[i / ARRAY_SIZE(operations)];
        result = request(pid, operations[i % ARRAY_SIZE(operations)], number, true);
        expect(result == E_INVAL, "a CPU that there is not", result);
    }
    result = read_packet(pid, cpu);
    expect(result > 0, "its first packet", result);
    result = set_trace(pid, UINT64_MAX, SYS_TRACE_DISCARD);
    expect(result == E_INVAL, "majors that there are not", result);
    result = set_trace(pid, mask, 1UL << 32 | SYS_TRACE_DISCARD);
    expect(result == E_INVAL, "a mode that there is not", result);
    result = read_packet(pid, cpu);
    expect(result > 0, "the next packet of the same rings", result);
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "one that was asked for nonsense can be ended", pid);
}

void test_asking(void)
{
    an_answer_kicks_its_asker();
    a_question_is_open_until_its_time_is_over();
    a_process_ends_while_it_is_asked();
    what_was_not_taken_is_not_answered();
    packets_begin_anew_with_a_mode();
    a_packet_that_is_late_is_kept();
    absurd_numbers_change_nothing();
}
