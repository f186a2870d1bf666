// SPDX-License-Identifier: MIT
// The questions that are under way. The kernel takes one for each process. A question is looked at
// when the kernel says so or its time is over.
#include "questions.h"

#include "kick.h"

#include "queue.h"
#include "system.h"

#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <string.h>

// Between two looks, while others' questions are in the way, or nothing wakes the loop.
#define POLL_MS 1

static struct question *first;
static u8 taken[INSPECT_BYTES] __attribute__((aligned(8)));
// The question whose packet is still in `taken`, because memory is short. The packet is nowhere
// else, so nothing more is taken meanwhile.
static struct question *holder;
static bool held; // there was a holder after the last look

// Returns true if the kernel has a question to this process.
static bool is_asked(u32 pid)
{
    for (const struct question *one = first; one != NULL; one = one->next)
        if (one->pid == pid && one->number != 0 && one->outcome == QUESTION_OPEN)
            return true;
    return false;
}

static void conclude(struct question *question, enum question_outcome outcome, s64 error)
{
    question->outcome = outcome;
    question->error = error;
}

// ---- asking -------------------------------------------------------------------------------------

// Puts a question to the kernel.
static void put_question(struct question *question, u64 now)
{
    u64 microseconds = question->patience / (server_system.timebase_hz / 1000000);
    struct sys_inspect_question asked = {.pid = question->pid,
                                         .operation = question->operation,
                                         .patience_us = microseconds > 0 ? microseconds : 1,
                                         .kick = kick_bits(KICK_ANSWER)};

    memcpy(asked.arguments, question->arguments, sizeof(asked.arguments));
    s64 number = sys_inspect_ask(&asked);
    if (number > 0) {
        question->number = number;
        question->begin = now;
    } else if (number == E_NOENT || number == E_PEER) {
        conclude(question, QUESTION_ENDED, 0);
    } else if (number == E_NOTSUP) {
        conclude(question, QUESTION_UNHEARD, 0);
    } else if (number == E_TIMEOUT) {
        conclude(question, QUESTION_SILENT, 0);
    } else if (number != E_BUSY) {
        conclude(question, QUESTION_IMPOSSIBLE, number);
    } else if (now >= question->begin + question->patience) {
        conclude(question, QUESTION_BUSY, 0);
    }
}

// Puts a question to the kernel, unless another one to the process is open.
static void try_question(struct question *question, u64 now)
{
    if (!is_asked(question->pid))
        put_question(question, now);
    else if (now >= question->begin + question->patience)
        conclude(question, QUESTION_BUSY, 0);
}

struct question *question_ask(u32 pid, u32 operation, const u64 arguments[4], u32 room,
                              u64 patience)
{
    struct question *question = queue_memory_alloc(sizeof(*question));

    if (question == NULL)
        return NULL;
    question->pid = pid;
    question->operation = operation;
    question->room = room;
    question->patience = patience;
    question->begin = sys_time();
    memcpy(question->arguments, arguments, sizeof(question->arguments));
    question->next = first;
    first = question;
    try_question(question, question->begin);
    return question;
}

// ---- the answer ---------------------------------------------------------------------------------

// Gives the bytes in `taken` to their holder. Without memory a trace packet stays there; the bytes
// of another answer are given up.
static void keep_bytes(void)
{
    struct question *question = holder;
    bool wanted = question->count > 0 && !question->unwanted;

    if (wanted)
        question->bytes = queue_memory_alloc(question->count);
    bool lacking = wanted && question->bytes == NULL;
    if (lacking && question->operation == INSPECT_TRACE_READ)
        return;
    if (question->bytes != NULL)
        memcpy(question->bytes, taken, question->count);
    conclude(question, lacking ? QUESTION_IMPOSSIBLE : QUESTION_ANSWERED, lacking ? E_NOMEM : 0);
    question->count = lacking ? 0 : question->count;
    holder = NULL;
}

// Takes the answer to a question, if there is one.
static void poll_question(struct question *question, u64 now)
{
    if (sys_inspect_poll(question->pid, (u64)question->number) == E_AGAIN)
        return;
    s64 result = sys_inspect_answer(question->pid, (u64)question->number, &question->answer, taken,
                                    question->room);
    if (result == E_AGAIN)
        return;
    // now is when the loop began its round, which may be before `begin`.
    u64 end = result >= 0 ? question->answer.time : now;
    question->spent = end > question->begin ? end - question->begin : 0;
    if (result >= 0) {
        question->count = (u32)result;
        holder = question;
        keep_bytes();
    } else if (result == E_PEER) {
        conclude(question, QUESTION_ENDED, 0);
    } else if (result == E_TIMEOUT) {
        conclude(question, QUESTION_SILENT, 0);
    } else if (result == E_NOENT) { // this server was held up so long that another asker came
        conclude(question, QUESTION_BUSY, 0);
    } else if (result == E_PROTO) {
        conclude(question, QUESTION_FALSE, 0);
    } else {
        conclude(question, QUESTION_IMPOSSIBLE, result);
    }
}

static void free_question(struct question *question)
{
    if (question->bytes != NULL)
        queue_memory_free(question->bytes);
    queue_memory_free(question);
}

void question_drop(struct question *question)
{
    if (question == NULL)
        return;
    question->unwanted = true;
    if (question->outcome == QUESTION_OPEN && question->number != 0)
        return; // freed once the kernel has answered it
    struct question **link = &first;
    while (*link != question)
        link = &(*link)->next;
    *link = question->next;
    free_question(question);
}

static void drop_unwanted(void)
{
    struct question **link = &first;

    while (*link != NULL) {
        struct question *question = *link;
        if (question->unwanted && question->outcome != QUESTION_OPEN) {
            *link = question->next;
            free_question(question);
        } else {
            link = &question->next;
        }
    }
}

u64 questions_work(u64 now)
{
    bool come = kick_come(KICK_ANSWER) || held, any = false;
    u64 next = UINT64_MAX;

    for (struct question *one = first; one != NULL; one = one->next) {
        if (one->outcome != QUESTION_OPEN)
            continue;
        if (one->number == 0)
            try_question(one, now);
        else if (one == holder)
            keep_bytes();
        else if (holder == NULL &&
                 (come || kick_bits(KICK_ANSWER) == 0 || now >= one->begin + one->patience))
            poll_question(one, now);
        any |= one->outcome != QUESTION_OPEN;
        bool woken = one->number != 0 && kick_bits(KICK_ANSWER) != 0 && holder == NULL;
        u64 time = woken ? one->begin + one->patience : now + server_ticks(POLL_MS);
        next = time < next ? time : next;
    }
    drop_unwanted();
    held = holder != NULL;
    return any ? now : next; // a request waits for each question that is over
}
