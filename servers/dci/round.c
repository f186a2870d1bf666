// SPDX-License-Identifier: MIT
// Rounds: many processes asked at once, each within its limits.
#include "round.h"

#include "system.h"

#include <orrery/errors.h>
#include <orrery/process.h>
#include <string.h>

struct round *round_begin(const struct round_kind *kind, dci_Scope scope, u32 pid)
{
    u32 max = scope == dci_Scope_SCOPE_ALL ? VISITS_MAX : 1;
    struct round *round = queue_memory_alloc(sizeof(*round) + max * sizeof(round->visits[0]));

    if (round == NULL)
        return NULL;
    round->kind = kind;
    round->max = max;
    round->scope = scope;
    round->only = pid;
    return round;
}

void round_end(struct round *round)
{
    if (round == NULL)
        return;
    for (u32 i = 0; i < round->count; i++)
        question_drop(round->visits[i].question);
    queue_memory_free(round);
}

bool round_over(const struct round *round)
{
    return round->listed && round->count == 0;
}

// ---- the processes ------------------------------------------------------------------------------

static bool next_of_scope(struct round *round, struct visit *visit)
{
    struct sys_process_info info;

    if (round->scope != dci_Scope_SCOPE_ALL) {
        visit->pid = round->only;
        return round->cursor++ == 0 && round->scope == dci_Scope_SCOPE_PROCESS && visit->pid != 0;
    }
    if (sys_process_list(&round->cursor, &info, sizeof(info)) <= 0)
        return false;
    visit->pid = info.pid;
    return true;
}

// Whoever failed of late is not asked for everybody once more;
// but for who wants to know of that one.
static void take_processes(struct round *round, u64 now)
{
    bool (*next)(struct round *, struct visit *) =
        round->kind->next != NULL ? round->kind->next : next_of_scope;

    while (!round->listed && round->count < round->max) {
        struct visit visit = {.room = ROOM_FIRST / 2};
        round->listed = !next(round, &visit);
        if (round->listed)
            return;
        if (round->scope == dci_Scope_SCOPE_ALL)
            failure_recent(visit.pid, now, &visit.failure);
        round->visits[round->count++] = visit;
    }
}

// ---- asking -------------------------------------------------------------------------------------

static void fail(struct visit *visit, struct failure failure)
{
    visit->failure = failure;
    failure_note(visit->pid, &visit->failure);
}

static bool has_told_enough(const struct round_kind *kind, const struct visit *visit)
{
    u32 questions = kind->questions_max != 0 ? kind->questions_max : LIST_QUESTIONS_MAX;
    u64 bytes = kind->bytes_max != 0 ? kind->bytes_max : LIST_BYTES_MAX;

    return visit->questions >= questions || visit->bytes >= bytes;
}

static void ask_next(struct round *round, struct visit *visit)
{
    u64 second = server_ticks(1000);
    u64 arguments[4] = {0};
    u32 room = visit->room < RECORDS_BYTES_MAX / 2 ? visit->room * 2 : RECORDS_BYTES_MAX;

    if (visit->spent >= second) {
        fail(visit, failure_with(E_TIMEOUT, "took longer than 1 s for its answers"));
        return;
    }
    if (has_told_enough(round->kind, visit)) {
        fail(visit, failure_with(E_LIMIT, "has more to tell than is taken of one process"));
        return;
    }
    u32 operation = round->kind->ask(round, visit, arguments, &room);
    visit->room = room;
    visit->questions++;
    visit->question = question_ask(visit->pid, operation, arguments, room, second - visit->spent);
    if (visit->question == NULL)
        visit->failure = failure_with(E_NOMEM, "could not be asked: the server is out of memory");
}

// Those that have told little come first: whoever tells much, or without end,
// keeps nobody else waiting.
static void ask_some(struct round *round, bool few)
{
    for (u32 i = 0; i < round->count && round->held < ROUND_BYTES_MAX; i++) {
        struct visit *visit = &round->visits[i];
        if (visit->question == NULL && visit->failure.error == 0 &&
            (visit->questions < FEW_QUESTIONS) == few)
            ask_next(round, visit);
    }
}

// Does somebody who has told little still think, and not for long?
static bool few_think(const struct round *round, u64 now)
{
    for (u32 i = 0; i < round->count; i++) {
        const struct visit *visit = &round->visits[i];
        if (visit->question != NULL && visit->question->outcome == QUESTION_OPEN &&
            visit->questions <= FEW_QUESTIONS &&
            now < visit->question->begin + server_ticks(HEAD_START_MS))
            return true;
    }
    return false;
}

// The work for long answers is this server's, which is more urgent than whoever it asks.
static void ask_all(struct round *round, u64 now)
{
    ask_some(round, true);
    if (!few_think(round, now))
        ask_some(round, false);
}

// ---- answers ------------------------------------------------------------------------------------

// The visit's question is over: is its answer one?
static void judge(struct round *round, struct visit *visit)
{
    struct question *question = visit->question;

    if (visit->judged)
        return;
    visit->judged = true;
    visit->spent += question->spent;
    visit->bytes += question->count;
    if (question->outcome == QUESTION_ANSWERED && question->answer.status < 0 &&
        question->answer.status == round->kind->nothing)
        question->answer.status = 0;
    struct failure failure = failure_of(question);
    enum answer_flaw flaw = ANSWER_SOUND;
    if (failure.error == 0 && round->kind->check != NULL && question->answer.status > 0)
        flaw = round->kind->check(visit, sys_time());
    if (flaw != ANSWER_SOUND)
        failure = failure_of_flaw(flaw);
    if (failure.error != 0)
        fail(visit, failure);
}

static void remove_visit(struct round *round, struct visit *visit)
{
    u32 place = (u32)(visit - round->visits);

    question_drop(visit->question);
    round->count--;
    memmove(visit, visit + 1, (round->count - place) * sizeof(*visit));
}

static u64 held_bytes(const struct round *round)
{
    u64 bytes = 0;

    for (u32 i = 0; i < round->count; i++)
        if (round->visits[i].question != NULL)
            bytes += round->visits[i].question->count;
    return bytes;
}

static bool has_ended(const struct visit *visit)
{
    return visit->question != NULL && visit->question->outcome == QUESTION_ENDED;
}

static void leave_out_ended(struct round *round)
{
    for (u32 i = 0; i < round->count;) {
        if (has_ended(&round->visits[i]))
            remove_visit(round, &round->visits[i]);
        else
            i++;
    }
}

static bool is_ready(const struct visit *visit)
{
    return visit->failure.error != 0 ||
           (visit->question != NULL && visit->question->outcome != QUESTION_OPEN);
}

struct visit *round_next(struct round *round)
{
    u64 now = sys_time();
    struct visit *found = NULL;

    take_processes(round, now);
    round->held = held_bytes(round);
    ask_all(round, now);
    if (round->scope == dci_Scope_SCOPE_ALL && !round->kind->tells_ended)
        leave_out_ended(round);
    for (u32 i = 0; i < round->count; i++) {
        struct visit *visit = &round->visits[i];
        if (is_ready(visit) && (found == NULL || visit->questions < found->questions))
            found = visit;
    }
    if (found != NULL && found->failure.error == 0)
        judge(round, found);
    return found;
}

void round_leave(struct round *round, struct visit *visit)
{
    remove_visit(round, visit);
    take_processes(round, sys_time()); // so that the last one is known to be the last
}

void round_used(struct round *round, struct visit *visit)
{
    if (visit->failure.error == 0 && round->kind->advance != NULL && round->kind->advance(visit)) {
        question_drop(visit->question);
        visit->question = NULL;
        visit->judged = false;
        return;
    }
    if (visit->failure.error == 0)
        failure_forget(visit->pid);
    round_leave(round, visit);
}

bool list_advance(struct visit *visit, u32 parts)
{
    const struct sys_monitor_answer *answer = &visit->question->answer;

    if (answer->status > 0 && answer->results[1] == 0) {
        visit->cursor = answer->results[0];
        return true;
    }
    visit->cursor = 0;
    visit->place = (struct answer_place){0};
    return ++visit->part < parts;
}
