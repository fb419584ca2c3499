/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pattern/pattern.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static bool finds_in(const char *expression, enum pattern_place place, struct slice text)
{
    struct fault fault = {.text = ""};
    struct pattern *pattern;
    if (pattern_compile(expression, place, NULL, &pattern, &fault) < 0)
        fail_msg("%s", fault.text);
    bool const finds = pattern_matches(pattern, text);
    assert_int_equal(finds, pattern_matches(pattern, text)); /* by what it has learnt */
    assert_int_equal(pattern_given_up(pattern), 0);
    assert_int_equal(pattern_check(pattern, &fault), 0);
    pattern_destroy(pattern);
    return finds;
}

static bool finds(const char *expression, const char *text)
{
    return finds_in(expression, PATTERN_ANYWHERE, slice_of(text));
}

TEST(names_are_found)
{
    CHECK(finds("cache", "my_cache_insert") && !finds("cache", "my_cach"));
    CHECK(finds("", "") && finds("", "anything"));
    CHECK(finds("^(main|leaf)$", "leaf") && !finds("^(main|leaf)$", "leaf2"));
    CHECK(finds("operator\\(\\)", "a::operator()(int)") && finds("operator()", "operator"));
    CHECK(finds("std::.*<.*>::push_back", "std::vector<int, A<int> >::push_back(int&&)"));
    CHECK(finds("[[:upper:]_]+$", "alloc_MAX_") && !finds("^[^[:space:]]+$", "a b"));
    CHECK(finds("[]]", "]") && finds("[^]]", "a") && finds("[a-]", "-") && finds("[.[.-.]]", "-"));
    CHECK(finds("\\<cache\\>", "the cache!") && !finds("\\bcache\\b", "my_cache"));
    CHECK(finds("\\w\\W\\s\\S\\d\\D", "a: b1a") && finds("a\\.b", "a.b") && !finds("a\\.b", "acb"));
    CHECK(finds("(?:ab)+c", "ababc") && finds("a|", "x") && finds("(|b)c", "c"));
}

TEST(braces_that_count_nothing_are_braces)
{
    CHECK(finds("{lambda\\(\\)#1}", "main::{lambda()#1}::operator()") && finds("a{", "a{"));
    CHECK(finds("^a{2}$", "aa") && !finds("^a{2}$", "a") && finds("^a{,2}$", "aa"));
    CHECK(finds("^a{2,}b{0,1}c{0}$", "aaaab") && !finds("^a{2,3}$", "aaaa") &&
          finds("a{,}", "a{,}"));
    CHECK(finds("^(ab?){1,2}{2}$", "aaba") && finds("x)", "x)"));
}

TEST(letters_beyond_ascii_are_letters)
{
    CHECK(finds("^runtime\302\267f+$", "runtime\302\267ff"));
    CHECK(finds("^(\302\267)*$", "\302\267\302\267") && finds("^\302\267*$", "\302\267\302\267"));
    CHECK(finds("^a.b$", "a\303\244b") && finds("^a[^x]b$", "a\342\202\254b"));
    CHECK(finds("a.b", "a\377b")); /* no letter at all */
}

TEST(anchors_hold_where_they_stand)
{
    CHECK(!finds("^([^b]((\\Wc)*$c{0,2}){,2})$", "-c") && finds("(^a|b)+$", "xb"));
    CHECK(!finds("(b^a)?$x", "bax") && finds("(a|$)+", "") && finds("a(b$)?c?", "xabc"));
    CHECK(!finds("^(.((\\<.|[^b]a)){0,2}[b-c-]\\<)", "bc-") && finds("(\\bc)*d", "d"));
    CHECK(finds("\\Bb\\B", "abc") && !finds("\\Bb", "b") && finds("\\`a\\'", "a"));
    CHECK(finds("[ab]\\>", "ab-") && !finds("a\\>", "ab") && !finds("\\<b", "ab"));
}

TEST(places)
{
    CHECK(finds_in("b", PATTERN_AT_START, slice_of("ba")));
    CHECK(!finds_in("b|ab$", PATTERN_AT_START, slice_of("aba")));
    CHECK(finds_in("a|ab", PATTERN_WHOLE, slice_of("ab")));
    CHECK(!finds_in("a|b", PATTERN_WHOLE, slice_of("ab")));
    CHECK(finds_in("a.c", PATTERN_WHOLE, (struct slice){"a\0c", 3}));
    CHECK(finds_in("", PATTERN_WHOLE, (struct slice){NULL, 0}));
}

static void check_refused(const char *expression, const char *words)
{
    struct fault fault = {.text = ""};
    struct pattern *pattern = (void *)&fault;
    assert_int_equal(pattern_compile(expression, PATTERN_ANYWHERE, "--filter", &pattern, &fault),
                     -EINVAL);
    CHECK(!pattern && fault.code == -EINVAL);
    if (!strstr(fault.text, words) || strncmp(fault.text, "--filter \"", 10) != 0)
        fail_msg("%s says: %s", expression, fault.text);
    assert_int_equal(pattern_compile(expression, PATTERN_ANYWHERE, NULL, &pattern, NULL), -EINVAL);
}

TEST(what_is_wrong_is_told)
{
    check_refused("a(", "is no regular expression: a ( has no )");
    check_refused("a[", "a [ has no ]");
    check_refused("a[[:alp", "[: has no :]");
    check_refused("[[:letters:]]", "no such [:class:]");
    check_refused("[z-a]", "from the smaller letter");
    check_refused("[a-[:digit:]]", "not in a [:class:]");
    check_refused("[\303\244]", "letters in brackets are ASCII");
    check_refused("[[.ab.]]", "one letter each");
    check_refused("*a", "nothing before it");
    check_refused("(a|+)", "nothing before it");
    check_refused("^*", "nothing before it");
    check_refused("(a)\\1", "refers back");
    check_refused("a\\", "ends in a backslash");
    check_refused("a{3,2}", "the first number is the smaller");
}

static char *repeat(const char *text, unsigned times)
{
    size_t const size = strlen(text);
    char *all = malloc(size * times + 1);
    CHECK(all != NULL);
    for (unsigned i = 0; i < times; i++)
        memcpy(all + i * size, text, size);
    all[size * times] = '\0';
    return all;
}

TEST(what_is_too_large_is_refused)
{
    check_refused("(((a{1,255}){1,255}){1,255}){1,255}", "too large a regular expression");
    check_refused("a{40000}", "too large");
    check_refused("(.{99}){999999999999999999999}", "too large");
    static const struct {
        const char *text;
        unsigned times;
    } rows[] = {{"a", 1 << 20}, {"a|", 20000}, {"(", 101}, {"(a|", 1000}, {"()", 17000}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *expression = repeat(rows[i].text, rows[i].times);
        check_refused(expression, "too large");
        free(expression);
    }
    char *stars = repeat("*+?", 10000);
    stars[0] = 'a';
    CHECK(finds(stars, "b"));
    free(stars);
}

/* What takes others time by the square of the text, or more, or memory. */
TEST(costs_are_bounded)
{
    static const char *const expressions[] = {"(a+)+$",
                                              "(.*)*x",
                                              "(a|a)*[yz]",
                                              "a*[yz]",
                                              "(a*)*(a*)*(a*)*[yz]",
                                              "std::.*<.*>::y",
                                              "((a*)*|(b*)*)*c",
                                              "(a|ab|aba|abab)*c",
                                              "[^x]*[yz]",
                                              "a.{200}b.{200}c"};
    size_t const size = 1 << 20;
    char *text = malloc(size);
    CHECK(text != NULL);
    for (size_t i = 0; i < size; i++)
        text[i] = i * 7919 % 1031 % 3 ? 'a' : 'b';
    for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
        struct pattern *pattern;
        CHECK(pattern_compile(expressions[i], PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
        bool const ends_in_a = i == 0 && text[size - 1] == 'a';
        assert_int_equal(pattern_matches(pattern, (struct slice){text, size}), ends_in_a);
        pattern_destroy(pattern);
    }
    free(text);
}

/* What was forgotten is not used: thousands of states, more than are kept. */
TEST(states_that_are_forgotten_are_made_again)
{
    struct pattern *pattern;
    static char text[20000];
    uint64_t random = 3;
    CHECK(pattern_compile("a[ab]{12}[cd]", PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    for (size_t i = 0; i < sizeof(text); i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        text[i] = random >> 63 ? 'a' : 'b';
    }
    for (size_t i = 13; i + 13 < sizeof(text); i += 97) {
        char const was = text[i];
        text[i] = 'd';
        bool const found = pattern_matches(pattern, (struct slice){text, i + 1});
        text[i] = was;
        assert_int_equal(found, text[i - 13] == 'a');
    }
    assert_int_equal(pattern_given_up(pattern), 0);
    pattern_destroy(pattern);
}

TEST(what_came_before_is_remembered)
{
    struct pattern *pattern;
    CHECK(pattern_compile(".\\bb", PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    CHECK(pattern_matches(pattern, slice_of("-b")) && !pattern_matches(pattern, slice_of("ab")));
    CHECK(pattern_matches(pattern, slice_of("a-b")) && !pattern_matches(pattern, slice_of("b")));
    pattern_destroy(pattern);
}

/* Every byte of the text makes another state of thousands of steps. */
TEST(what_is_made_to_cost_is_given_up_and_told)
{
    struct fault fault = {.text = ""};
    struct pattern *pattern;
    CHECK(pattern_compile("(a|b)*a(a|b){5000}[yz]", PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    static char text[300000];
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof(text); i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        text[i] = random >> 63 ? 'a' : 'b';
    }
    CHECK(!pattern_matches(pattern, (struct slice){text, sizeof(text)}));
    CHECK(pattern_given_up(pattern) == 1);
    assert_int_equal(pattern_check(pattern, &fault), -EINVAL);
    CHECK(strstr(fault.text, "too much work for 1 of the names") && strstr(fault.text, "{5000}"));
    CHECK(!pattern_matches(pattern, slice_of("a"))); /* and goes on */
    pattern_destroy(pattern);
}

/* Expressions and texts by chance, compared with regcomp(3).  Anchors only outside: within
 * repetitions, regexec(3) finds what is not there. */

static unsigned draw(uint64_t *random, unsigned below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*random >> 33) % below;
}

static void write_expression(FILE *out, uint64_t *random, unsigned depth)
{
    static const char *const atoms[] = {"a",      "b",   "c",  "-",    ".",
                                        "[ab]",   "a",   "b",  "[^b]", "[[:alpha:]]",
                                        "[b-c-]", "\\w", "()", "c",    "\\W"};
    static const char *const counts[] = {"*",     "+",    "?",    "{2}", "{0,2}",
                                         "{1,3}", "{2,}", "{,2}", "{0}"};
    unsigned const parts = 1 + draw(random, 4);
    for (unsigned i = 0; i < parts; i++) {
        if (depth > 0 && draw(random, 3) == 0) {
            fputc('(', out);
            write_expression(out, random, depth - 1);
            fputc(')', out);
        } else {
            fputs(atoms[draw(random, sizeof(atoms) / sizeof(atoms[0]))], out);
        }
        if (draw(random, 3) == 0)
            fputs(counts[draw(random, sizeof(counts) / sizeof(counts[0]))], out);
        if (draw(random, 6) == 0)
            fputc('|', out);
    }
}

static void write_text(char *text, size_t size, uint64_t *random)
{
    size_t const length = draw(random, (unsigned)size);
    for (size_t i = 0; i < length; i++)
        text[i] = "aaabbc-c"[draw(random, 8)];
    text[length] = '\0';
}

static void compare(const char *expression, uint64_t *random)
{
    enum pattern_place const place = draw(random, 3);
    char wrapped[1024], text[12];
    regex_t regex;
    snprintf(wrapped, sizeof(wrapped), "%s%s%s", place == PATTERN_ANYWHERE ? "" : "^(", expression,
             place == PATTERN_ANYWHERE ? ""
             : place == PATTERN_WHOLE  ? ")$"
                                       : ")");
    struct pattern *pattern;
    (void)pattern_compile(expression, place, NULL, &pattern, NULL);
    int const err = regcomp(&regex, wrapped, REG_EXTENDED | REG_NOSUB);
    if ((err == 0) != (pattern != NULL))
        fail_msg("%s: regcomp says %d", expression, err);
    for (unsigned i = 0; pattern && i < 20; i++) {
        write_text(text, sizeof(text), random);
        bool const found = regexec(&regex, text, 0, NULL, 0) == 0;
        if (pattern_matches(pattern, slice_of(text)) != found)
            fail_msg("\"%s\" in \"%s\": regexec says %d", wrapped, text, found);
    }
    pattern_destroy(pattern);
    if (err == 0)
        regfree(&regex);
}

TEST(finds_what_regexec_finds)
{
    uint64_t random = 42;
    for (unsigned i = 0; i < 20000; i++) {
        char expression[1000];
        FILE *out = fmemopen(expression, sizeof(expression), "w");
        CHECK(out != NULL);
        write_expression(out, &random, 2);
        bool const is_whole = fflush(out) == 0 && ftell(out) < 900;
        fclose(out);
        if (is_whole)
            compare(expression, &random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(braces_that_count_nothing_are_braces),
        cmocka_unit_test(letters_beyond_ascii_are_letters),
        cmocka_unit_test(anchors_hold_where_they_stand),
        cmocka_unit_test(places),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(costs_are_bounded),
        cmocka_unit_test(states_that_are_forgotten_are_made_again),
        cmocka_unit_test(what_came_before_is_remembered),
        cmocka_unit_test(what_is_made_to_cost_is_given_up_and_told),
        cmocka_unit_test(finds_what_regexec_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
