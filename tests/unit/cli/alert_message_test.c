/* SPDX-License-Identifier: Apache-2.0 */
/* alert_message_test.c - a recorder that was taken over: what it tells the process that acts on
 * alerts is bounded, and nothing else is done. */
#include "cli/alerts/alert_message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cli/alerts/alert_broker.h"

static struct sentry_options options;
static struct alert_bounds const bounds = {&options, "folder/out", "folder"};
static struct alert_message message;

static void add_rule(const char *text)
{
    CHECK(alert_rule_parse(text, &options.rules[options.rule_count++], NULL) == 0);
}

static int set_up(void **state)
{
    (void)state;
    sentry_options_init(&options);
    add_rule("rss>1M");
    add_rule("psi>10%");
    add_rule("psi>10% for 1s");
    return 0;
}

static void fire(const char *program, const char *path, const char *json)
{
    memset(&message, 0, sizeof(message));
    message.what = ALERT_FIRED;
    message.pid = 4242;
    message.value = 2e6;
    message.threshold = 1e6;
    strcpy(message.program, program);
    strcpy(message.path, path);
    strcpy(message.json, json);
    message.json_size = (uint32_t)strlen(json);
}

static bool is_valid(void)
{
    return alert_message_is_valid(&message, ALERT_MESSAGE_HEAD + message.json_size, &bounds);
}

TEST(an_alert_is_told)
{
    fire("/usr/bin/node", "folder/out", "{\"alert\": 1}\n");
    CHECK(is_valid());
    fire("", "folder/node.4242.memoir", "");
    CHECK(is_valid());
}

TEST(no_rule_but_those_of_the_command_line)
{
    fire("node", "folder/out", "{}");
    message.rule = options.rule_count;
    CHECK(!is_valid());
    message.rule = 0;
    message.what = ALERT_WHATS;
    CHECK(!is_valid());
}

TEST(no_file_but_recordings)
{
    static const char *const paths[] = {
        "/etc/shadow",          "folder/../x.memoir", "folder/-rf.memoir", "folder/$(id).memoir",
        "folder/a\033c.memoir", "folder/.x.memoir",   "folder/a b.memoir", "x.memoir"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        fire("node", paths[i], "{}");
        CHECK(!is_valid());
    }
}

TEST(no_text_that_steers_or_does_not_end)
{
    fire("no\033[2Jde", "folder/out", "{}");
    CHECK(!is_valid());
    fire("node", "folder/out", "{\"a\": \"\033[2J\"}");
    CHECK(!is_valid());
    fire("node", "folder/out", "[]");
    CHECK(!is_valid());
    fire("node", "folder/out", "{}");
    memset(message.program, 'a', sizeof(message.program));
    CHECK(!is_valid());
    fire("node", "folder/out", "{}");
    memset(message.path, 'a', sizeof(message.path));
    CHECK(!is_valid());
}

TEST(no_number_that_is_none)
{
    fire("node", "folder/out", "{}");
    message.value = NAN;
    CHECK(!is_valid());
    fire("node", "folder/out", "{}");
    message.threshold = INFINITY;
    CHECK(!is_valid());
    fire("node", "folder/out", "{}");
    message.pid = (1u << 22) + 1;
    CHECK(!is_valid());
}

TEST(the_size_is_that_of_the_text)
{
    fire("node", "folder/out", "{}");
    CHECK(!alert_message_is_valid(&message, ALERT_MESSAGE_HEAD + 1, &bounds));
    CHECK(!alert_message_is_valid(&message, 3, &bounds));
    message.json_size = UINT32_MAX;
    CHECK(!is_valid());
}

static void ask_trigger(uint32_t rule, const char *path)
{
    memset(&message, 0, sizeof(message));
    message.what = ALERT_TRIGGER;
    message.rule = rule;
    strcpy(message.path, path);
}

TEST(triggers_are_of_pressure_alone)
{
    static const char *const refused[] = {"/etc/shadow",
                                          "/sys/fs/cgroup/a/cgroup.kill",
                                          "/sys/fs/cgroup/../../../tmp/memory.pressure",
                                          "/proc/pressure/../1/mem",
                                          "memory.pressure",
                                          ""};
    ask_trigger(1, "/proc/pressure/memory");
    CHECK(is_valid());
    ask_trigger(1, "/sys/fs/cgroup/a.slice/b/memory.pressure");
    CHECK(is_valid());
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ask_trigger(1, refused[i]);
        CHECK(!is_valid());
    }
    ask_trigger(0, "/proc/pressure/memory");
    CHECK(!is_valid());
    ask_trigger(2, "/proc/pressure/memory");
    CHECK(!is_valid());
}

TEST(an_answer_is_whole)
{
    struct alert_reply reply = {.window_us = 1000000, .asked_us = 1000};
    CHECK(alert_reply_is_valid(&reply, sizeof(reply)));
    CHECK(!alert_reply_is_valid(&reply, sizeof(reply) - 1));
    reply.asked_us = 2000000;
    CHECK(!alert_reply_is_valid(&reply, sizeof(reply)));
    reply = (struct alert_reply){.err = 1};
    CHECK(!alert_reply_is_valid(&reply, sizeof(reply)));
}

/* The process does what it is asked for, and no more. */
TEST(the_program_of_the_command_line_runs_with_what_was_told)
{
    char folder[] = "/tmp/memoir-alerts-XXXXXX", script[64], told[64], text[256] = "";
    CHECK(mkdtemp(folder));
    snprintf(script, sizeof(script), "%s/tell", folder);
    snprintf(told, sizeof(told), "%s/told", folder);
    FILE *file = fopen(script, "w");
    CHECK(file);
    fprintf(file, "#!/bin/sh\necho \"$1 $2 $3 $4 $MEMOIR_ALERT_PROGRAM\" >>%s\n", told);
    fclose(file);
    CHECK(chmod(script, 0700) == 0);
    options.exec = script;
    struct fault fault;
    struct alert_broker *broker = alert_broker_begin(&bounds, &fault);
    CHECK(broker);
    struct alert_news news = {.pid = 42,
                              .value = 2e6,
                              .threshold = 1e6,
                              .program = "n\033ode",
                              .recording = "folder/out",
                              .json = "{}"};
    alert_broker_fire(broker, &news);
    news.recording = "/etc/shadow";
    alert_broker_fire(broker, &news); /* refused with a sentence */
    struct pressure_trigger trigger;
    CHECK(alert_broker_trigger(broker, &trigger, "/etc/shadow", 1) == -EINVAL);
    CHECK(trigger.fd < 0);
    alert_broker_end(broker);
    options.exec = NULL;
    file = fopen(told, "r");
    CHECK(file);
    size_t const size = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    CHECK(size > 0);
    assert_string_equal(text, "rss>1M 2000000 42 folder/out n?ode\n");
    unlink(told);
    unlink(script);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_alert_is_told),
        cmocka_unit_test(no_rule_but_those_of_the_command_line),
        cmocka_unit_test(no_file_but_recordings),
        cmocka_unit_test(no_text_that_steers_or_does_not_end),
        cmocka_unit_test(no_number_that_is_none),
        cmocka_unit_test(the_size_is_that_of_the_text),
        cmocka_unit_test(triggers_are_of_pressure_alone),
        cmocka_unit_test(an_answer_is_whole),
        cmocka_unit_test(the_program_of_the_command_line_runs_with_what_was_told),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
