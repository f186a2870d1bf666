// SPDX-License-Identifier: MIT
// Plays a tape: decides what comes when. player_answers.c keeps the answers. All of it has come by
// the time that the tape is opened, as if it had ended just then. What another kov adds to the tape
// meanwhile comes at its time.
#include "gateway/player.h"
#include "gateway/player_answers.h"
#include "gateway/tape.h"
#include "tools/clock.h"
#include "tools/kov.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <orrery/errors.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct player {
    struct tape_reader tape;
    bool has_next; // the tape's record is not yet played
    bool ended;
    bool began;        // a connection has been played
    char problem[256]; // why it has ended; "": it has not
    u64 duration;      // of the tape when it was opened, in ns
    double origin;     // clock_now() of the tape's begin
    double present;    // clock_now() of the record that was played last
    struct answers answers;
    u32 news;
};

// ---- the tape ----------------------------------------------------------------------------------

static const char *why_ended(enum tape_result result)
{
    switch (result) {
    case TAPE_CUT:
        return "the recording ends here; its last record was cut off";
    case TAPE_DAMAGED:
        return "the recording is damaged, and ends here";
    default:
        return "the recording ends here";
    }
}

static void advance(struct player *player)
{
    enum tape_result result = tape_next(&player->tape);
    player->has_next = result == TAPE_OK;
    if (!player->has_next)
        snprintf(player->problem, sizeof(player->problem), "%s (byte %" PRIu64 ")",
                 why_ended(result), player->tape.at);
}

static FILE *open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // so that it does not wait for a FIFO
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fdopen(fd, "rb");
    close(fd);
    errno = EINVAL;
    return NULL;
}

struct player *player_new(const char *path)
{
    FILE *file = open_file(path);
    if (file == NULL) {
        fail(KOV_USAGE, "cannot play '%s': %s; a machine is NAME=HOST:PORT, a recording NAME=FILE",
             path, errno == EINVAL ? "it is no file" : strerror(errno));
        return NULL;
    }
    struct player *player = memory_get(sizeof(*player));
    player->duration = tape_duration(file);
    const char *problem = tape_open(&player->tape, file);
    if (problem == NULL)
        advance(player);
    else
        snprintf(player->problem, sizeof(player->problem), "%s", problem);
    return player;
}

void player_free(struct player *player)
{
    if (player == NULL)
        return;
    tape_close(&player->tape);
    answers_free(&player->answers);
    free(player);
}

const char *player_problem(const struct player *player)
{
    return player->has_next ? NULL : player->problem;
}

static double time_of_next(const struct player *player)
{
    return player->origin + (double)player->tape.record.time * 1e-9;
}

// ---- a record ----------------------------------------------------------------------------------

// Plays the gateway's own session as if somebody else had begun it, since the gateway does not
// sample now.
static bool play_own_session(const struct exchange *exchange, struct bytes *payload)
{
    Orrery__Dci__Event event = ORRERY__DCI__EVENT__INIT;
    Orrery__Dci__SamplingBegan began = ORRERY__DCI__SAMPLING_BEGAN__INIT;
    Orrery__Dci__SamplingEnded ended = ORRERY__DCI__SAMPLING_ENDED__INIT;
    dci_request *request = exchange_request(exchange);
    dci_frame *answer = exchange_answer(exchange);
    bool was_granted = request != NULL && answer != NULL && answer->response->error == 0;
    if (was_granted && request->body_case == ORRERY__DCI__REQUEST__BODY_SAMPLING_START &&
        answer->response->body_case == ORRERY__DCI__RESPONSE__BODY_SAMPLING_START) {
        event.body_case = ORRERY__DCI__EVENT__BODY_SAMPLING_BEGAN;
        event.sampling_began = &began;
        began.session = answer->response->sampling_start->session;
        began.time = answer->response->sampling_start->time;
        began.start = request->sampling_start;
    } else if (was_granted &&
               answer->response->body_case == ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP) {
        event.body_case = ORRERY__DCI__EVENT__BODY_SAMPLING_ENDED;
        event.sampling_ended = &ended;
        ended.stat = answer->response->sampling_stop;
    }
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_EVENT;
    frame.event = &event;
    payload->size = 0;
    if (event.body_case != ORRERY__DCI__EVENT__BODY__NOT_SET)
        payload->size = orrery__dci__server_frame__pack(
            &frame, bytes_reserve(payload, orrery__dci__server_frame__get_packed_size(&frame)));
    orrery__dci__request__free_unpacked(request, NULL);
    orrery__dci__server_frame__free_unpacked(answer, NULL);
    return payload->size > 0;
}

// Takes an exchange that has its last answer. Returns whether it is played as an event.
static bool note_answered(struct player *player, const struct exchange *exchange,
                          struct bytes *payload)
{
    if (exchange->kind == ORRERY__DCI__REQUEST__BODY_SAMPLING_START ||
        exchange->kind == ORRERY__DCI__REQUEST__BODY_SAMPLING_STOP)
        return play_own_session(exchange, payload);
    player->news = exchange->kind;
    return false;
}

// Plays a frame of the tape. Returns whether the machine's thread gets it.
static bool play_frame(struct player *player, struct bytes *payload)
{
    const struct bytes *data = &player->tape.record.payload;
    dci_frame *frame = orrery__dci__server_frame__unpack(NULL, data->size, data->data);
    bool is_event = frame != NULL && frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT;
    bool is_answer =
        frame != NULL && frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE;
    const struct exchange *exchange =
        is_answer ? answers_add(&player->answers, data, !frame->response->more) : NULL;
    if (is_event) {
        payload->size = 0;
        bytes_append(payload, data->data, data->size);
    }
    if (exchange != NULL)
        is_event = note_answered(player, exchange, payload);
    orrery__dci__server_frame__free_unpacked(frame, NULL);
    return is_event;
}

static enum frame_result play_record(struct player *player, struct bytes *payload)
{
    enum frame_result result = FRAME_TIMEOUT;
    player->present = time_of_next(player);
    switch (player->tape.record.kind) {
    case TAPE_REQUEST:
        answers_begin(&player->answers, &player->tape.record.payload, time_of_next(player));
        break;
    case TAPE_FRAME:
        result = play_frame(player, payload) ? FRAME_OK : FRAME_TIMEOUT;
        break;
    case TAPE_LOST:
        result = FRAME_CLOSED;
        break;
    default:
        break; // a record of a newer version
    }
    advance(player);
    return result == FRAME_CLOSED && !player->has_next ? FRAME_TIMEOUT : result;
}

// ---- the link ----------------------------------------------------------------------------------

static bool is_hello(const struct tape_record *record)
{
    const struct bytes *payload = &record->payload;
    if (record->kind != TAPE_REQUEST)
        return false;
    dci_request *request = orrery__dci__request__unpack(NULL, payload->size, payload->data);
    bool is = request != NULL && request->body_case == ORRERY__DCI__REQUEST__BODY_HELLO;
    orrery__dci__request__free_unpacked(request, NULL);
    return is;
}

// Opens the next connection of the tape at its time, and plays the answer to its hello.
static int player_open(void *context)
{
    struct player *player = context;
    while (player->has_next && !is_hello(&player->tape.record))
        advance(player);
    if (!player->has_next)
        return fail(KOV_CONNECTION, "%s", player->problem);
    if (!player->began)
        player->origin = clock_now() - (double)player->duration * 1e-9;
    double wait = time_of_next(player) - clock_now();
    if (wait > 0)
        return fail(KOV_CONNECTION, "in the recording there is no connection for %.0f s more",
                    ceil(wait));
    player->began = true;
    answers_free(&player->answers);
    struct bytes event = {0};
    for (player->news = 0; player->has_next && player->news == 0;)
        play_record(player, &event);
    player->news = 0;
    bytes_free(&event);
    return KOV_OK;
}

static void player_send(void *context, const dci_request *request)
{
    struct player *player = context;
    if (request->body_case != ORRERY__DCI__REQUEST__BODY_SYSTEM) // asked because of silence
        answers_find(&player->answers, request);
}

static enum frame_result wait_until(const struct frame_socket *socket, double end, double deadline)
{
    enum frame_result result = frame_wait(socket, POLLIN, fmin(end, deadline));
    return result == FRAME_TIMEOUT && end <= deadline ? FRAME_OK : result;
}

static enum frame_result player_receive(void *context, const struct frame_socket *socket,
                                        double deadline, struct bytes *payload)
{
    struct player *player = context;
    if (answers_give(&player->answers, payload))
        return FRAME_OK;
    enum frame_result result = FRAME_TIMEOUT;
    while (result == FRAME_TIMEOUT && player->news == 0) {
        if (!player->has_next && !player->ended) {
            player->ended = true;
            player->news = PLAYER_ENDED;
            break;
        }
        double due = player->ended                    ? INFINITY
                     : answers_open(&player->answers) ? 0 // an exchange is played at once
                                                      : time_of_next(player);
        result = due <= clock_now() ? FRAME_OK : wait_until(socket, due, deadline);
        if (result != FRAME_OK)
            return result;
        result = play_record(player, payload);
        if (result == FRAME_TIMEOUT && clock_now() >= deadline)
            break;
    }
    return result == FRAME_TIMEOUT ? FRAME_WOKEN : result;
}

const struct link_through player_through = {player_open, player_send, player_receive};

u32 player_news(struct player *player)
{
    u32 news = player->news;
    player->news = 0;
    return news;
}

static dci_request *latest_request(const struct player *player, u32 kind)
{
    const struct exchange *exchange = answers_latest(&player->answers, kind);
    return exchange == NULL ? NULL : exchange_request(exchange);
}

void player_run_command(const struct player *player, char *command, size_t size)
{
    dci_request *request = latest_request(player, ORRERY__DCI__REQUEST__BODY_WORKLOAD_START);
    snprintf(command, size, "%s", request == NULL ? "" : request->workload_start->command);
    orrery__dci__request__free_unpacked(request, NULL);
}

u64 player_run_asked(const struct player *player)
{
    dci_request *request = latest_request(player, ORRERY__DCI__REQUEST__BODY_WORKLOAD_STATUS);
    u64 id = request == NULL ? 0 : request->workload_status->id;
    orrery__dci__request__free_unpacked(request, NULL);
    return id;
}

double player_present(const struct player *player)
{
    return player->present;
}

double player_asked(const struct player *player, u32 kind)
{
    const struct exchange *exchange = answers_latest(&player->answers, kind);
    return exchange == NULL ? clock_now() : exchange->asked;
}
