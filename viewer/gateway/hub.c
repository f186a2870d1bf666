// SPDX-License-Identifier: MIT
// The hub between browsers and machines.
#include "gateway/hub.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

#define PROTOCOL_VERSION 1
#define TOO_MANY_REQUESTS                                                                          \
    "too much waits for this machine already (REQUESTS_WAITING): it answers slowly"

void hub_init(struct hub *hub, void (*ready)(void *connection, bool end))
{
    hub->ready = ready;
}

static void forget_names(struct sent_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        block_release(names->blocks[i]);
    names->count = 0;
}

void hub_free(struct hub *hub)
{
    while (hub->browsers != NULL)
        hub_disconnect(hub, hub->browsers);
    for (u32 i = 0; i < hub->machine_count; i++) {
        block_release(hub->states[i]);
        forget_names(&hub->names[i]);
        free(hub->names[i].blocks);
    }
    post_queue_free(&hub->posts);
}

struct browser *hub_connect(struct hub *hub, void *connection)
{
    struct browser *browser = memory_get(sizeof(*browser));
    browser->number = ++hub->last_browser;
    browser->connection = connection;
    outbox_init(&browser->outbox);
    browser->outbox.names = hub->names;
    browser->next = hub->browsers;
    hub->browsers = browser;
    return browser;
}

// ---- telling -----------------------------------------------------------------------------------

static void tell(struct hub *hub, struct browser *browser, struct block *block)
{
    hub->ready(browser->connection, !outbox_tell(&browser->outbox, block));
}

static void tell_json(struct hub *hub, struct browser *browser, json_t *json)
{
    tell(hub, browser, block_of_json(json));
}

static void refuse(struct hub *hub, struct browser *browser, const char *why, bool end)
{
    tell_json(hub, browser, json_pack("{s:s, s:s}", "type", "refused", "message", why));
    if (end)
        hub->ready(browser->connection, true);
}

static void tell_error(struct hub *hub, struct browser *browser, const json_t *message,
                       const char *why)
{
    tell_json(hub, browser,
              json_pack("{s:s, s:O, s:s}", "type", "error", "id", json_object_get(message, "id"),
                        "message", why));
}

// ---- machines and topics -----------------------------------------------------------------------

static u32 find_machine(const struct hub *hub, const json_t *message)
{
    const char *name = json_string_value(json_object_get(message, "machine"));
    u32 i = 0;
    while (i < hub->machine_count && strcmp(machine_name(hub->machines[i]), name) != 0)
        i++;
    return i;
}

static void drop_watch(struct hub *hub, struct browser *browser, struct watch *watch)
{
    struct topic *topic = watch->topic;
    outbox_remove_watch(&browser->outbox, watch);
    struct post post = {.kind = REQUEST_UNWATCH, .topic = topic->number, .watched = topic->kind};
    if (topic->watchers == 1 && hub->machines[topic->machine] != NULL) // NULL as the program ends
        machine_request(hub->machines[topic->machine], &post);
    topics_unwatch(&hub->topics, topic);
}

void hub_disconnect(struct hub *hub, struct browser *browser)
{
    while (browser->outbox.watch_count > 0)
        drop_watch(hub, browser, browser->outbox.watches[0]);
    outbox_free(&browser->outbox);
    hub->served -= browser->role != ROLE_STRANGER;
    struct browser **place = &hub->browsers;
    while (*place != browser)
        place = &(*place)->next;
    *place = browser->next;
    free(browser);
}

// ---- what browsers say -------------------------------------------------------------------------

static void hello(struct hub *hub, struct browser *browser, const json_t *message)
{
    if (browser->role != ROLE_STRANGER)
        return refuse(hub, browser, "hello came before", false);
    if (json_integer_value(json_object_get(message, "version")) != PROTOCOL_VERSION)
        return refuse(hub, browser, "this page is of another version of kov: load it again", true);
    enum access_role role =
        access_role_of(&hub->access, json_string_value(json_object_get(message, "token")));
    if (role == ROLE_STRANGER) {
        bool last = ++browser->wrong_tokens == TOKEN_TRIES;
        return refuse(hub, browser,
                      "the token is another one: open the link that `kov serve` prints", last);
    }
    if (hub->served == BROWSERS)
        return refuse(hub, browser, "too many browsers watch already", true);
    hub->served++;
    browser->role = role;
    json_t *machines = json_array();
    for (u32 i = 0; i < hub->machine_count; i++)
        json_array_append_new(machines, json_string(machine_name(hub->machines[i])));
    tell_json(hub, browser,
              json_pack("{s:s, s:i, s:s, s:o, s:I}", "type", "welcome", "version", PROTOCOL_VERSION,
                        "role", access_role_name(role), "machines", machines, "credit",
                        (json_int_t)CREDIT_BYTES));
    // Boots before come first: a page that knows the machine's boot knows all boots that are kept.
    for (u32 i = hub->machine_count; i-- > 0;)
        if (hub->states[i] != NULL)
            tell(hub, browser, block_keep(hub->states[i]));
}

static void unwatch(struct hub *hub, struct browser *browser, u64 id)
{
    struct watch *watch = id > UINT32_MAX ? NULL : outbox_watch(&browser->outbox, (u32)id);
    if (watch != NULL)
        drop_watch(hub, browser, watch);
}

static void watch(struct hub *hub, struct browser *browser, const json_t *message)
{
    enum watched_kind kind;
    const char *wrong = watch_check(message, &kind);
    u32 machine = find_machine(hub, message);
    u64 id = (u64)json_integer_value(json_object_get(message, "id"));
    if (wrong == NULL && machine == hub->machine_count)
        wrong = "there is no machine of that name";
    if (wrong == NULL && id > UINT32_MAX)
        wrong = "the id is too large";
    if (wrong == NULL && outbox_watch(&browser->outbox, (u32)id) == NULL &&
        browser->outbox.watch_count == TOPICS)
        wrong = "this browser watches too much already";
    if (wrong == NULL && !machine_takes_request(hub->machines[machine], browser->number))
        wrong = TOO_MANY_REQUESTS;
    if (wrong != NULL)
        return tell_error(hub, browser, message, wrong);
    // What the id meant before ends when the new topic has its watcher. If both are the same, it
    // does not end. If watching was refused, it is still there. A machine hears of the end first,
    // so it never has more topics of a browser than the browser may watch.
    bool fresh;
    struct topic *topic = topics_watch(&hub->topics, machine, kind, message, &fresh);
    unwatch(hub, browser, id);
    outbox_add_watch(&browser->outbox, (u32)id, topic);
    hub->ready(browser->connection, false); // for names
    struct post post = {.kind = fresh ? REQUEST_WATCH : REQUEST_REFRESH,
                        .topic = topic->number,
                        .browser = browser->number,
                        .watched = kind,
                        .json = fresh ? json_deep_copy(message) : NULL};
    machine_request(hub->machines[machine], &post);
}

static void hand_on(struct hub *hub, struct browser *browser, const json_t *message,
                    enum post_kind kind)
{
    u32 machine = find_machine(hub, message);
    if (machine == hub->machine_count)
        return tell_error(hub, browser, message, "there is no machine of that name");
    if (kind == REQUEST_ACT && browser->role != ROLE_CONTROLLER)
        return tell_error(hub, browser, message,
                          "observers look only: this needs the controller's link");
    enum acted_kind act;
    const char *wrong = kind == REQUEST_ACT ? act_check(message, &act) : NULL;
    if (wrong != NULL)
        return tell_error(hub, browser, message, wrong);
    if (!machine_takes_request(hub->machines[machine], browser->number))
        return tell_error(hub, browser, message, TOO_MANY_REQUESTS);
    struct post post = {.kind = kind, .browser = browser->number, .json = json_deep_copy(message)};
    machine_request(hub->machines[machine], &post);
}

static void receive_message(struct hub *hub, struct browser *browser, const json_t *message,
                            enum client_kind kind)
{
    switch (kind) {
    case CLIENT_HELLO:
        return hello(hub, browser, message);
    case CLIENT_CREDIT:
        outbox_give(&browser->outbox, (u64)json_integer_value(json_object_get(message, "bytes")));
        return hub->ready(browser->connection, false);
    case CLIENT_WATCH:
        return watch(hub, browser, message);
    case CLIENT_UNWATCH:
        return unwatch(hub, browser, (u64)json_integer_value(json_object_get(message, "id")));
    case CLIENT_ASK:
        return hand_on(hub, browser, message, REQUEST_ASK);
    default:
        return hand_on(hub, browser, message, REQUEST_ACT);
    }
}

void hub_receive(struct hub *hub, struct browser *browser, const char *text, size_t size)
{
    json_error_t error;
    json_t *message = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    enum client_kind kind;
    const char *wrong = message == NULL            ? "a message is no JSON"
                        : !json_is_object(message) ? "a message is no object"
                                                   : message_check(message, &kind);
    if (wrong != NULL)
        refuse(hub, browser, wrong, browser->role == ROLE_STRANGER);
    else if (browser->role == ROLE_STRANGER && kind != CLIENT_HELLO)
        refuse(hub, browser, "hello must come first", true);
    else
        receive_message(hub, browser, message, kind);
    json_decref(message);
}

// ---- what machines say -------------------------------------------------------------------------

static void publish(struct hub *hub, struct post *post)
{
    struct topic *topic = topics_find(&hub->topics, post->topic);
    if (topic == NULL)
        return; // the last browser has left meanwhile
    for (struct browser *browser = hub->browsers; browser != NULL; browser = browser->next) {
        outbox_publish(&browser->outbox, topic, post->block);
        hub->ready(browser->connection, false);
    }
}

// Ends the topic for all who watch it: {"type":"stopped","id":…,"message":…}
static void stop(struct hub *hub, struct post *post)
{
    for (struct browser *browser = hub->browsers; browser != NULL; browser = browser->next) {
        for (u32 i = browser->outbox.watch_count; i-- > 0;) {
            struct watch *watch = browser->outbox.watches[i];
            if (watch->topic->number != post->topic)
                continue;
            json_t *json = json_copy(post->json);
            json_object_set_new(json, "type", json_string("stopped"));
            json_object_set_new(json, "id", json_integer(watch->id));
            tell_json(hub, browser, json);
            drop_watch(hub, browser, watch);
        }
    }
}

static void take_names(struct hub *hub, struct post *post)
{
    struct sent_names *names = &hub->names[post->machine];
    names->blocks =
        memory_grow(names->blocks, names->count, &names->capacity, sizeof(struct block *));
    names->blocks[names->count++] = block_keep(post->block);
    for (struct browser *browser = hub->browsers; browser != NULL; browser = browser->next)
        hub->ready(browser->connection, false);
}

// Numbers of the machine's things begin again. All that it says from now on uses the new ones.
static void forget_machine(struct hub *hub, u32 machine)
{
    forget_names(&hub->names[machine]);
    for (struct browser *browser = hub->browsers; browser != NULL; browser = browser->next)
        outbox_reset_names(&browser->outbox, machine);
}

// Tells all browsers with a role. Keeps a machine's state for those who come later.
static void tell_all(struct hub *hub, struct post *post)
{
    if (post->block->whole) {
        block_release(hub->states[post->machine]);
        hub->states[post->machine] = block_keep(post->block);
    }
    for (struct browser *browser = hub->browsers; browser != NULL; browser = browser->next)
        if (browser->role != ROLE_STRANGER)
            tell(hub, browser, block_keep(post->block));
}

void hub_distribute(struct hub *hub)
{
    for (struct post *post = post_take(&hub->posts), *next; post != NULL; post = next) {
        next = post->next;
        switch (post->kind) {
        case POST_TOPIC:
            publish(hub, post);
            break;
        case POST_STOPPED:
            stop(hub, post);
            break;
        case POST_NAMES:
            take_names(hub, post);
            break;
        case POST_RESET:
            forget_machine(hub, post->machine);
            break;
        case POST_NOTICE:
            tell_all(hub, post);
            break;
        default: // an answer for one browser
            for (struct browser *at = hub->browsers; at != NULL; at = at->next)
                if (at->number == post->browser)
                    tell(hub, at, block_keep(post->block));
        }
        post_free(post);
    }
}
