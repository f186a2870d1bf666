// SPDX-License-Identifier: MIT
// Playing tapes: answers come to whoever asks what was asked, and tapes whose records are whole but
// whose messages are nonsense do no harm.
//
//   KOV_FUZZ_ROUNDS=N gateway_player      for longer
#include "unit.h"

#include "gateway/player.h"
#include "gateway/tape.h"
#include "tools/clock.h"
#include "tools/kov.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 3000
#define RECORDS_MAX 24

struct settings settings;

static char folder[] = "/tmp/kov-player-XXXXXX", path[64];
static struct tape_writer tape;
static u64 seed = 1;
static u64 events, answers; // that the fuzz test was given

static u32 any(u32 below)
{
    return (u32)(unit_random(&seed) >> 32) % below;
}

static int begin(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/tape", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

// ---- records -----------------------------------------------------------------------------------

static void new_tape(void)
{
    unlink(path);
    assert_int_equal(tape_create(&tape, path, "left"), KOV_OK);
}

// Flips some bits, sometimes.
static void put(enum tape_kind kind, u64 time, u8 *data, size_t size, bool spoil)
{
    for (u32 flips = spoil && size > 0 && any(3) == 0 ? 1 + any(4) : 0; flips > 0; flips--)
        data[any((u32)size)] ^= (u8)(1 << any(8));
    assert_int_equal(tape_write(&tape, kind, time, data, size), 0);
}

static void put_request(dci_request *request, u64 time, bool spoil)
{
    u8 data[256];
    put(TAPE_REQUEST, time, data, orrery__dci__request__pack(request, data), spoil);
}

static void put_frame(const dci_frame *frame, u64 time, bool spoil)
{
    u8 data[256];
    put(TAPE_FRAME, time, data, orrery__dci__server_frame__pack(frame, data), spoil);
}

static void put_response(dci_response response, u64 time, bool spoil)
{
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE;
    response.id = 77; // of the recorded connection
    frame.response = &response;
    put_frame(&frame, time, spoil);
}

static void put_hello(u64 time, bool spoil)
{
    Orrery__Dci__HelloRequest body = ORRERY__DCI__HELLO_REQUEST__INIT;
    Orrery__Dci__HelloReply reply = ORRERY__DCI__HELLO_REPLY__INIT;
    dci_response response = ORRERY__DCI__RESPONSE__INIT;
    response.body_case = ORRERY__DCI__RESPONSE__BODY_HELLO;
    response.hello = &reply;
    put_request(DCI_REQUEST(HELLO, hello, &body), time, spoil);
    put_response(response, time, spoil);
}

static void put_sampling_start(u64 time, bool spoil)
{
    Orrery__Dci__SampledEvent event = ORRERY__DCI__SAMPLED_EVENT__INIT, *list[] = {&event};
    Orrery__Dci__SamplingStartRequest body = ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    Orrery__Dci__SamplingStartReply reply = ORRERY__DCI__SAMPLING_START_REPLY__INIT;
    dci_response response = ORRERY__DCI__RESPONSE__INIT;
    event.period = 1000;
    body.n_events = 1;
    body.events = list;
    reply.time = 5;
    response.body_case = ORRERY__DCI__RESPONSE__BODY_SAMPLING_START;
    response.sampling_start = &reply;
    put_request(DCI_REQUEST(SAMPLING_START, sampling_start, &body), time, spoil);
    put_response(response, time, spoil);
}

static void put_processes(u64 told, bool more, u64 time, bool spoil)
{
    Orrery__Dci__ProcessesReply reply = ORRERY__DCI__PROCESSES_REPLY__INIT;
    dci_response response = ORRERY__DCI__RESPONSE__INIT;
    reply.time = told;
    response.body_case = ORRERY__DCI__RESPONSE__BODY_PROCESSES;
    response.processes = &reply;
    response.more = more;
    put_response(response, time, spoil);
}

static void put_processes_request(u64 time, bool spoil)
{
    Orrery__Dci__ProcessesRequest body = ORRERY__DCI__PROCESSES_REQUEST__INIT;
    put_request(DCI_REQUEST(PROCESSES, processes, &body), time, spoil);
}

static void put_console(u64 time, bool spoil)
{
    Orrery__Dci__ConsoleOutput output = ORRERY__DCI__CONSOLE_OUTPUT__INIT;
    Orrery__Dci__Event event = ORRERY__DCI__EVENT__INIT;
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    event.body_case = ORRERY__DCI__EVENT__BODY_CONSOLE;
    event.console = &output;
    output.data = (ProtobufCBinaryData){2, (u8 *)"hi"};
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_EVENT;
    frame.event = &event;
    put_frame(&frame, time, spoil);
}

// ---- playing -----------------------------------------------------------------------------------

// The next frame, or NULL: there is news, or the connection is lost.
static dci_frame *next_frame(struct player *player, enum frame_result *result)
{
    const struct frame_socket socket = {-1, -1, -1};
    struct bytes payload = {0};
    dci_frame *frame = NULL;
    *result = player_through.receive(player, &socket, INFINITY, &payload);
    if (*result == FRAME_OK)
        frame = orrery__dci__server_frame__unpack(NULL, payload.size, payload.data);
    assert_true(*result != FRAME_OK || frame != NULL);
    bytes_free(&payload);
    return frame;
}

static void release(dci_frame *frame)
{
    orrery__dci__server_frame__free_unpacked(frame, NULL);
}

static void ask_processes(struct player *player, u32 id)
{
    Orrery__Dci__ProcessesRequest body = ORRERY__DCI__PROCESSES_REQUEST__INIT;
    dci_request *request = DCI_REQUEST(PROCESSES, processes, &body);
    request->id = id;
    player_through.send(player, request);
}

static void expect_news(struct player *player, u32 news)
{
    enum frame_result result;
    assert_null(next_frame(player, &result));
    assert_int_equal(result, FRAME_WOKEN);
    assert_int_equal(player_news(player), news);
    assert_int_equal(player_news(player), 0);
}

static void the_last_answer_is_given_under_the_asker_s_id(void **state)
{
    (void)state;
    enum frame_result result;
    new_tape();
    put_hello(0, false);
    for (u64 reading = 1; reading <= 2; reading++) {
        put_processes_request(reading, false);
        put_processes(reading, true, reading, false);
        put_console(reading, false); // between two parts of an answer
        put_processes(reading + 10, false, reading, false);
    }
    tape_finish(&tape);
    struct player *player = player_new(path);
    assert_null(player_problem(player));
    assert_int_equal(player_through.open(player), KOV_OK);
    for (u64 reading = 1; reading <= 2; reading++) {
        dci_frame *frame = next_frame(player, &result);
        assert_int_equal(frame->frame_case, ORRERY__DCI__SERVER_FRAME__FRAME_EVENT);
        release(frame);
        expect_news(player, ORRERY__DCI__REQUEST__BODY_PROCESSES);
        ask_processes(player, 5);
        for (u32 part = 0; part < 2; part++) {
            frame = next_frame(player, &result);
            assert_int_equal(frame->response->id, 5);
            assert_int_equal(frame->response->more, part == 0);
            assert_int_equal(frame->response->processes->time, reading + 10 * part);
            release(frame);
        }
    }
    expect_news(player, PLAYER_ENDED);
    assert_non_null(strstr(player_problem(player), "ends here"));
    player_free(player);
}

static void what_was_not_asked_is_an_error(void **state)
{
    (void)state;
    enum frame_result result;
    new_tape();
    put_hello(0, false);
    tape_finish(&tape);
    struct player *player = player_new(path);
    assert_int_equal(player_through.open(player), KOV_OK);
    ask_processes(player, 9);
    dci_frame *frame = next_frame(player, &result);
    assert_int_equal(frame->response->id, 9);
    assert_true(frame->response->error < 0);
    assert_non_null(strstr(frame->response->message, "no answer"));
    release(frame);
    player_free(player);
}

static void an_own_session_is_played_as_another_s(void **state)
{
    (void)state;
    enum frame_result result;
    new_tape();
    put_hello(0, false);
    put_sampling_start(1, false);
    tape_finish(&tape);
    struct player *player = player_new(path);
    assert_int_equal(player_through.open(player), KOV_OK);
    dci_frame *frame = next_frame(player, &result);
    assert_int_equal(frame->event->body_case, ORRERY__DCI__EVENT__BODY_SAMPLING_BEGAN);
    assert_int_equal(frame->event->sampling_began->time, 5);
    assert_int_equal(frame->event->sampling_began->start->events[0]->period, 1000);
    assert_null(frame->event->sampling_began->owner);
    release(frame);
    player_free(player);
}

static void the_end_of_a_lost_connection_is_no_loss(void **state)
{
    (void)state;
    enum frame_result result;
    new_tape();
    put_hello(0, false);
    put(TAPE_LOST, 1, (u8[1]){0}, 0, false);
    put_hello(2, false);
    put(TAPE_LOST, 3, (u8[1]){0}, 0, false);
    tape_finish(&tape);
    struct player *player = player_new(path);
    assert_int_equal(player_through.open(player), KOV_OK);
    assert_null(next_frame(player, &result));
    assert_int_equal(result, FRAME_CLOSED);
    assert_int_equal(player_through.open(player), KOV_OK);
    expect_news(player, PLAYER_ENDED);
    player_free(player);
}

// ---- nonsense ----------------------------------------------------------------------------------

static void write_something(u64 time)
{
    switch (any(7)) {
    case 0:
        put_hello(time, true);
        break;
    case 1:
        put_sampling_start(time, true);
        break;
    case 2:
        put_processes_request(time, true);
        break;
    case 3:
        put_processes(time, any(2) == 0, time, true);
        break;
    case 4:
        put_console(time, true);
        break;
    case 5:
        put(any(2) == 0 ? TAPE_LOST : TAPE_NAME + any(6), time, (u8[1]){0}, 0, false);
        break;
    default:
        put_processes_request(time, true);
        put_processes(time, false, time, true);
    }
}

// As a machine's thread: asks when there is news, opens again what was lost.
static void play(struct player *player)
{
    char command[256];
    for (u32 turn = 0; turn < 4 * RECORDS_MAX; turn++) {
        enum frame_result result;
        dci_frame *frame = next_frame(player, &result);
        if (frame != NULL)
            (*(frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT ? &events : &answers))++;
        release(frame);
        if (result == FRAME_CLOSED && player_through.open(player) != KOV_OK)
            return;
        u32 news = player_news(player);
        if (news == PLAYER_ENDED)
            return;
        if (news != 0)
            ask_processes(player, turn + 1);
        player_run_command(player, command, sizeof(command));
        player_run_asked(player);
        player_asked(player, news);
    }
}

static void nonsense_does_no_harm(void **state)
{
    (void)state;
    message_quiet(true);
    for (u64 round = unit_fuzz_rounds(ROUNDS); round > 0; round--) {
        new_tape();
        put_hello(0, any(20) == 0);
        for (u32 i = any(RECORDS_MAX); i > 0; i--)
            write_something(0);
        tape_finish(&tape);
        struct player *player = player_new(path);
        if (player_through.open(player) == KOV_OK)
            play(player);
        player_free(player);
    }
    message_quiet(false);
    assert_true(events > 100 && answers > 100);
}

static void a_file_that_cannot_be_played_is_told(void **state)
{
    (void)state;
    assert_null(player_new("/nowhere/tape"));
    assert_null(player_new("/tmp"));
    struct player *player = player_new("/proc/self/cmdline");
    assert_non_null(strstr(player_problem(player), "no recording"));
    assert_int_equal(player_through.open(player), KOV_CONNECTION);
    player_free(player);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_answer_is_given_under_the_asker_s_id),
        cmocka_unit_test(what_was_not_asked_is_an_error),
        cmocka_unit_test(an_own_session_is_played_as_another_s),
        cmocka_unit_test(the_end_of_a_lost_connection_is_no_loss),
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(a_file_that_cannot_be_played_is_told),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
