// SPDX-License-Identifier: MIT
// Random messages of browsers at a hub with played machines: bytes, mutations of good messages,
// good ones in any order. Each is answered by JSON, limits hold, and memory stays flat.
//
//   gateway_fuzz                      a bounded run
//   KOV_FUZZ_ROUNDS=N KOV_FUZZ_SEED=S gateway_fuzz      for longer, or the same again
#include "unit.h"

#include "played.h"

#include <string.h>

#define PAGES 6
#define ROUNDS 6000
#define MEMORY_SLACK (1u << 20)

// Of the sanitizer.
size_t __sanitizer_get_current_allocated_bytes(void);

struct page {
    struct browser *browser;
    bool ended;
};

static struct hub hub;
static struct page pages[PAGES];
static u64 seed;
static u64 served, refused; // what came back

static u32 any(u32 below)
{
    return (u32)(unit_random(&seed) >> 32) % below;
}

static void on_ready(void *connection, bool end)
{
    struct page *page = connection;
    page->ended = page->ended || end;
}

// ---- messages ----------------------------------------------------------------------------------

static const char *pick(const char *const *words, u32 count)
{
    return words[any(count)];
}

#define PICK(words) pick(words, ARRAY_SIZE(words))

static const char *const types[] = {"hello", "credit", "watch", "unwatch", "ask", "act", "none"};
static const char *const machines[] = {"one", "two", "three", ""};
static const char *const kinds[] = {"objects",   "heat",    "metric", "series",
                                    "ranking",   "console", "status", "processes",
                                    "workloads", "marks",   "slices", "calls"};
static const char *const fields[] = {"token", "version", "id",     "machine", "kind",    "measure",
                                     "of",    "by",      "from",   "to",      "seconds", "do",
                                     "what",  "text",    "number", "bytes",   "width",   "other"};
static const char *const values[] = {"0",
                                     "1",
                                     "-1",
                                     "9007199254740992",
                                     "9007199254740993",
                                     "18446744073709551616",
                                     "4294967297",
                                     "1e308",
                                     "1e999",
                                     "0.5",
                                     "null",
                                     "true",
                                     "[]",
                                     "{}",
                                     "[[[[{\"a\":[]}]]]]",
                                     "\"\"",
                                     "\"one\"",
                                     "\"m\"",
                                     "\"o:1:ff\"",
                                     "\"\\u0000\"",
                                     "\"\\ud800\"",
                                     "\"\xff\"",
                                     "\"\xc3\xa4\"",
                                     "nul"};

static void add_field(char *text, size_t size, const char *name, const char *value)
{
    size_t at = strlen(text);
    snprintf(text + at, size - at, ",\"%s\":%s", name, value);
}

static void make_message(char *text, size_t size)
{
    const char *type = PICK(types);
    snprintf(text, size, "{\"type\":\"%s\"", type);
    char quoted[64], number[24];
    snprintf(number, sizeof(number), "%u", any(TOPICS + 20));
    if (strcmp(type, "hello") == 0) {
        snprintf(quoted, sizeof(quoted), "\"%s\"",
                 any(3) == 0 ? hub.access.observer : hub.access.controller);
        add_field(text, size, "token", quoted);
        add_field(text, size, "version", "1");
    } else if (strcmp(type, "credit") == 0) {
        add_field(text, size, "bytes", number);
    } else {
        snprintf(quoted, sizeof(quoted), "\"%s\"", PICK(machines));
        add_field(text, size, "id", number);
        if (strcmp(type, "unwatch") != 0)
            add_field(text, size, "machine", quoted);
        snprintf(quoted, sizeof(quoted), "\"%s\"", PICK(kinds));
        if (strcmp(type, "watch") == 0)
            add_field(text, size, "kind", quoted);
        if (strcmp(type, "act") == 0)
            add_field(text, size, "do", quoted);
        if (strcmp(type, "ask") == 0)
            add_field(text, size, "what", quoted);
        if (strcmp(type, "watch") == 0 && any(2) == 0)
            add_field(text, size, "measure", "\"larx\"");
    }
    for (u32 more = any(4) == 0 ? any(4) : 0; more > 0; more--)
        add_field(text, size, PICK(fields), PICK(values));
    strncat(text, "}", size - strlen(text) - 1);
}

static void say_something(struct page *page)
{
    static char text[MESSAGE_IN_BYTES + 1];
    size_t size;
    u32 kind = any(10);
    if (kind == 0) { // bytes; often the same, for depth
        size = any(any(8) == 0 ? MESSAGE_IN_BYTES : 200);
        u32 among = any(3);
        for (size_t i = 0; i < size; i++)
            text[i] = among == 0 ? '[' : among == 1 ? "{}[]\",:0\\ue"[any(11)] : (char)any(256);
    } else {
        make_message(text, sizeof(text));
        size = strlen(text);
    }
    for (u32 changes = kind == 1 ? 1 + any(4) : 0; changes > 0; changes--)
        text[any((u32)size)] ^= (char)(1 << any(8));
    if (kind == 2)
        size = any((u32)size);
    // A copy of just that size, so that reading on is seen.
    char *exact = memcpy(malloc(size + (size == 0)), text, size);
    hub_receive(&hub, page->browser, exact, size);
    free(exact);
}

// ---- both sides --------------------------------------------------------------------------------

static void take_messages(struct page *page, u32 count)
{
    struct block *block;
    while (count-- > 0 && (block = outbox_next(&page->browser->outbox, 0)) != NULL) {
        if (!block->frame) {
            json_t *json = json_loadb((const char *)block->data, block->size, 0, NULL);
            assert_non_null(json);
            bool no = json_object_get(json, "message") != NULL;
            refused += no;
            served += !no;
            json_decref(json);
        }
        block_release(block);
    }
}

static void reconnect(struct page *page)
{
    char text[128];
    if (page->browser != NULL)
        hub_disconnect(&hub, page->browser);
    *page = (struct page){.browser = hub_connect(&hub, page)};
    snprintf(text, sizeof(text), "{\"type\":\"hello\",\"token\":\"%s\",\"version\":1}",
             any(2) == 0 ? hub.access.observer : hub.access.controller);
    if (any(8) != 0)
        hub_receive(&hub, page->browser, text, strlen(text));
}

static void play_machines(void)
{
    u64 newest = hub.topics.last_number;
    for (u32 machine = 0; machine < PLAYED_MACHINES; machine++) {
        for (struct post *request; (request = played_request(machine)) != NULL;
             post_free(request)) {
            assert_in_range(request->kind, REQUEST_WATCH, REQUEST_ACT);
            if (request->kind == REQUEST_ASK || request->kind == REQUEST_ACT)
                played_answer(&hub, request, "done");
        }
        if (any(8) == 0)
            played_names(&hub, machine, any(100), any(4) == 0);
        if (any(8) == 0)
            played_tell(&hub, machine, "live");
    }
    for (u32 i = any(6); i > 0 && newest > 0; i--)
        played_publish(&hub, newest - any(newest < 100 ? (u32)newest : 100), any(3000),
                       any(2) == 0);
    if (any(16) == 0) {
        struct post post = {.kind = POST_STOPPED,
                            .topic = newest - any(100),
                            .json = json_pack("{s:s}", "message", "gone")};
        post_send(&hub.posts, &post);
    }
    hub_distribute(&hub);
}

static void check_limits(void)
{
    u32 watches = 0, watchers = 0;
    for (u32 i = 0; i < PAGES; i++) {
        const struct outbox *outbox = &pages[i].browser->outbox;
        assert_true(outbox->watch_count <= TOPICS);
        assert_true(outbox->queued <= QUEUED_BYTES);
        assert_true(outbox->credit <= CREDIT_BYTES);
        watches += outbox->watch_count;
    }
    for (const struct topic *topic = hub.topics.first; topic != NULL; topic = topic->next)
        watchers += topic->watchers;
    assert_int_equal(watches, watchers);
}

static void leave_all(void)
{
    for (u32 i = 0; i < PAGES; i++) {
        if (pages[i].browser != NULL)
            hub_disconnect(&hub, pages[i].browser);
        pages[i].browser = NULL;
    }
    play_machines();
    played_drop_requests(0);
    played_drop_requests(1);
    for (u32 machine = 0; machine < PLAYED_MACHINES; machine++)
        played_names(&hub, machine, 1, true);
    hub_distribute(&hub);
    assert_null(hub.topics.first);
    assert_int_equal(hub.served, 0);
}

static void run(u64 messages)
{
    for (u32 i = 0; i < PAGES; i++)
        reconnect(&pages[i]);
    for (u64 message = 0; message < messages; message++) {
        struct page *page = &pages[any(PAGES)];
        if (page->ended)
            take_messages(page, UINT32_MAX);
        if (page->ended || any(200) == 0)
            reconnect(page);
        say_something(page);
        if (any(4) == 0)
            take_messages(page, any(50));
        if (any(8) == 0)
            play_machines();
        if (message % 256 == 0)
            check_limits();
    }
    leave_all();
}

static void random_messages_harm_nobody(void **state)
{
    const char *request = getenv("KOV_FUZZ_SEED");
    u64 rounds = unit_fuzz_rounds(ROUNDS);
    (void)state;
    seed = request != NULL ? strtoull(request, NULL, 0) : 42;
    printf("again: KOV_FUZZ_ROUNDS=%lu KOV_FUZZ_SEED=%lu\n", rounds, seed);
    hub_init(&hub, on_ready);
    played_begin(&hub, NULL, NULL);
    run(rounds / 2);
    size_t before = __sanitizer_get_current_allocated_bytes();
    run(rounds - rounds / 2);
    size_t after = __sanitizer_get_current_allocated_bytes();
    printf("%lu answers, %lu refusals; memory in use %zu, then %zu bytes\n", served, refused,
           before, after);
    assert_true(after <= before + MEMORY_SLACK);
    assert_true(served > rounds / 100);
    assert_true(refused > rounds / 100);
    played_end(&hub);
    hub_free(&hub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_messages_harm_nobody)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
