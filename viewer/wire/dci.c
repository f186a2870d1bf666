// SPDX-License-Identifier: MIT
// Requests to the machine, their answers, and the events that it pushes in between.
#include "wire/dci.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/text.h"
#include "wire/link_state.h"
#include "wire/patience.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <orrery/errors.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// After so many seconds of silence kov asks a question. A server that was restarted knows nothing
// of the connection, and says so only when it is asked.
#define SILENCE_SECONDS 1.0
#define MAX_TRIES 4    // of a call, each on a new connection
#define SILENCES_MAX 5 // then the connection counts as lost, where it can be taken up again

static int broken(const char *how)
{
    return fail(KOV_CONNECTION, "%s port %llu breaks the protocol: %s", link_host(),
                (unsigned long long)link_port(), how);
}

static int report_frame_result(enum frame_result result)
{
    struct connection *connection = &link_now()->connection;
    bool lost = result != FRAME_OK && result != FRAME_TOO_LARGE;
    connection->lost = connection->lost || (lost && clock_now() < patience_end());
    if (result != FRAME_OK && link_ended())
        return link_fail_over();
    switch (result) {
    case FRAME_OK:
        return KOV_OK;
    case FRAME_CLOSED:
        return fail(KOV_CONNECTION, "the machine closed the connection");
    case FRAME_TRUNCATED:
        return broken("the connection ended inside a frame");
    case FRAME_TOO_LARGE:
        return broken("a frame is longer than 1 MB; is this an Orrery machine?");
    case FRAME_TIMEOUT:
        return fail(KOV_CONNECTION, "not done within the %g s that the machine has (--timeout)",
                    settings.timeout);
    case FRAME_WOKEN: // by the end of the link, see above
    case FRAME_ERROR:
        break;
    }
    return fail(KOV_CONNECTION, "the connection failed: %s", strerror(errno));
}

static void note_heard(void)
{
    struct connection *connection = &link_now()->connection;
    connection->heard = clock_now();
    connection->silences = 0;
}

static enum frame_result read_frame(const struct frame_socket *socket, double until)
{
    const struct link *link = link_now();
    struct frame_input *input = &link_now()->connection.input;
    if (link->through == NULL)
        return frame_read(socket, until, input);
    return link->through->receive(link->through_context, socket, until, &input->payload);
}

// Takes what comes until the time `until`, or until a wake-up if `wakes`. *frame is NULL if no
// frame is whole by then. The caller frees it.
static int receive(double until, bool wakes, dci_frame **frame)
{
    struct connection *connection = &link_now()->connection;
    struct frame_socket socket = link_socket(connection->fd, wakes);
    struct frame_input *input = &connection->input;
    size_t before = input->done;
    *frame = NULL;
    enum frame_result result = read_frame(&socket, until);
    if (result == FRAME_OK || input->done != before)
        note_heard();
    if (result == FRAME_TIMEOUT || result == FRAME_WOKEN)
        return KOV_OK;
    int code = report_frame_result(result);
    if (code != KOV_OK)
        return code;
    *frame = orrery__dci__server_frame__unpack(NULL, input->payload.size, input->payload.data);
    if (*frame == NULL)
        return broken("a frame is no message");
    if (connection->tap != NULL)
        connection->tap(connection->tap_context, &input->payload, *frame);
    return KOV_OK;
}

static void release(dci_frame *frame)
{
    orrery__dci__server_frame__free_unpacked(frame, NULL);
}

static int send_request(dci_request *request)
{
    struct connection *connection = &link_now()->connection;
    struct frame_socket socket = link_socket(connection->fd, false);
    request->id = ++connection->last_id;
    if (connection->request_tap != NULL)
        connection->request_tap(connection->request_context, request);
    if (link_now()->through != NULL) {
        link_now()->through->send(link_now()->through_context, request);
        return KOV_OK;
    }
    size_t size = orrery__dci__request__get_packed_size(request);
    u8 *packed = memory_get(size);
    orrery__dci__request__pack(request, packed);
    enum frame_result result = frame_write(&socket, patience_end(), packed, size);
    free(packed);
    return report_frame_result(result);
}

// Asks for something short. Its answer is dropped like every late one.
static int break_silence(void)
{
    struct connection *connection = &link_now()->connection;
    if (clock_now() < connection->heard + SILENCE_SECONDS * (connection->silences + 1))
        return KOV_OK;
    connection->silences++;
    Orrery__Dci__SystemRequest body = ORRERY__DCI__SYSTEM_REQUEST__INIT;
    return send_request(DCI_REQUEST(SYSTEM, system, &body));
}

const char *dci_refusal(void)
{
    return link_now()->connection.refusal;
}

__attribute__((format(printf, 1, 2))) static void add_refusal(const char *format, ...)
{
    char *refusal = link_now()->connection.refusal;
    size_t used = strlen(refusal);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal + used, REFUSAL_BYTES - used, format, arguments);
    va_end(arguments);
}

const char *role_name(Orrery__Dci__Role role)
{
    switch (role) {
    case ORRERY__DCI__ROLE__ROLE_NONE:
        return "none";
    case ORRERY__DCI__ROLE__ROLE_OBSERVER:
        return "observer";
    case ORRERY__DCI__ROLE__ROLE_CONTROLLER:
        return "controller";
    default:
        return "unknown";
    }
}

// Keeps the message of a refusal. A full server also names the clients that it serves.
static void keep_refusal(const dci_response *response)
{
    char *refusal = link_now()->connection.refusal;
    refusal[0] = '\0';
    add_refusal("%s", response->message);
    for (size_t i = 0; i < response->n_served; i++) {
        const Orrery__Dci__ServedClient *served = response->served[i];
        add_refusal("%s client %" PRIu32 " (%s) from %s since %" PRIu64 " s", i == 0 ? ":" : ",",
                    served->number, role_name(served->role), served->address, served->seconds);
    }
    text_make_printable(refusal, false);
}

struct call {
    u32 id;
    int body;
    const char *what;
    dci_response_handler *handler;
    void *context;
    int error;
    char message[256];
    bool done;
};

static int handle_response(struct call *call, const dci_response *response)
{
    if (response->id != call->id && response->id != 0)
        return KOV_OK; // a late answer to a call that was given up
    if (response->error != 0) {
        call->error = response->error;
        snprintf(call->message, sizeof(call->message), "%.200s", response->message);
        text_make_printable(call->message, false);
        keep_refusal(response);
        call->done = true;
        return KOV_OK;
    }
    call->done = !response->more;
    if (response->id == 0)
        return broken("an answer to nothing");
    if ((int)response->body_case != call->body)
        return broken("an answer to another question");
    return call->handler == NULL ? KOV_OK : call->handler(call->context, response);
}

static int handle_event(const Orrery__Dci__Event *event)
{
    const struct connection *connection = &link_now()->connection;
    bool of_run = event->body_case == ORRERY__DCI__EVENT__BODY_RUN_OUTPUT ||
                  event->body_case == ORRERY__DCI__EVENT__BODY_RUN_ENDED;
    if (of_run && connection->run_handler != NULL)
        return connection->run_handler(connection->run_context, event);
    if (connection->event_handler != NULL)
        return connection->event_handler(connection->event_context, event);
    return KOV_OK; // for nobody
}

static int handle_frame(struct call *call, const dci_frame *frame)
{
    if (frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE)
        return handle_response(call, frame->response);
    if (frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT)
        return handle_event(frame->event);
    return KOV_OK; // a frame of a newer version
}

// Takes frames until the call is done. It stops at the deadline even if more frames are there: they
// may come without end.
static int run_call(struct call *call)
{
    double deadline = patience_end();
    int code = KOV_OK;
    while (code == KOV_OK && !call->done) {
        deadline = fmin(deadline, patience_end()); // an interrupt brings it nearer
        double now = clock_now();
        if (now >= deadline)
            return report_frame_result(FRAME_TIMEOUT);
        dci_frame *frame;
        code = receive(fmin(deadline, now + SILENCE_SECONDS), false, &frame);
        if (code == KOV_OK)
            code = frame == NULL ? break_silence() : handle_frame(call, frame);
        release(frame);
    }
    return code;
}

static int report_error(const struct call *call)
{
    const char *hint = call->error == E_PERM ? "; give a controller's token with --token" : "";
    const char *meaning = orrery_strerror(call->error);
    if (call->message[0] == '\0' || strcmp(call->message, meaning) == 0)
        return fail(KOV_FAILED, "%s: %s%s", call->what, meaning, hint);
    return fail(KOV_FAILED, "%s: %s (%s)%s", call->what, call->message, meaning, hint);
}

int dci_try(dci_request *request, int body, dci_response_handler *handler, void *context,
            double patience, int *error)
{
    int code = send_request(request);
    if (code != KOV_OK)
        return code;
    struct call call = {.id = request->id, .body = body, .handler = handler, .context = context};
    double end = fmin(clock_now() + patience, patience_end());
    struct frame_socket socket = link_socket(link_now()->connection.fd, false);
    if (link_now()->through == NULL && frame_wait(&socket, POLLIN, end) == FRAME_TIMEOUT)
        call.error = E_TIMEOUT;
    else
        code = run_call(&call);
    *error = call.error;
    return code;
}

static int call_once(dci_request *request, int body, const char *what,
                     dci_response_handler *handler, void *context)
{
    int code = send_request(request);
    if (code != KOV_OK)
        return code;
    struct call call = {
        .id = request->id, .body = body, .what = what, .handler = handler, .context = context};
    code = run_call(&call);
    return code == KOV_OK && call.error != 0 ? report_error(&call) : code;
}

static bool can_resume(void)
{
    return link_now()->connection.lost && resume_possible();
}

int dci_call(dci_request *request, int body, const char *what, dci_response_handler *handler,
             void *context)
{
    for (u32 tries = 1;; tries++) {
        int code = call_once(request, body, what, handler, context);
        if (code != KOV_CONNECTION || tries == MAX_TRIES || !can_resume())
            return code;
        code = resume();
        if (code != KOV_OK)
            return code;
    }
}

void dci_on_event(dci_event_handler *handler, void *context)
{
    struct connection *connection = &link_now()->connection;
    connection->event_handler = handler;
    connection->event_context = context;
}

void dci_on_run(dci_event_handler *handler, void *context)
{
    struct connection *connection = &link_now()->connection;
    connection->run_handler = handler;
    connection->run_context = context;
}

void dci_on_frame(dci_tap *tap, void *context)
{
    struct connection *connection = &link_now()->connection;
    connection->tap = tap;
    connection->tap_context = context;
}

void dci_on_request(dci_request_tap *tap, void *context)
{
    struct connection *connection = &link_now()->connection;
    connection->request_tap = tap;
    connection->request_context = context;
}

// Takes one frame, if one comes in time. Leaves the wake-up that ends the wait.
static int take(double seconds)
{
    dci_frame *frame;
    int code = receive(clock_now() + seconds, true, &frame);
    if (code != KOV_OK)
        return code;
    if (frame == NULL && link_now()->connection.silences >= SILENCES_MAX && resume_possible()) {
        link_now()->connection.lost = true;
        return fail(KOV_CONNECTION, "the machine is silent");
    }
    if (frame == NULL)
        return break_silence();
    // No call is under way. It is an event, or the machine tells why it ends the session.
    struct call none = {.id = 0, .body = -1, .what = "the machine ends the session"};
    code = handle_frame(&none, frame);
    if (code == KOV_OK && none.error != 0)
        code = report_error(&none);
    release(frame);
    return code;
}

int dci_take(double seconds)
{
    int code = take(seconds);
    link_take_wake();
    return code;
}

static int listen_until(double end)
{
    int code = KOV_OK;
    while (code == KOV_OK && !interrupted() && !link_ended() && clock_now() < end) {
        // The waits are short so that an interrupt is seen soon.
        code = take(fmin(end - clock_now(), 0.1));
        if (code == KOV_OK && link_take_wake())
            break;
    }
    return code;
}

int dci_listen(double seconds)
{
    double end = clock_now() + seconds;
    for (;;) {
        int code = listen_until(end);
        if (code != KOV_CONNECTION || !can_resume())
            return code;
        code = resume();
        if (code != KOV_OK)
            return code;
    }
}

int dci_open(void)
{
    struct connection *connection = &link_now()->connection;
    const struct link *link = link_now();
    int fd = -1;
    int code =
        link->through != NULL ? link->through->open(link->through_context) : connect_socket(&fd);
    connection->fd = code == KOV_OK ? fd : -1;
    connection->lost = false;
    connection->input.done = 0;
    note_heard();
    return code;
}

void dci_close(void)
{
    struct connection *connection = &link_now()->connection;
    if (connection->fd >= 0)
        close(connection->fd);
    bytes_free(&connection->input.payload);
    connection->fd = -1; // the handlers stay, for the next connection
}
