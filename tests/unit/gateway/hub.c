// SPDX-License-Identifier: MIT
// Between browsers and machines, both played.
#include "unit.h"

#include "played.h"

#include <string.h>

// A browser.
struct page {
    struct browser *browser;
    bool ended;
};

static struct hub hub;

static void on_ready(void *connection, bool end)
{
    struct page *page = connection;
    page->ended = page->ended || end;
}

static int begin(void **state)
{
    (void)state;
    hub = (struct hub){0};
    hub_init(&hub, on_ready);
    played_begin(&hub, NULL, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (u32 i = 0; i < PLAYED_MACHINES; i++)
        played_drop_requests(i);
    played_end(&hub);
    hub_free(&hub);
    return 0;
}

static void say(struct page *page, const char *text)
{
    hub_receive(&hub, page->browser, text, strlen(text));
}

static void say_hello(struct page *page, const char *token)
{
    char text[128];
    snprintf(text, sizeof(text), "{\"type\":\"hello\",\"token\":\"%s\",\"version\":1}", token);
    say(page, text);
}

// The next message, or NULL. Of a frame: {"type": "frame", "id": …, "flags": …}.
static json_t *next_message(struct page *page)
{
    struct block *block = outbox_next(&page->browser->outbox, 0);
    if (block == NULL)
        return NULL;
    json_t *json;
    if (block->frame) {
        u32 id;
        memcpy(&id, block->data + 8, 4);
        json = json_pack("{s:s, s:i, s:i}", "type", "frame", "id", (int)id, "flags",
                         (int)block->data[1]);
    } else {
        json = json_loadb((const char *)block->data, block->size, 0, NULL);
    }
    assert_non_null(json);
    block_release(block);
    return json;
}

static void assert_next(struct page *page, const char *type)
{
    json_t *json = next_message(page);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "type")), type);
    json_decref(json);
}

static void assert_nothing(struct page *page)
{
    assert_null(next_message(page));
}

static void connect_page(struct page *page)
{
    *page = (struct page){.browser = hub_connect(&hub, page)};
}

static void enter(struct page *page, const char *token)
{
    connect_page(page);
    say_hello(page, token);
    json_t *welcome = next_message(page);
    assert_string_equal(json_string_value(json_object_get(welcome, "type")), "welcome");
    json_decref(welcome);
    while ((welcome = next_message(page)) != NULL) // states of machines
        json_decref(welcome);
}

static u64 assert_request(u32 machine, enum post_kind kind)
{
    struct post *request = played_request(machine);
    assert_non_null(request);
    assert_int_equal(request->kind, kind);
    u64 topic = request->topic;
    post_free(request);
    return topic;
}

#define WATCH(id, kind)                                                                            \
    "{\"type\":\"watch\",\"id\":" #id ",\"machine\":\"one\",\"kind\":\"" kind "\"}"

static void hello_comes_first(void **state)
{
    static const char *const others[] = {
        WATCH(1, "status"),
        "{\"type\":\"credit\",\"bytes\":1}",
        "{\"type\":\"unwatch\",\"id\":1}",
        "{\"type\":\"act\",\"id\":1,\"machine\":\"one\",\"do\":\"power_off\"}",
        "{\"type\":\"ask\",\"id\":1,\"machine\":\"one\",\"what\":\"object\"}",
        "{\"type\":\"hello\"}",
        "{",
        "[]",
        "",
        "7"};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        struct page page;
        connect_page(&page);
        say(&page, others[i]);
        assert_true(page.ended);
        assert_next(&page, "refused");
        assert_nothing(&page);
        hub_disconnect(&hub, page.browser);
    }
    assert_null(played_request(0));
}

static void hello_gets_role_machines_and_their_states(void **state)
{
    struct page page;
    (void)state;
    played_tell(&hub, 0, "waiting");
    played_tell(&hub, 0, "live");
    hub_distribute(&hub);
    connect_page(&page);
    say_hello(&page, hub.access.observer);
    json_t *json = next_message(&page);
    assert_string_equal(json_string_value(json_object_get(json, "role")), "observer");
    const json_t *machines = json_object_get(json, "machines");
    assert_int_equal(json_array_size(machines), 2);
    assert_string_equal(json_string_value(json_array_get(machines, 1)), "two");
    json_decref(json);
    json = next_message(&page);
    assert_string_equal(json_string_value(json_object_get(json, "state")), "live");
    json_decref(json);
    assert_nothing(&page);
    assert_int_equal(hub.served, 1);
    say_hello(&page, hub.access.controller); // who is in stays what it is
    assert_next(&page, "refused");
    assert_false(page.ended);
    assert_int_equal(page.browser->role, ROLE_OBSERVER);
    hub_disconnect(&hub, page.browser);
    assert_int_equal(hub.served, 0);
}

static void wrong_tokens_and_versions_are_refused(void **state)
{
    struct page page;
    (void)state;
    connect_page(&page);
    for (u32 i = 1; i <= TOKEN_TRIES; i++) {
        assert_false(page.ended);
        say_hello(&page, "00000000000000000000000000000000");
        assert_next(&page, "refused");
        assert_int_equal(page.browser->role, ROLE_STRANGER);
    }
    assert_true(page.ended);
    hub_disconnect(&hub, page.browser);
    connect_page(&page);
    say(&page, "{\"type\":\"hello\",\"token\":\"\",\"version\":2}");
    assert_true(page.ended);
    hub_disconnect(&hub, page.browser);
}

static void browsers_are_limited(void **state)
{
    struct page pages[BROWSERS + 1];
    (void)state;
    for (u32 i = 0; i < BROWSERS; i++)
        enter(&pages[i], hub.access.observer);
    struct page *last = &pages[BROWSERS];
    connect_page(last);
    say_hello(last, hub.access.controller);
    assert_next(last, "refused");
    assert_true(last->ended);
    hub_disconnect(&hub, last->browser);
    hub_disconnect(&hub, pages[3].browser);
    enter(last, hub.access.controller);
    assert_int_equal(last->browser->role, ROLE_CONTROLLER);
}

// Says an act. `rest`: what it does, and with what.
static void say_act(struct page *page, const char *rest)
{
    char text[160];
    snprintf(text, sizeof(text), "{\"type\":\"act\",\"id\":5,\"machine\":\"one\",\"do\":%s}", rest);
    say(page, text);
}

static void observers_are_refused_every_act(void **state)
{
    static const char *const acts[] = {"\"sample\",\"text\":\"larx\"",
                                       "\"workload_start\",\"text\":\"demo\"",
                                       "\"workload_stop\",\"number\":7",
                                       "\"kill\",\"number\":7",
                                       "\"move\",\"number\":7,\"to\":1",
                                       "\"console\",\"text\":\"demo\"",
                                       "\"power_off\""};
    struct page observer, controller;
    (void)state;
    enter(&observer, hub.access.observer);
    enter(&controller, hub.access.controller);
    for (size_t i = 0; i < ARRAY_SIZE(acts); i++) {
        say_act(&observer, acts[i]);
        assert_next(&observer, "error");
        assert_null(played_request(0));
        say_act(&controller, acts[i]);
        assert_nothing(&controller);
        assert_request(0, REQUEST_ACT);
    }
}

static void wrong_acts_do_not_come_to_the_machine(void **state)
{
    static const char *const wrong[] = {"\"anything\"",
                                        "\"sample\"",
                                        "\"kill\"",
                                        "\"kill\",\"number\":4294967304",
                                        "\"move\",\"number\":7",
                                        "\"power_off\",\"number\":7"};
    struct page pages[2];
    (void)state;
    enter(&pages[0], hub.access.observer);
    enter(&pages[1], hub.access.controller);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        for (size_t p = 0; p < ARRAY_SIZE(pages); p++) {
            say_act(&pages[p], wrong[i]);
            assert_next(&pages[p], "error");
            assert_nothing(&pages[p]);
            assert_null(played_request(0));
        }
}

static void a_topic_is_asked_for_once_and_ends_with_its_last_watcher(void **state)
{
    struct page one, other;
    (void)state;
    enter(&one, hub.access.observer);
    enter(&other, hub.access.observer);
    say(&one, WATCH(1, "status"));
    u64 topic = assert_request(0, REQUEST_WATCH);
    say(&other, WATCH(9, "status"));
    assert_int_equal(assert_request(0, REQUEST_REFRESH), topic);
    say(&one, "{\"type\":\"unwatch\",\"id\":1}");
    say(&one, "{\"type\":\"unwatch\",\"id\":1}");            // nobody watches that: nothing happens
    say(&other, "{\"type\":\"unwatch\",\"id\":4294967305}"); // 9 + 2^32 is no 9
    assert_null(played_request(0));
    say(&other, "{\"type\":\"unwatch\",\"id\":9}");
    assert_int_equal(assert_request(0, REQUEST_UNWATCH), topic);
    assert_null(hub.topics.first);
    // The same id again replaces what it meant; the same topic stays.
    say(&one, WATCH(1, "status"));
    u64 again = assert_request(0, REQUEST_WATCH);
    assert_int_not_equal(again, topic);
    // The machine hears of the end first: it has no more topics of a browser than that may watch.
    say(&one, WATCH(1, "console"));
    assert_int_equal(assert_request(0, REQUEST_UNWATCH), again);
    assert_request(0, REQUEST_WATCH);
    say(&one, WATCH(1, "console"));
    assert_request(0, REQUEST_REFRESH);
    assert_null(played_request(0));
    assert_int_equal(one.browser->outbox.watch_count, 1);
}

static void wrong_watches_change_nothing(void **state)
{
    static const char *const wrong[] = {
        "{\"type\":\"watch\",\"id\":1,\"machine\":\"three\",\"kind\":\"status\"}",
        "{\"type\":\"watch\",\"id\":4294967296,\"machine\":\"one\",\"kind\":\"status\"}",
        "{\"type\":\"watch\",\"id\":1,\"machine\":\"one\",\"kind\":\"nothing\"}",
        "{\"type\":\"watch\",\"id\":1,\"machine\":\"one\",\"kind\":\"heat\"}",
        "{\"type\":\"watch\",\"id\":1,\"machine\":\"one\",\"kind\":\"status\",\"to\":3}",
    };
    struct page page;
    char text[128];
    (void)state;
    enter(&page, hub.access.observer);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        say(&page, wrong[i]);
        assert_next(&page, "error");
    }
    assert_null(played_request(0));
    for (u32 i = 0; i <= TOPICS; i++) {
        snprintf(text, sizeof(text),
                 "{\"type\":\"watch\",\"id\":%u,\"machine\":\"one\",\"kind\":\"status\"}", i);
        say(&page, text);
    }
    assert_next(&page, "error"); // one too many
    assert_nothing(&page);
    assert_int_equal(page.browser->outbox.watch_count, TOPICS);
    say(&page, WATCH(3, "console")); // in the place of another
    assert_nothing(&page);
    assert_false(page.ended);
}

static void names_come_before_the_frames_that_use_them(void **state)
{
    struct page early, late;
    (void)state;
    enter(&early, hub.access.observer);
    say(&early, WATCH(1, "console"));
    u64 topic = assert_request(0, REQUEST_WATCH);
    played_names(&hub, 0, 1, true);
    played_names(&hub, 1, 1, true); // of a machine that it does not watch
    played_publish(&hub, topic, 8, true);
    hub_distribute(&hub);
    assert_next(&early, "names");
    assert_next(&early, "frame");
    assert_nothing(&early);
    played_names(&hub, 0, 2, false);
    hub_distribute(&hub);
    assert_next(&early, "names");
    enter(&late, hub.access.observer);
    assert_nothing(&late);
    say(&late, WATCH(1, "console"));
    assert_next(&late, "names");
    assert_next(&late, "names");
    assert_nothing(&late);
    played_names(&hub, 0, 1, true); // all anew
    hub_distribute(&hub);
    assert_next(&late, "names");
    assert_nothing(&late);
    assert_int_equal(hub.names[0].count, 1);
}

static void names_do_not_fill_the_queue_of_a_late_browser(void **state)
{
    const size_t bytes = FRAME_OUT_BYTES - 100;
    const u32 count = 2 * QUEUED_BYTES / FRAME_OUT_BYTES;
    struct page late;
    (void)state;
    char *label = memset(malloc(bytes), 'x', bytes);
    for (u32 i = 0; i < count; i++) {
        json_t *json = json_pack("{s:s, s:s%}", "type", "names", "label", label, bytes);
        post_send(&hub.posts, &(struct post){.kind = POST_NAMES, .block = block_of_json(json)});
    }
    free(label);
    hub_distribute(&hub);
    enter(&late, hub.access.observer);
    say(&late, WATCH(1, "objects"));
    played_publish(&hub, assert_request(0, REQUEST_WATCH), 8, true);
    hub_distribute(&hub);
    assert_false(late.ended);
    assert_int_equal(late.browser->outbox.queued, 0);
    for (u32 i = 0; i < count; i++)
        assert_next(&late, "names");
    assert_next(&late, "frame");
    assert_nothing(&late);
}

static void frames_with_old_numbers_are_not_sent_under_new_names(void **state)
{
    struct page page;
    (void)state;
    enter(&page, hub.access.observer);
    say(&page, WATCH(1, "objects"));
    u64 topic = assert_request(0, REQUEST_WATCH);
    played_names(&hub, 0, 1, true);
    played_publish(&hub, topic, 8, true);
    played_names(&hub, 1, 1, true); // of another machine
    hub_distribute(&hub);
    assert_next(&page, "names");
    played_names(&hub, 0, 1, true); // before it took the frame
    hub_distribute(&hub);
    assert_next(&page, "names");
    assert_nothing(&page);
    played_publish(&hub, topic, 8, true);
    hub_distribute(&hub);
    assert_next(&page, "frame");
}

// As the console's text. The first names come with a topic that is said later.
static void what_is_said_before_the_first_names_is_kept(void **state)
{
    struct page page;
    (void)state;
    enter(&page, hub.access.observer);
    say(&page, WATCH(1, "console"));
    u64 topic = assert_request(0, REQUEST_WATCH);
    post_send(&hub.posts, &(struct post){.kind = POST_RESET});
    played_publish(&hub, topic, 8, false);
    played_names(&hub, 0, 1, false);
    hub_distribute(&hub);
    assert_next(&page, "names");
    assert_next(&page, "frame");
    assert_nothing(&page);
}

static void answers_go_to_the_browser_that_asked(void **state)
{
    struct page one, other;
    (void)state;
    enter(&one, hub.access.observer);
    enter(&other, hub.access.observer);
    say(&one, "{\"type\":\"ask\",\"id\":5,\"machine\":\"two\",\"what\":\"object\"}");
    assert_null(played_request(0));
    struct post *request = played_request(1);
    assert_int_equal(request->kind, REQUEST_ASK);
    played_answer(&hub, request, "here");
    hub_distribute(&hub);
    assert_nothing(&other);
    assert_next(&one, "answer");
    played_answer(&hub, request, "too late");
    hub_disconnect(&hub, one.browser);
    enter(&one, hub.access.observer); // another one, which may have its memory
    hub_distribute(&hub);
    assert_nothing(&one);
    assert_nothing(&other);
    post_free(request);
}

static void a_browser_that_goes_ends_its_topics(void **state)
{
    struct page going, staying;
    (void)state;
    enter(&going, hub.access.observer);
    enter(&staying, hub.access.observer);
    say(&going, WATCH(1, "status"));
    u64 alone = assert_request(0, REQUEST_WATCH);
    say(&going, WATCH(2, "console"));
    u64 shared = assert_request(0, REQUEST_WATCH);
    say(&staying, WATCH(7, "console"));
    assert_request(0, REQUEST_REFRESH);
    played_publish(&hub, alone, 8, false);
    played_publish(&hub, shared, 8, false);
    hub_disconnect(&hub, going.browser); // before what was posted is handed out
    assert_int_equal(assert_request(0, REQUEST_UNWATCH), alone);
    assert_null(played_request(0));
    hub_distribute(&hub);
    assert_next(&staying, "frame");
    assert_nothing(&staying);
}

static void a_stopped_topic_is_told_to_each_by_its_id(void **state)
{
    struct page one, other;
    (void)state;
    enter(&one, hub.access.observer);
    enter(&other, hub.access.observer);
    say(&one, WATCH(1, "status"));
    u64 topic = assert_request(0, REQUEST_WATCH);
    say(&one, WATCH(2, "status"));
    say(&other, WATCH(3, "status"));
    struct post post = {
        .kind = POST_STOPPED, .topic = topic, .json = json_pack("{s:s}", "message", "gone")};
    post_send(&hub.posts, &post);
    hub_distribute(&hub);
    for (u32 i = 0; i < 3; i++) {
        json_t *json = next_message(i < 2 ? &one : &other);
        assert_string_equal(json_string_value(json_object_get(json, "type")), "stopped");
        assert_string_equal(json_string_value(json_object_get(json, "message")), "gone");
        s64 id = json_integer_value(json_object_get(json, "id"));
        assert_true(i < 2 ? id == 1 || id == 2 : id == 3);
        json_decref(json);
    }
    assert_null(hub.topics.first);
}

static void a_machine_that_grants_nothing_is_not_asked_for_more(void **state)
{
    static const char ask[] = "{\"type\":\"ask\",\"id\":5,\"machine\":\"one\",\"what\":\"object\"}";
    struct page page, other;
    (void)state;
    enter(&page, hub.access.controller);
    enter(&other, hub.access.observer);
    say(&page, WATCH(1, "status"));
    for (u32 i = 1; i < REQUESTS_WAITING; i++)
        say(&page, ask);
    assert_nothing(&page);
    say(&page, ask);
    assert_next(&page, "error");
    say(&page, "{\"type\":\"act\",\"id\":5,\"machine\":\"one\",\"do\":\"power_off\"}");
    assert_next(&page, "error");
    const struct topic *topic = page.browser->outbox.watches[0]->topic;
    say(&page, WATCH(1, "console")); // refused: it watches what it has watched
    assert_next(&page, "error");
    assert_ptr_equal(page.browser->outbox.watches[0]->topic, topic);
    say(&other, ask); // another browser, another machine
    assert_nothing(&other);
    say(&page, "{\"type\":\"ask\",\"id\":5,\"machine\":\"two\",\"what\":\"object\"}");
    assert_nothing(&page);
    say(&page, "{\"type\":\"unwatch\",\"id\":1}"); // an end is never refused
    assert_int_equal(page.browser->outbox.watch_count, 0);
    assert_int_equal(played_drop_requests(0), REQUESTS_WAITING + 2);
    say(&page, ask);
    assert_nothing(&page);
}

static void who_takes_nothing_is_ended(void **state)
{
    struct page page;
    (void)state;
    enter(&page, hub.access.observer);
    for (u32 i = 0; i < QUEUED_BYTES / 20 && !page.ended; i++)
        say(&page, "[]");
    assert_true(page.ended);
    assert_true(page.browser->outbox.queued <= QUEUED_BYTES);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(hello_comes_first),
        TEST(hello_gets_role_machines_and_their_states),
        TEST(wrong_tokens_and_versions_are_refused),
        TEST(browsers_are_limited),
        TEST(observers_are_refused_every_act),
        TEST(wrong_acts_do_not_come_to_the_machine),
        TEST(a_topic_is_asked_for_once_and_ends_with_its_last_watcher),
        TEST(wrong_watches_change_nothing),
        TEST(names_come_before_the_frames_that_use_them),
        TEST(names_do_not_fill_the_queue_of_a_late_browser),
        TEST(what_is_said_before_the_first_names_is_kept),
        TEST(frames_with_old_numbers_are_not_sent_under_new_names),
        TEST(answers_go_to_the_browser_that_asked),
        TEST(a_browser_that_goes_ends_its_topics),
        TEST(a_stopped_topic_is_told_to_each_by_its_id),
        TEST(a_machine_that_grants_nothing_is_not_asked_for_more),
        TEST(who_takes_nothing_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
