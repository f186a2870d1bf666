// SPDX-License-Identifier: MIT
// What OpenMetrics may know: lines by family, escapes, what is not known.
#include "unit.h"

#include "gateway/exposition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put(struct exposition *exposition, const char *machine, double up, double memory)
{
    struct exposition_draft draft;
    exposition_draft_begin(&draft, machine);
    exposition_add(&draft, EXPOSED_UP, up, LABELS_END);
    exposition_add(&draft, EXPOSED_PROCESS_MEMORY, memory, "pid", "7", "name", "a\\b\"c\nd",
                   LABELS_END);
    exposition_add(&draft, EXPOSED_EVENTS, 123456789012345, "event", "larx", LABELS_END);
    exposition_put(exposition, &draft);
}

static char *read_both(struct exposition *one, struct exposition *two)
{
    size_t size;
    char *text = exposition_read((struct exposition *[]){one, NULL, two}, 3, &size);
    assert_int_equal(strlen(text), size);
    assert_string_equal(text + size - 6, "# EOF\n");
    return text;
}

static void lines_stand_by_family_and_machine(void **state)
{
    struct exposition *one = exposition_new(), *two = exposition_new();
    (void)state;
    char *text = read_both(one, two);
    assert_null(strchr(text, '{')); // nothing is known yet
    free(text);
    put(one, "one", 1, 4096);
    put(two, "t\"w", 0, 8192);
    text = read_both(one, two);
    assert_non_null(strstr(text, "# TYPE orrery_up gauge\n# HELP orrery_up Whether the machine is "
                                 "connected.\norrery_up{machine=\"one\"} 1\n"
                                 "orrery_up{machine=\"t\\\"w\"} 0\n# TYPE"));
    assert_non_null(strstr(text, "orrery_process_memory_bytes{machine=\"one\",pid=\"7\","
                                 "name=\"a\\\\b\\\"c\\nd\"} 4096\n"));
    assert_non_null(
        strstr(text, "orrery_events_total{machine=\"one\",event=\"larx\"} 123456789012345\n"));
    free(text);
    exposition_free(one);
    exposition_free(two);
}

static void what_is_not_known_has_no_line(void **state)
{
    struct exposition *one = exposition_new();
    (void)state;
    put(one, "one", 1, NAN);
    char *text = read_both(one, NULL);
    assert_null(strstr(text, "orrery_process_memory_bytes{"));
    free(text);
    put(one, "one", 1, INFINITY); // in place of what was known
    text = read_both(one, NULL);
    assert_null(strstr(text, "orrery_process_memory_bytes{"));
    assert_ptr_equal(strstr(strstr(text, "orrery_up{") + 1, "orrery_up{"), NULL);
    free(text);
    exposition_free(one);
}

static void it_is_wanted_at_first_and_when_it_was_read(void **state)
{
    struct exposition *one = exposition_new();
    (void)state;
    assert_true(exposition_is_wanted(one));
    free(read_both(one, NULL));
    assert_true(exposition_is_wanted(one));
    exposition_free(one);
    exposition_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_stand_by_family_and_machine),
        cmocka_unit_test(what_is_not_known_has_no_line),
        cmocka_unit_test(it_is_wanted_at_first_and_when_it_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
