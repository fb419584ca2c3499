/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/target_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "serve/targets/node_rows.h"
#include "serve/targets/served_run.h"

static char folder[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(void)
{
    snprintf(folder, sizeof(folder), "/tmp/target-list-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a folder of ours */
}

/* A heap profile in the text that Go writes with debug=1. */
#define HEAP "heap profile: 1: 64 [1: 64] @ heap/1048576\n1: 64 [1: 64] @ 0x1 0x2\n"

TEST(nodes_of_a_run)
{
    make_folder();
    put("a:1.20260528_000000.heap", HEAP);
    put("a:1.20260528_000000.goroutine", "");
    put("b:1.20260528_001000.heap", HEAP);
    put("b:1.20260528_001000.metrics", "x 1\n");
    struct target_list list = {0};
    struct target_options const options = {.path = folder, .sites = 20};
    struct fault fault = {.text = ""};
    assert_int_equal(target_list_open_run(&list, &options, &fault), 0);
    assert_int_equal(list.items.count, 4); /* all of it, a: heap and goroutine, b: heap */
    assert_int_equal(target_kind(list.items.items[0]), TARGET_RUN);
    assert_int_equal(target_kind(list.items.items[3]), TARGET_NODE);
    assert_string_equal(target_nick(list.items.items[3]), "b:1");
    assert_string_equal(target_profile(list.items.items[2]), "goroutine");
    assert_false(target_is_open(list.items.items[1]));
    const struct running *running;
    struct recording *recording = target_recording(list.items.items[3], &running, &fault);
    assert_non_null(recording);
    assert_true(target_is_open(list.items.items[3]));
    /* One clock: it came ten minutes after the run began. */
    assert_int_equal(running_time(running), UINT64_C(600000000000));
    assert_null(target_recording(list.items.items[2], NULL, &fault)); /* nothing is in it */
    assert_true(fault.text[0]);
    target_rest(list.items.items[3]);
    assert_false(target_is_open(list.items.items[3]));
    target_list_close(&list);
    remove_folder();
}

static struct target *open_kind(enum target_kind kind, const char *name, uint32_t pid)
{
    static char path[256]; /* targets do not copy it */
    struct target_options options = {.kind = kind, .pid = pid, .sites = 20};
    struct fault fault = {.text = ""};
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    options.path = *name ? path : NULL;
    return target_open(&options, &fault);
}

TEST(a_file_of_another_program)
{
    struct memory_status memory;
    struct fault fault = {.text = ""};
    make_folder();
    put("heap", HEAP);
    struct target *target = open_kind(TARGET_FOREIGN, "heap", 0);
    assert_non_null(target);
    assert_true(target_is_open(target) && target_has_row(target) && target_is_told(target));
    assert_false(target_is_read_late(target));
    assert_string_equal(target_kind_name(target), "recording");
    assert_string_equal(target_file(target), "heap");
    assert_non_null(target_recording(target, NULL, &fault));
    assert_int_equal(target_memory(target, &memory, &fault), -ENOENT);
    assert_int_equal(target_known_memory(target, &memory), -ESRCH);
    target_close(target);
    assert_null(open_kind(TARGET_FOREIGN, "no such file", 0));
    assert_null(open_kind(TARGET_RECORDING, "heap", 0));
    remove_folder();
}

TEST(a_history_has_no_recording)
{
    struct fault fault = {.text = ""};
    make_folder();
    struct target *target = open_kind(TARGET_HISTORY, "weeks.db", 0);
    assert_non_null(target);
    assert_non_null(strstr(target_history(target), "/weeks.db"));
    assert_false(target_has_row(target));
    assert_null(target_recording(target, NULL, &fault));
    assert_non_null(strstr(fault.text, "weeks.db is a history"));
    target_close(target);
    remove_folder();
}

TEST(a_process_may_have_no_recording)
{
    struct memory_status memory;
    struct fault fault = {.text = ""};
    struct target *target = open_kind(TARGET_PROCESS, "", (uint32_t)getpid());
    assert_non_null(target);
    assert_string_equal(target_kind_name(target), "process");
    assert_int_equal(target_known_pid(target), getpid());
    assert_int_equal(target_memory(target, &memory, &fault), 0);
    assert_null(target_history(target));
    assert_null(target_recording(target, NULL, &fault));
    assert_non_null(strstr(fault.text, "is not being recorded"));
    target_close(target);
}

TEST(only_some_stay_in_memory)
{
    char name[64];
    struct target_list list = {0};
    struct target_options const options = {.sites = 20, .path = folder};
    struct fault fault = {.text = ""};
    make_folder();
    for (int i = 0; i < TARGETS_OPEN_MOST + 3; i++) {
        snprintf(name, sizeof(name), "n%d.20260528_000000.heap", i);
        put(name, HEAP);
    }
    assert_int_equal(target_list_open_run(&list, &options, &fault), 0);
    for (size_t i = 1; i < list.items.count; i++)
        assert_non_null(target_recording(list.items.items[i], NULL, &fault));
    target_list_tend(&list);
    size_t open = 0;
    for (size_t i = 1; i < list.items.count; i++)
        open += target_is_open(list.items.items[i]);
    assert_int_equal(open, TARGETS_OPEN_MOST);
    assert_false(target_is_open(list.items.items[1]));
    assert_true(target_is_open(list.items.items[list.items.count - 1]));
    target_list_close(&list);
    remove_folder();
}

TEST(a_run_is_written_while_its_folder_is_locked)
{
    struct fault fault = {.text = ""};
    make_folder();
    assert_null(served_run_open(folder, &fault));
    assert_non_null(strstr(fault.text, "is not a run"));
    int const fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    struct served_run *run = served_run_open(folder, &fault);
    assert_non_null(run);
    assert_true(served_run_is_written(run));
    assert_null(served_run_content(run));
    assert_null(served_run_ram(run, &fault));
    assert_int_equal(served_run_begin_us(run), 0);
    served_run_close(run);
    close(fd);
    remove_folder();
}

TEST(values_are_thinned)
{
    static const int64_t times[] = {10, 20, 30, 40, 50}, values[] = {1, 2, RAM_NONE, RAM_NONE, 5};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct json_out json;
    assert_int_equal(node_step(5, 240), 1);
    assert_int_equal(node_step(5, 3), 2);
    assert_int_equal(node_step(0, 3), 1);
    json_init(&json, out, false);
    json_object_begin(&json);
    node_times_write(&json, times, 5, 2);
    node_values_write(&json, values, 5, 2);
    json_object_end(&json);
    json_finish(&json);
    fclose(out);
    assert_string_equal(text, "{\"times_ns\":[20,40,50],\"values\":[2,null,5]}\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_another_program),
        cmocka_unit_test(a_history_has_no_recording),
        cmocka_unit_test(a_process_may_have_no_recording),
        cmocka_unit_test(nodes_of_a_run),
        cmocka_unit_test(only_some_stay_in_memory),
        cmocka_unit_test(a_run_is_written_while_its_folder_is_locked),
        cmocka_unit_test(values_are_thinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
