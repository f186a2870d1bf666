// SPDX-License-Identifier: MIT
// The reasons of failures, in words, and the processes that have failed lately.
#include "failures.h"

#include "system.h"

#include <orrery/errors.h>
#include <stdio.h>
#include <string.h>

struct failure failure_with(s64 error, const char *text)
{
    struct failure failure = {.error = error, .time = sys_time()};

    snprintf(failure.text, sizeof(failure.text), "%s", text);
    return failure;
}

struct failure failure_of_flaw(enum answer_flaw flaw)
{
    char text[FAILURE_TEXT_BYTES];

    snprintf(text, sizeof(text), "answered nonsense: %s", answer_flaw_text(flaw));
    return failure_with(E_PROTO, text);
}

// Returns the failure for a status that a process has answered, which may be any number.
static struct failure refusal(s64 status)
{
    char text[FAILURE_TEXT_BYTES];

    if (status < E_NOTEMPTY)
        return failure_with(E_PROTO, "answered nonsense: an unknown error");
    snprintf(text, sizeof(text), "refused: %s", orrery_strerror(status));
    return failure_with(status, text);
}

struct failure failure_of(const struct question *question)
{
    switch (question->outcome) {
    case QUESTION_SILENT:
        return failure_with(E_TIMEOUT, "did not answer within 1 s");
    case QUESTION_ENDED:
        return failure_with(E_NOENT, "has ended");
    case QUESTION_UNHEARD:
        return failure_with(E_NOTSUP, "has not started, or has no library that answers");
    case QUESTION_BUSY:
        return failure_with(E_BUSY, "was kept from answering by others' questions for 1 s");
    case QUESTION_IMPOSSIBLE:
        return failure_with(question->error,
                            question->error == E_NOMEM
                                ? "could not be asked: the machine is out of memory"
                                : "could not be asked");
    case QUESTION_FALSE:
        return failure_with(E_PROTO, "answered nonsense: an impossible trace packet");
    case QUESTION_OPEN:
    case QUESTION_ANSWERED:
        break;
    }
    return question->answer.status < 0 ? refusal(question->answer.status) : (struct failure){0};
}

void failure_add(struct frame *frame, u32 field, const struct failure *failure)
{
    dci_ProcessFailure to = {
        .error = (s32)failure->error, .time = failure->time, .again = failure->again};

    memcpy(to.message, failure->text, sizeof(to.message));
    frame_record(frame, field, dci_ProcessFailure_fields, &to);
}

// ---- recent failures ---------------------------------------------------------------------------

static struct {
    u32 pid;   // 0: nobody
    u32 times; // in a row
    struct failure failure;
} recent[FAILURES_MAX];
static u32 next_place; // the oldest note

static u32 place_of(u32 pid)
{
    u32 i = 0;

    while (i < FAILURES_MAX && recent[i].pid != pid)
        i++;
    return i;
}

void failure_note(u32 pid, struct failure *failure)
{
    if (failure->error != E_TIMEOUT && failure->error != E_PROTO)
        return;
    u32 place = place_of(pid);
    if (place == FAILURES_MAX) {
        place = next_place;
        next_place = (next_place + 1) % FAILURES_MAX;
        recent[place].times = 0;
    }
    u64 seconds = (u64)FAILURE_SECONDS << recent[place].times;
    if (seconds < FAILURE_SECONDS_MAX)
        recent[place].times++;
    else
        seconds = FAILURE_SECONDS_MAX;
    failure->again = failure->time + server_ticks(seconds * 1000);
    recent[place].pid = pid;
    recent[place].failure = *failure;
}

void failure_clear(u32 pid)
{
    u32 place = place_of(pid);

    if (place < FAILURES_MAX)
        recent[place].pid = recent[place].times = 0;
}

bool failure_recent(u32 pid, u64 now, struct failure *failure)
{
    u32 place = place_of(pid);

    if (place == FAILURES_MAX || now >= recent[place].failure.again)
        return false;
    *failure = recent[place].failure;
    return true;
}
