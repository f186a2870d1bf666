// SPDX-License-Identifier: MIT
// Links: several threads, each with a connection of its own to a machine that is played here.
#include "unit.h"

#include "tools/clock.h"
#include "tools/kov.h"
#include "wire/frame.h"
#include "wire/link.h"
#include "wire/patience.h"
#include "wire/resume.h"
#include "wire/session.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MACHINES 4
#define CALLS 50
#define LONG 3600.0 // seconds: who waits for that long hangs, which the test does not survive

struct settings settings = {.host = "127.0.0.1", .timeout = LONG, .reconnect = LONG};

// ---- a machine ---------------------------------------------------------------------------------

enum manner {
    GOOD,
    SILENT,     // answers the hello only
    DEAF,       // does not even answer the hello
    HANGS_UP,   // ends the first connection at its third request
    HUGE_FRAME, // all others break the protocol at the third request
    NO_MESSAGE,
    OTHER_ANSWER,
    EVENT_FIRST, // pushes something empty before it answers the hello
};

struct machine {
    enum manner manner;
    u32 cpus; // by which it is told from others
    int listener;
    u16 port;
    u32 connections;
    char token[32]; // of the last hello
    pthread_t thread;
};

static double never(void)
{
    return clock_now() + LONG;
}

static void send_frame(const struct frame_socket *socket, const dci_frame *frame)
{
    u8 data[4096];
    size_t size = orrery__dci__server_frame__pack(frame, data);
    frame_write(socket, never(), data, size);
}

static void answer(const struct frame_socket *socket, const struct machine *machine, u32 id,
                   bool hello)
{
    Orrery__Dci__SystemInfo system = ORRERY__DCI__SYSTEM_INFO__INIT;
    Orrery__Dci__HelloReply reply = ORRERY__DCI__HELLO_REPLY__INIT;
    dci_response response = ORRERY__DCI__RESPONSE__INIT;
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    system.cpu_count = machine->cpus;
    reply.version = SESSION_PROTOCOL_VERSION;
    reply.system = &system;
    response.id = id;
    response.body_case =
        hello ? ORRERY__DCI__RESPONSE__BODY_HELLO : ORRERY__DCI__RESPONSE__BODY_SYSTEM;
    if (hello)
        response.hello = &reply;
    else
        response.system = &system;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE;
    frame.response = &response;
    send_frame(socket, &frame);
}

static void push_nothing(const struct frame_socket *socket)
{
    Orrery__Dci__Event event = ORRERY__DCI__EVENT__INIT;
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_EVENT;
    frame.event = &event;
    send_frame(socket, &frame);
}

static void greet(const struct frame_socket *socket, struct machine *machine,
                  const dci_request *request)
{
    snprintf(machine->token, sizeof(machine->token), "%s", request->hello->token);
    if (machine->manner == EVENT_FIRST)
        push_nothing(socket);
    if (machine->manner != DEAF)
        answer(socket, machine, request->id, true);
}

// False: the connection is to be ended.
static bool misbehave(const struct frame_socket *socket, const struct machine *machine, u32 id)
{
    const u8 huge[] = {0xff, 0xff, 0xff, 0xff}, nonsense[] = {0, 0, 0, 1, 0xff};
    switch (machine->manner) {
    case HANGS_UP:
        return machine->connections > 1;
    case HUGE_FRAME:
        return write(socket->fd, huge, sizeof(huge)) < 0;
    case NO_MESSAGE:
        return write(socket->fd, nonsense, sizeof(nonsense)) < 0;
    case OTHER_ANSWER:
        answer(socket, machine, id, true);
        return true;
    default:
        return true;
    }
}

static void serve(struct machine *machine, const struct frame_socket *socket)
{
    struct frame_input input = {0};
    bool go_on = true;
    for (u32 number = 1; go_on && frame_read(socket, never(), &input) == FRAME_OK; number++) {
        dci_request *request =
            orrery__dci__request__unpack(NULL, input.payload.size, input.payload.data);
        if (request->body_case == ORRERY__DCI__REQUEST__BODY_HELLO)
            greet(socket, machine, request);
        if (number == 3)
            go_on = misbehave(socket, machine, request->id);
        if (go_on && request->body_case == ORRERY__DCI__REQUEST__BODY_SYSTEM &&
            machine->manner != SILENT)
            answer(socket, machine, request->id, false);
        orrery__dci__request__free_unpacked(request, NULL);
    }
    bytes_free(&input.payload);
}

static void *machine_thread(void *context)
{
    struct machine *machine = context;
    for (;;) {
        int fd = accept4(machine->listener, NULL, NULL, SOCK_NONBLOCK);
        if (fd < 0)
            return NULL;
        machine->connections++;
        serve(machine, &(struct frame_socket){fd, -1, -1});
        close(fd);
    }
}

static void play(struct machine *machine, enum manner manner, u32 cpus)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    *machine = (struct machine){.manner = manner, .cpus = cpus};
    machine->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(machine->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(machine->listener, 4), 0);
    assert_int_equal(getsockname(machine->listener, (struct sockaddr *)&address, &size), 0);
    machine->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&machine->thread, NULL, machine_thread, machine), 0);
}

// After its last client.
static void stop(struct machine *machine)
{
    shutdown(machine->listener, SHUT_RDWR);
    pthread_join(machine->thread, NULL);
    close(machine->listener);
}

// ---- a thread with a link ----------------------------------------------------------------------

struct client;
typedef int deed(struct client *client);

struct client {
    struct machine machine;
    struct link *link;
    deed *does;
    pthread_t thread;
    pthread_barrier_t *met; // where it waits for another
    int code;
    u32 right, wrong; // descriptions of its own machine, and of others
    u64 reconnected;
    char messages[4096];
    u32 warnings;
};

// In these threads nothing is asserted: cmocka knows one thread.
static void note_message(void *context, bool is_warning, const char *text)
{
    struct client *client = context;
    size_t used = strlen(client->messages);
    snprintf(client->messages + used, sizeof(client->messages) - used, "%s\n", text);
    client->warnings += is_warning;
}

static void note_frame(void *context, const struct bytes *payload, const dci_frame *frame)
{
    struct client *client = context;
    (void)payload;
    if (frame->frame_case != ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE ||
        frame->response->body_case != ORRERY__DCI__RESPONSE__BODY_SYSTEM)
        return;
    bool own = frame->response->system->cpu_count == client->machine.cpus;
    client->right += own;
    client->wrong += !own;
}

static void *client_thread(void *context)
{
    struct client *client = context;
    link_use(client->link);
    message_to(note_message, client);
    patience_begin();
    dci_on_frame(note_frame, client);
    client->code = session_begin(true);
    if (client->code == KOV_OK)
        client->code = client->does(client);
    client->reconnected = resume_account()->times;
    session_end();
    return NULL;
}

static void begin(struct client *client, enum manner manner, u32 number, deed *does)
{
    char token[32];
    *client = (struct client){.does = does};
    snprintf(token, sizeof(token), "token %u", number);
    play(&client->machine, manner, number);
    client->link = link_new("127.0.0.1", client->machine.port, token);
    assert_non_null(client->link);
}

static void start(struct client *client)
{
    assert_int_equal(pthread_create(&client->thread, NULL, client_thread, client), 0);
}

static void finish(struct client *client)
{
    pthread_join(client->thread, NULL);
    link_free(client->link);
    stop(&client->machine);
}

static int describe_often(struct client *client)
{
    int code = session_machine()->cpu_count == client->machine.cpus ? KOV_OK : KOV_FAILED;
    for (u32 i = 0; i < CALLS && code == KOV_OK; i++)
        code = session_describe();
    return code;
}

static void each_thread_gets_the_answers_of_its_own_machine(void **state)
{
    (void)state;
    struct client clients[MACHINES];
    for (u32 i = 0; i < MACHINES; i++)
        begin(&clients[i], i == 0 ? EVENT_FIRST : GOOD, i + 1, describe_often);
    for (u32 i = 0; i < MACHINES; i++)
        start(&clients[i]);
    for (u32 i = 0; i < MACHINES; i++) {
        char token[32];
        finish(&clients[i]);
        snprintf(token, sizeof(token), "token %u", i + 1);
        assert_string_equal(clients[i].messages, "");
        assert_int_equal(clients[i].code, KOV_OK);
        assert_int_equal(clients[i].right, CALLS);
        assert_int_equal(clients[i].wrong, 0);
        assert_string_equal(clients[i].machine.token, token);
    }
}

// ---- what one machine does is nothing to another -----------------------------------------------

static int describe_before_and_after(struct client *client)
{
    int code = describe_often(client);
    pthread_barrier_wait(client->met);
    return code == KOV_OK ? describe_often(client) : code;
}

static void a_broken_protocol_ends_its_own_session_alone(void **state)
{
    (void)state;
    const enum manner manners[] = {HUGE_FRAME, NO_MESSAGE, OTHER_ANSWER};
    struct client broken[ARRAY_SIZE(manners)], good;
    pthread_barrier_t met;
    pthread_barrier_init(&met, NULL, 2);
    begin(&good, GOOD, 9, describe_before_and_after);
    good.met = &met;
    start(&good);
    for (u32 i = 0; i < ARRAY_SIZE(manners); i++) {
        begin(&broken[i], manners[i], i + 1, describe_often);
        start(&broken[i]);
    }
    for (u32 i = 0; i < ARRAY_SIZE(manners); i++) {
        finish(&broken[i]);
        assert_int_equal(broken[i].code, KOV_CONNECTION);
        assert_non_null(strstr(broken[i].messages, "breaks the protocol: "));
        assert_int_equal(broken[i].right, 1);
        assert_int_equal(broken[i].warnings, 0);
    }
    pthread_barrier_wait(&met);
    finish(&good);
    assert_int_equal(good.code, KOV_OK);
    assert_string_equal(good.messages, "");
    assert_int_equal(good.right, 2 * CALLS);
    pthread_barrier_destroy(&met);
}

static int describe_and_reconnect(struct client *client)
{
    resume_begin(resume_nothing, NULL);
    return describe_often(client);
}

static void a_lost_connection_is_taken_up_again_by_its_own_thread(void **state)
{
    (void)state;
    struct client clients[2];
    begin(&clients[0], HANGS_UP, 1, describe_and_reconnect);
    begin(&clients[1], GOOD, 2, describe_and_reconnect);
    for (u32 i = 0; i < 2; i++)
        start(&clients[i]);
    for (u32 i = 0; i < 2; i++) {
        bool lost = i == 0;
        finish(&clients[i]);
        assert_int_equal(clients[i].code, KOV_OK);
        assert_int_equal(clients[i].right, CALLS);
        assert_int_equal(clients[i].reconnected, lost);
        assert_int_equal(clients[i].machine.connections, lost ? 2 : 1);
        assert_int_equal(clients[i].warnings, lost ? 2 : 0);
        assert_int_equal(strstr(clients[i].messages, "the connection is lost") != NULL, lost);
    }
}

static void patience_is_of_one_link(void **state)
{
    (void)state;
    struct link *impatient = link_new("127.0.0.1", 1, NULL), *other = link_new("127.0.0.1", 2, "");
    link_use(impatient);
    patience_begin();
    double end = patience_end();
    link_use(other);
    assert_true(patience_end() < clock_now()); // it has not begun
    patience_begin();
    patience_window(LONG);
    assert_true(patience_end() > end + LONG / 2);
    patience_reconnect(5 * LONG);
    link_use(impatient);
    assert_true(patience_end() == end);
    link_end(impatient);
    assert_true(patience_end() < clock_now());
    link_use(other);
    assert_true(patience_end() > clock_now());
    link_free(impatient);
    link_free(other);
}

// ---- waking and ending -------------------------------------------------------------------------

static int listen_and_meet(struct client *client)
{
    int code = dci_listen(LONG); // the request was there before
    pthread_barrier_wait(client->met);
    if (code == KOV_OK)
        code = dci_listen(LONG);
    if (code == KOV_OK)
        code = session_describe(); // the connection is as good as before
    pthread_barrier_wait(client->met);
    return code;
}

static void a_request_wakes_who_listens(void **state)
{
    (void)state;
    struct client client;
    pthread_barrier_t met;
    pthread_barrier_init(&met, NULL, 2);
    begin(&client, GOOD, 1, listen_and_meet);
    client.met = &met;
    link_wake(client.link);
    start(&client);
    pthread_barrier_wait(&met);
    usleep(20000); // most likely it listens by now; if not, the test is weaker but right
    link_wake(client.link);
    pthread_barrier_wait(&met);
    finish(&client);
    assert_string_equal(client.messages, "");
    assert_int_equal(client.code, KOV_OK);
    assert_true(client.right >= 1); // more, when it broke the silence
}

static int describe(struct client *client)
{
    (void)client;
    return session_describe();
}

static int listen_long(struct client *client)
{
    (void)client;
    int code = dci_listen(LONG);
    return code == KOV_OK && !link_ended() ? KOV_FAILED : code;
}

static void the_end_of_a_link_ends_every_wait(void **state)
{
    (void)state;
    const struct {
        enum manner manner;
        deed *does;
        int code;
    } cases[] = {
        {DEAF, describe, KOV_CONNECTION},
        {SILENT, describe, KOV_CONNECTION},
        {GOOD, listen_long, KOV_OK},
    };
    struct client clients[ARRAY_SIZE(cases)];
    for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
        begin(&clients[i], cases[i].manner, i + 1, cases[i].does);
        start(&clients[i]);
    }
    usleep(50000); // most likely all wait by now
    for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
        link_end(clients[i].link);
    for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
        finish(&clients[i]);
        bool told = strstr(clients[i].messages, "was ended here") != NULL;
        // One that had not come to what it does is told so, too.
        assert_true(clients[i].code == cases[i].code || clients[i].code == KOV_CONNECTION);
        assert_int_equal(told, clients[i].code == KOV_CONNECTION);
    }
}

static void an_ended_link_does_not_try_again(void **state)
{
    (void)state;
    struct client client;
    begin(&client, HANGS_UP, 1, describe_and_reconnect);
    shutdown(client.machine.listener, SHUT_RDWR); // nobody is there
    link_use(client.link);
    message_to(note_message, &client);
    patience_begin();
    link_end(client.link);
    assert_int_equal(session_begin(true), KOV_CONNECTION);
    resume_begin(resume_nothing, NULL);
    assert_int_equal(session_describe(), KOV_CONNECTION);
    assert_int_equal(resume_account()->times, 0);
    assert_null(session_machine());
    message_to(NULL, NULL);
    link_free(client.link);
    stop(&client.machine);
}

// ---- threads without a link --------------------------------------------------------------------

static void *own_thread(void *context)
{
    struct client *client = context;
    message_to(note_message, client);
    message_quiet(true);
    fail(KOV_FAILED, "nobody hears this");
    message_quiet(false);
    warn("port %u", (unsigned)link_port());
    client->code = link_ended();
    return NULL;
}

static void a_thread_without_a_link_has_one_to_the_machine_of_the_settings(void **state)
{
    (void)state;
    struct client client = {.code = -1};
    struct client here = {.code = -1};
    settings.port = 4711;
    struct link *link = link_new("192.0.2.1", 80, NULL);
    link_use(link);
    message_to(note_message, &here);
    assert_int_equal(pthread_create(&client.thread, NULL, own_thread, &client), 0);
    pthread_join(client.thread, NULL);
    warn("%s", link_host());
    assert_string_equal(client.messages, "port 4711\n");
    assert_int_equal(client.code, false);
    assert_string_equal(here.messages, "192.0.2.1\n");
    link_free(link);
    assert_string_equal(link_host(), "127.0.0.1");
    message_to(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_gets_the_answers_of_its_own_machine),
        cmocka_unit_test(a_broken_protocol_ends_its_own_session_alone),
        cmocka_unit_test(a_lost_connection_is_taken_up_again_by_its_own_thread),
        cmocka_unit_test(patience_is_of_one_link),
        cmocka_unit_test(a_request_wakes_who_listens),
        cmocka_unit_test(the_end_of_a_link_ends_every_wait),
        cmocka_unit_test(an_ended_link_does_not_try_again),
        cmocka_unit_test(a_thread_without_a_link_has_one_to_the_machine_of_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
