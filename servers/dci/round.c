// SPDX-License-Identifier: MIT
// Rounds: many processes are asked at once, each within its limits.
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

// Adds visits until there is no room. In a round over all processes, one that has failed lately is
// not asked again. A round over that process alone asks it.
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

// Asks the visits that wait for a question: those with few questions so far, or the others. The few
// come first, so that a process with much to tell, or without end, keeps nobody else waiting.
static void ask_some(struct round *round, bool few)
{
    for (u32 i = 0; i < round->count && round->held < ROUND_BYTES_MAX; i++) {
        struct visit *visit = &round->visits[i];
        if (visit->question == NULL && visit->failure.error == 0 &&
            (visit->questions < FEW_QUESTIONS) == few)
            ask_next(round, visit);
    }
}

// Returns true if a process with few questions has not answered, and was asked not long ago.
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

// ---- answers ------------------------------------------------------------------------------------

// Checks the answer of a visit whose question is over, and notes its failure.
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

static void leave_out_ended(struct round *round)
{
    for (u32 i = 0; i < round->count;) {
        struct visit *visit = &round->visits[i];
        if (visit->question != NULL && visit->question->outcome == QUESTION_ENDED)
            remove_visit(round, visit);
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
    ask_some(round, true);
    // This server does the work for long answers, and is more urgent than the processes it asks.
    if (!few_think(round, now))
        ask_some(round, false);
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
    take_processes(round, sys_time()); // shows whether it was the last one
}

// Moves a visit on after an answer. Returns false if it is over.
static bool advance(const struct round_kind *kind, struct visit *visit)
{
    const struct sys_inspect_answer *answer = &visit->question->answer;

    if (kind->lists == 0)
        return kind->advance != NULL && kind->advance(visit);
    if (answer->status > 0 && answer->results[1] == 0) {
        visit->cursor = answer->results[0];
        return kind->advance == NULL || kind->advance(visit);
    }
    visit->cursor = 0;
    visit->place = (struct answer_place){0};
    return ++visit->part < kind->lists;
}

void round_used(struct round *round, struct visit *visit)
{
    bool good = visit->failure.error == 0;

    if (good && advance(round->kind, visit)) {
        question_drop(visit->question);
        visit->question = NULL;
        visit->judged = false;
        return;
    }
    if (good)
        failure_clear(visit->pid);
    round_leave(round, visit);
}
