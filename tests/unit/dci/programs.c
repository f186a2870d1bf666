// SPDX-License-Identifier: MIT
// Programs that clients run, and the console: output in order and complete however slow the client,
// input as far as it is taken, an end for everything that was begun.
#include "harness.h"

#include "bounds.h"

#include <string.h>

static u32 run_open(struct peer *peer)
{
    answer_t *answer = peer_answer(peer, EMPTY(RUN_OPEN, run_open, RunOpen, RUN_OPEN));
    assert_int_equal(answer->response->error, 0);
    u32 run = answer->response->run_open->run;
    answer_free(answer);
    return run;
}

static s64 run_upload(struct peer *peer, u32 run, u8 fill, size_t count)
{
    Orrery__Dci__RunUploadRequest body = ORRERY__DCI__RUN_UPLOAD_REQUEST__INIT;
    static u8 bytes[8192];
    memset(bytes, fill, sizeof(bytes));
    body.run = run;
    body.data = (ProtobufCBinaryData){count, bytes};
    return peer_ask(peer, REQUEST(RUN_UPLOAD, run_upload, &body));
}

static s64 run_start(struct peer *peer, u32 run, const char *program, u32 count, char **arguments)
{
    Orrery__Dci__RunStartRequest body = ORRERY__DCI__RUN_START_REQUEST__INIT;
    body.run = run;
    body.program = (char *)program;
    body.n_arguments = count;
    body.arguments = arguments;
    return peer_ask(peer, REQUEST(RUN_START, run_start, &body));
}

static s64 run_start_on(struct peer *peer, u32 run, u64 stack_bytes)
{
    Orrery__Dci__RunStartRequest body = ORRERY__DCI__RUN_START_REQUEST__INIT;
    body.run = run;
    body.program = (char *)"hello";
    body.stack_bytes = stack_bytes;
    return peer_ask(peer, REQUEST(RUN_START, run_start, &body));
}

static s64 run_input(struct peer *peer, u32 run, const char *text, bool end)
{
    Orrery__Dci__RunInputRequest body = ORRERY__DCI__RUN_INPUT_REQUEST__INIT;
    body.run = run;
    body.data = (ProtobufCBinaryData){strlen(text), (u8 *)text};
    body.end = end;
    answer_t *answer = peer_answer(peer, REQUEST(RUN_INPUT, run_input, &body));
    s64 result = answer->response->error;
    if (result == 0)
        result = answer->response->run_input->taken;
    answer_free(answer);
    return result;
}

static void an_uploaded_program_runs_with_its_arguments(void **state)
{
    char *arguments[32];
    char longest[256];
    struct program *program = &machine.programs[0];
    (void)state;
    memset(longest, 'a', 255);
    longest[255] = 0;
    for (u32 i = 0; i < 32; i++)
        arguments[i] = longest;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    u32 run = run_open(peer);
    for (u32 i = 0; i < 20; i++)
        assert_int_equal(run_upload(peer, run, 1, 8192), 0);
    assert_int_equal(program->uploaded, 20 * 8192);
    assert_int_equal(run_start(peer, run, "hello", 32, arguments), 0);
    assert_int_equal(program->arguments, 33);
    assert_string_equal(program->last_argument, longest);
    assert_int_equal(run_upload(peer, run, 1, 10), E_INVAL);
    assert_int_equal(run_start(peer, run, "hello", 0, NULL), E_INVAL);
    peer_hang_up(peer);
    assert_int_equal(machine.programs_open, 0);
}

static void a_program_gets_the_stack_that_is_asked_for(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(run_start_on(peer, run_open(peer), 1), E_LIMIT);
    assert_int_equal(machine.programs_open, 0);
    assert_int_equal(run_start_on(peer, run_open(peer), 8 << 20), 0);
    assert_int_equal(machine.programs[0].stack_bytes, 8 << 20);
    peer_hang_up(peer);
}

// Takes output until the end of the run or of what there is.
static u32 take_output(struct peer *peer, u32 run, u32 from, bool *ended, s32 *status)
{
    answer_t *answer;
    while ((answer = peer_next(peer)) != NULL) {
        assert_int_equal(answer->frame_case, ORRERY__DCI__SERVER_FRAME__FRAME_EVENT);
        assert_false(*ended);
        if (answer->event->body_case == ORRERY__DCI__EVENT__BODY_RUN_ENDED) {
            assert_int_equal(answer->event->run_ended->run, run);
            *status = answer->event->run_ended->status;
            *ended = true;
        } else {
            Orrery__Dci__RunOutput *output = answer->event->run_output;
            assert_int_equal(output->run, run);
            for (size_t i = 0; i < output->data.len; i++)
                assert_int_equal(output->data.data[i], (u8)(from++ % 251));
        }
        answer_free(answer);
    }
    return from;
}

static void print(struct program *program, u32 *printed, u32 count)
{
    for (u32 i = 0; i < count && program->output_bytes < sizeof(program->output); i++)
        program->output[program->output_bytes++] = (char)((*printed)++ % 251);
}

static void output_is_complete_and_the_end_comes_last(void **state)
{
    Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;
    struct program *program = &machine.programs[0];
    u32 printed = 0, taken = 0;
    bool ended = false;
    s32 status = 0;
    (void)state;
    struct peer *peer = peer_connect(4096);
    hello.version = 2;
    hello.token = CONTROLLER_TOKEN;
    assert_int_equal(peer_ask(peer, REQUEST(HELLO, hello, &hello)), 0);
    u32 run = run_open(peer);
    assert_int_equal(run_start(peer, run, "bin/cat", 0, NULL), 0);
    for (u32 i = 0; i < 200; i++) {
        print(program, &printed, 60000);
        time_pass(20);
    }
    assert_int_equal(program->output_bytes, sizeof(program->output)); // it has to wait
    program->ended = true;
    program->status = 0x10300;
    for (u32 i = 0; i < 4000 && !ended; i++) {
        peer_give_room(peer, 50000);
        time_pass(20);
        taken = take_output(peer, run, taken, &ended, &status);
    }
    assert_true(ended);
    assert_int_equal(taken, printed);
    assert_int_equal(status, 0x10300);
    assert_int_equal(machine.programs_open, 0);
    assert_int_equal(run_input(peer, run, "x", false), E_NOENT);
    peer_hang_up(peer);
}

static void input_is_taken_as_far_as_there_is_room(void **state)
{
    struct program *program = &machine.programs[0];
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    u32 run = run_open(peer);
    assert_int_equal(run_input(peer, run, "early", false), E_INVAL);
    assert_int_equal(run_start(peer, run, "bin/cat", 0, NULL), 0);
    assert_int_equal(run_input(peer, run, "0123456789", false), 10);
    program->input_bytes = sizeof(program->input) - 4;
    assert_int_equal(run_input(peer, run, "0123456789", true), 4);
    assert_false(program->input_ended); // there is more to come
    program->input_bytes = 0;
    assert_int_equal(run_input(peer, run, "456789", true), 6);
    assert_true(program->input_ended);
    peer_hang_up(peer);
}

static void what_goes_wrong_leaves_nothing_behind(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *other = peer_connect_as(CONTROLLER_TOKEN);
    u32 run = run_open(peer);
    assert_int_equal(run_start(other, run, "bin/cat", 0, NULL), E_NOENT); // not its own
    assert_int_equal(run_upload(peer, run, 0xee, 100), E_IO);
    assert_int_equal(machine.programs_open, 0);
    assert_int_equal(run_upload(peer, run, 1, 100), E_NOENT);
    run = run_open(peer);
    assert_int_equal(run_start(peer, run, "nonesuch", 0, NULL), E_NOENT);
    assert_int_equal(machine.programs_open, 0);
    struct peer *third = peer_connect_as(CONTROLLER_TOKEN);
    for (u32 i = 0; i < CLIENT_RUNS_MAX; i++)
        run_open(peer);
    assert_int_equal(peer_ask(peer, EMPTY(RUN_OPEN, run_open, RunOpen, RUN_OPEN)), E_LIMIT);
    for (u32 i = CLIENT_RUNS_MAX; i < MACHINE_PROGRAMS; i++)
        run_open(other);
    assert_int_equal(peer_ask(third, EMPTY(RUN_OPEN, run_open, RunOpen, RUN_OPEN)), E_LIMIT);
    peer_hang_up(third);
    peer_hang_up(peer);
    assert_int_equal(machine.programs_open, MACHINE_PROGRAMS - CLIENT_RUNS_MAX);
    peer_hang_up(other);
    assert_int_equal(machine.programs_open, 0);
    other = peer_connect_as(CONTROLLER_TOKEN);
    machine.no_programs = true;
    assert_int_equal(peer_ask(other, EMPTY(RUN_OPEN, run_open, RunOpen, RUN_OPEN)), E_NOTSUP);
    machine.no_programs = false;
    peer_hang_up(other);
}

static void uploads_that_do_not_go_on_give_way(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    u32 runs[3];
    for (u32 i = 0; i < 3; i++)
        runs[i] = run_open(peer);
    for (u32 i = 0; i < UPLOADS_BYTES_MAX / 8192; i++)
        assert_int_equal(run_upload(peer, runs[i % 2], 1, 8192), 0);
    assert_int_equal(run_upload(peer, runs[2], 1, 1), E_LIMIT); // for all of them
    time_pass(UPLOAD_SECONDS * 1000 - 100);
    assert_int_equal(machine.programs_open, 2);
    time_pass(200);
    assert_int_equal(machine.programs_open, 0);
    assert_int_equal(run_start(peer, runs[0], "bin/cat", 0, NULL), E_NOENT);
    peer_hang_up(peer);
}

static void the_console_comes_to_all_who_attach(void **state)
{
    Orrery__Dci__ConsoleAttachRequest attach = ORRERY__DCI__CONSOLE_ATTACH_REQUEST__INIT;
    Orrery__Dci__ConsoleInputRequest input = ORRERY__DCI__CONSOLE_INPUT_REQUEST__INIT;
    (void)state;
    machine.printed_from = 100;
    strcpy(machine.printed, "boot\n");
    struct peer *observer = peer_connect_as(OBSERVER_TOKEN);
    struct peer *controller = peer_connect_as(CONTROLLER_TOKEN);
    answer_t *answer = peer_answer(observer, REQUEST(CONSOLE_ATTACH, console_attach, &attach));
    assert_int_equal(answer->response->console_attach->position, 100);
    answer_free(answer);
    answer = peer_next(observer);
    assert_int_equal(answer->event->console->position, 100);
    assert_memory_equal(answer->event->console->data.data, "boot\n", 5);
    answer_free(answer);
    attach.from = 105;
    assert_int_equal(peer_ask(controller, REQUEST(CONSOLE_ATTACH, console_attach, &attach)), 0);
    strcat(machine.printed, "# ");
    time_pass(25);
    for (u32 i = 0; i < 2; i++) {
        answer = peer_next(i == 0 ? observer : controller);
        assert_int_equal(answer->event->console->position, 105);
        assert_memory_equal(answer->event->console->data.data, "# ", 2);
        answer_free(answer);
    }
    input.data = (ProtobufCBinaryData){3, (u8 *)"ls\n"};
    assert_int_equal(peer_ask(observer, REQUEST(CONSOLE_INPUT, console_input, &input)), E_PERM);
    assert_int_equal(peer_ask(controller, REQUEST(CONSOLE_INPUT, console_input, &input)), 0);
    assert_string_equal(machine.typed, "ls\n");
    assert_int_equal(
        peer_ask(observer, EMPTY(CONSOLE_DETACH, console_detach, ConsoleDetach, CONSOLE_DETACH)),
        0);
    strcat(machine.printed, "x");
    time_pass(25);
    assert_null(peer_next(observer));
    peer_hang_up(observer);
    peer_hang_up(controller);
}

static void expect_output(struct peer *peer, const char *text)
{
    answer_t *answer = peer_next(peer);

    assert_non_null(answer);
    assert_int_equal(answer->event->console->data.len, strlen(text));
    assert_memory_equal(answer->event->console->data.data, text, strlen(text));
    answer_free(answer);
}

// Where the kernel can tell of output, it is not asked in the meantime; where it cannot, it is.
static void a_silent_console_is_not_looked_at(void **state)
{
    Orrery__Dci__ConsoleAttachRequest attach = ORRERY__DCI__CONSOLE_ATTACH_REQUEST__INIT;
    (void)state;
    strcpy(machine.printed, "begin");
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(peer_ask(peer, REQUEST(CONSOLE_ATTACH, console_attach, &attach)), 0);
    expect_output(peer, "begin");
    u32 before = machine.output_reads;
    for (u32 i = 0; i < 20; i++)
        time_pass(500);
    assert_int_equal(machine.output_reads, before);
    for (u32 i = 0; i < 3; i++) {
        strcat(machine.printed, "one more");
        time_pass(500);
        expect_output(peer, "one more");
    }
    peer_hang_up(peer);
    machine.output_unheard = true;
    peer = peer_connect_as(OBSERVER_TOKEN);
    attach.from = machine.printed_from + strlen(machine.printed);
    assert_int_equal(peer_ask(peer, REQUEST(CONSOLE_ATTACH, console_attach, &attach)), 0);
    for (u32 i = 0; i < 3; i++) {
        strcat(machine.printed, "looked for");
        time_pass(OUTPUT_INTERVAL_MS_MAX);
        expect_output(peer, "looked for");
    }
    machine.output_unheard = false;
    peer_hang_up(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_uploaded_program_runs_with_its_arguments),
        cmocka_unit_test(a_program_gets_the_stack_that_is_asked_for),
        cmocka_unit_test(output_is_complete_and_the_end_comes_last),
        cmocka_unit_test(input_is_taken_as_far_as_there_is_room),
        cmocka_unit_test(what_goes_wrong_leaves_nothing_behind),
        cmocka_unit_test(uploads_that_do_not_go_on_give_way),
        cmocka_unit_test(the_console_comes_to_all_who_attach),
        cmocka_unit_test(a_silent_console_is_not_looked_at),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
