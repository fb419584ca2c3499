/* SPDX-License-Identifier: Apache-2.0 */
/* Recorders that behave in chosen ways, which the real one cannot be made to; that one is in
 * tests/system/cluster/nodes.sh. */
#include "scrape/local/local_capture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "sleeper.h"

static char folder[] = "/tmp/memoir-local-XXXXXX";
static char told[4096];
static struct node node;
static struct node_list list;
static struct node *nodes[1] = {&node};

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int finish(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static void hear(void *context, const struct node *who, const char *why)
{
    (void)context;
    CHECK(who == &node);
    strncat(told, why, sizeof(told) - strlen(told) - 2);
    strcat(told, "\n");
}

/* A recorder with this behaviour, for a node that is `target`. */
static struct local_capture *capture_of(const char *behaviour, pid_t target, uint32_t recordings)
{
    static char path[64];
    snprintf(path, sizeof(path), "%s/recorder", folder);
    unlink(path);
    FILE *file = fopen(path, "w");
    CHECK(file && fprintf(file, "#!/bin/sh\n%s\n", behaviour) > 0 && fclose(file) == 0 &&
          chmod(path, 0700) == 0);
    free(node.process.memory);
    node = (struct node){.name = "n",
                         .nick = "n",
                         .has_process = true,
                         .recordings = recordings,
                         .process = {.pid = (uint32_t)target}};
    list.nodes.items = nodes;
    list.nodes.count = list.nodes.room = 1;
    told[0] = '\0';
    return local_capture_create(path, folder, hear, NULL, NULL);
}

static bool is_there(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void remove_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    unlink(path);
}

#define GOOD "trap 'exit 0' INT; echo \"$@\" >\"$4\"; while :; do sleep 0.01; done"

TEST(a_recorder_runs_until_it_is_ended)
{
    pid_t const target = start_sleeper();
    struct local_capture *capture = capture_of(GOOD, target, RECORDING_HEAP | RECORDING_CPU);
    assert_int_equal(local_capture_begin(capture, &list), 1);
    while (!is_there("n.memoir"))
        usleep(1000);
    local_capture_look(capture);
    assert_int_equal(local_capture_count(capture), 1);
    local_capture_end(capture);
    assert_int_equal(local_capture_count(capture), 0);
    assert_string_equal(told, "");
    char path[128], line[256], expected[256];
    snprintf(path, sizeof(path), "%s/n.memoir", folder);
    FILE *file = fopen(path, "r");
    CHECK(file && fgets(line, sizeof(line), file));
    fclose(file);
    snprintf(expected, sizeof(expected), "attach %d -o %s --quiet --cpu\n", (int)target, path);
    assert_string_equal(line, expected);
    local_capture_destroy(capture);
    remove_file("n.memoir");
    end(target);
}

TEST(pages_and_time_without_the_heap_are_two_recordings)
{
    pid_t const target = start_sleeper();
    struct local_capture *capture = capture_of(GOOD, target, RECORDING_PAGES | RECORDING_CPU);
    assert_int_equal(local_capture_begin(capture, &list), 2);
    while (!is_there("n.pages.memoir") || !is_there("n.cpu.memoir"))
        usleep(1000);
    local_capture_destroy(capture);
    assert_string_equal(told, "");
    remove_file("n.pages.memoir");
    remove_file("n.cpu.memoir");
    end(target);
}

TEST(a_recorder_that_fails_is_told_once_with_its_last_words)
{
    struct local_capture *capture = capture_of(
        "echo first >&2; echo 'not permitted: ask root' >&2; exit 1", getpid(), RECORDING_HEAP);
    assert_int_equal(local_capture_begin(capture, &list), 1);
    while (!told[0]) {
        local_capture_look(capture);
        usleep(1000);
    }
    assert_string_equal(told, "n: no recording by memoir attach: not permitted: ask root\n");
    local_capture_look(capture);
    assert_string_equal(told, "n: no recording by memoir attach: not permitted: ask root\n");
    local_capture_destroy(capture);
}

TEST(a_program_that_cannot_be_run_is_told)
{
    struct local_capture *capture = capture_of("", getpid(), RECORDING_CPU);
    remove_file("recorder");
    local_capture_begin(capture, &list);
    while (!told[0]) {
        local_capture_look(capture);
        usleep(1000);
    }
    CHECK(strstr(told, "cannot be run"));
    local_capture_destroy(capture);
}

TEST(c2_a_node_that_is_started_again_is_recorded_again)
{
    char path[] = "/tmp/memoir-pid-XXXXXX";
    close(mkstemp(path));
    pid_t const first = start_sleeper(), second = start_sleeper();
    struct local_capture *capture = capture_of(
        "trap 'exit 0' INT; echo $2 >\"$4\"; while kill -0 $2 2>/dev/null; do sleep 0.01; done",
        first, RECORDING_HEAP);
    node.process = (struct node_process){.pid_file = path};
    FILE *file = fopen(path, "w");
    CHECK(file && fprintf(file, "%d\n", (int)first) > 0 && fclose(file) == 0);
    assert_int_equal(local_capture_begin(capture, &list), 1);
    while (!is_there("n.memoir"))
        usleep(1000);
    end(first);
    while (local_capture_count(capture)) {
        local_capture_look(capture);
        usleep(1000);
    }
    CHECK(strstr(told, "has ended")); /* the node, once */
    file = fopen(path, "w");
    CHECK(file && fprintf(file, "%d\n", (int)second) > 0 && fclose(file) == 0);
    local_capture_look(capture);
    assert_int_equal(local_capture_count(capture), 1);
    while (!is_there("n-2.memoir"))
        usleep(1000);
    local_capture_destroy(capture);
    end(second);
    unlink(path);
    node.process.pid_file = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorder_runs_until_it_is_ended),
        cmocka_unit_test(pages_and_time_without_the_heap_are_two_recordings),
        cmocka_unit_test(a_recorder_that_fails_is_told_once_with_its_last_words),
        cmocka_unit_test(a_program_that_cannot_be_run_is_told),
        cmocka_unit_test(c2_a_node_that_is_started_again_is_recorded_again),
    };
    int const failed = cmocka_run_group_tests(tests, begin, finish);
    free(node.process.memory);
    return failed;
}
