// SPDX-License-Identifier: MIT
// Tokens, roles, Host and Origin.
#include "unit.h"

#include "gateway/access.h"
#include "tools/kov.h"

#include <string.h>

static void tokens_are_random_and_tell_roles(void **state)
{
    struct access one, other;
    (void)state;
    assert_int_equal(access_init(&one), KOV_OK);
    assert_int_equal(access_init(&other), KOV_OK);
    const char *tokens[] = {one.observer, one.controller, other.observer, other.controller};
    for (size_t i = 0; i < ARRAY_SIZE(tokens); i++) {
        assert_int_equal(strlen(tokens[i]), 32);
        assert_int_equal(strspn(tokens[i], "0123456789abcdef"), 32);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(tokens[i], tokens[j]);
    }
    assert_int_equal(access_role_of(&one, one.observer), ROLE_OBSERVER);
    assert_int_equal(access_role_of(&one, one.controller), ROLE_CONTROLLER);
    assert_int_equal(access_role_of(&one, other.controller), ROLE_STRANGER);
    assert_string_equal(access_role_name(ROLE_CONTROLLER), "controller");
}

static void every_character_of_a_token_counts(void **state)
{
    struct access access;
    (void)state;
    access_init(&access);
    for (size_t i = 0; i < 32; i++) {
        char wrong[ACCESS_TOKEN_TEXT];
        memcpy(wrong, access.controller, sizeof(wrong));
        wrong[i] ^= 1;
        assert_int_equal(access_role_of(&access, wrong), ROLE_STRANGER);
        wrong[i] = 0;
        assert_int_equal(access_role_of(&access, wrong), ROLE_STRANGER);
    }
    char longer[ACCESS_TOKEN_TEXT + 1];
    snprintf(longer, sizeof(longer), "%s0", access.controller);
    assert_int_equal(access_role_of(&access, longer), ROLE_STRANGER);
    assert_int_equal(access_role_of(&access, ""), ROLE_STRANGER);
}

static void metrics_have_a_token_of_their_own(void **state)
{
    struct access access = {0};
    char header[64];
    (void)state;
    access_init(&access);
    assert_false(access_reads_metrics(&access, "Bearer ")); // nobody reads them
    assert_int_equal(access_open_metrics(&access), KOV_OK);
    assert_int_equal(access_role_of(&access, access.metrics), ROLE_STRANGER);
    snprintf(header, sizeof(header), "Bearer %s", access.metrics);
    assert_true(access_reads_metrics(&access, header));
    for (size_t i = 0; header[i] != 0; i++) {
        header[i] ^= 1;
        assert_false(access_reads_metrics(&access, header));
        header[i] ^= 1;
    }
    snprintf(header, sizeof(header), "Bearer %s", access.controller);
    assert_false(access_reads_metrics(&access, header));
    snprintf(header, sizeof(header), "Bearer %s0", access.metrics);
    assert_false(access_reads_metrics(&access, header));
    assert_false(access_reads_metrics(&access, access.metrics));
    assert_false(access_reads_metrics(&access, ""));
}

static void host_and_origin_are_compared_byte_for_byte(void **state)
{
    static const char *const others[] = {"",
                                         "127.0.0.1",
                                         "127.0.0.1:8421",
                                         "127.0.0.1:84200",
                                         " 127.0.0.1:8420",
                                         "localhost:8420",
                                         "127.0.0.1:8420.",
                                         "127.0.0.1:08420",
                                         "[::1]:8420",
                                         "null"};
    struct access access = {0};
    char origin[64];
    (void)state;
    access_set_port(&access, 8420);
    assert_true(access_host_is_ours(&access, "127.0.0.1:8420"));
    assert_true(access_origin_is_ours(&access, "http://127.0.0.1:8420"));
    assert_false(access_origin_is_ours(&access, "https://127.0.0.1:8420"));
    assert_false(access_origin_is_ours(&access, "127.0.0.1:8420"));
    assert_false(access_origin_is_ours(&access, "HTTP://127.0.0.1:8420"));
    assert_false(access_origin_is_ours(&access, "http://127.0.0.1:8420/"));
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        snprintf(origin, sizeof(origin), "http://%s", others[i]);
        assert_false(access_host_is_ours(&access, others[i]));
        assert_false(access_origin_is_ours(&access, origin));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_random_and_tell_roles),
        cmocka_unit_test(every_character_of_a_token_counts),
        cmocka_unit_test(metrics_have_a_token_of_their_own),
        cmocka_unit_test(host_and_origin_are_compared_byte_for_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
