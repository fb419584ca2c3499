/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's side of looking up names, against namers that a hostile ELF file has taken over:
 * this program itself, started again as one. */
#include "symbols/namer/name_client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"
#include "symbols/namer/name_message.h"
#include "symbols/namer/namer.h"

static char sentence[2048];
static unsigned sentences;

static void hear(const char *text)
{
    snprintf(sentence, sizeof(sentence), "%s", text);
    sentences++;
}

/* What the namer of this test does about a question, by the path that is asked about. */

static void answer_with(struct name_head *head, const void *body, size_t bytes)
{
    head->body_bytes = (uint32_t)bytes;
    line_send(STDIN_FILENO, head, sizeof(*head), NULL, 0);
    if (bytes > 0)
        line_send(STDIN_FILENO, body, bytes, NULL, 0);
}

static void answer_well(const char *text)
{
    struct name_head head = {.reply = NAME_ANSWER, .count = 1};
    size_t bytes;
    struct resolved const name = {text, text, "", 7};
    char *body = name_body_make(&name, 1, &bytes);
    answer_with(&head, body, bytes);
    free(body);
}

/* Asks for a file, and answers with what came of it. */
static void ask_for(enum foreign_kind kind, const char *root, const char *path)
{
    struct name_head head = {.reply = NAME_OPEN, .file = {.kind = kind, .bytes_max = 1u << 30}};
    int descriptors[LINE_DESCRIPTORS_MAX];
    int32_t err = 1;
    snprintf(head.file.root, sizeof(head.file.root), "%s", root);
    snprintf(head.file.path, sizeof(head.file.path), "%s", path);
    line_send(STDIN_FILENO, &head, sizeof(head), NULL, 0);
    line_receive(STDIN_FILENO, &err, sizeof(err), descriptors);
    answer_well(err == 0 && descriptors[0] >= 0 ? "has it" : strerror(-err));
}

static void misbehave(const char *how)
{
    struct name_head head = {.reply = NAME_ANSWER, .count = 1};
    struct name_entry entry = {.function_bytes = 100};
    if (strcmp(how, "crash") == 0)
        abort();
    else if (strcmp(how, "leave") == 0)
        _exit(0);
    else if (strcmp(how, "short") == 0)
        line_send(STDIN_FILENO, &head, 8, NULL, 0);
    else if (strcmp(how, "many") == 0)
        head.count = RESOLVED_MAX + 1, answer_with(&head, &entry, sizeof(entry));
    else if (strcmp(how, "large") == 0)
        head.body_bytes = UINT32_MAX, line_send(STDIN_FILENO, &head, sizeof(head), NULL, 0);
    else if (strcmp(how, "sums") == 0)
        answer_with(&head, &entry, sizeof(entry));
    else if (strcmp(how, "reply") == 0)
        head.reply = 99, answer_with(&head, NULL, 0);
    else if (strcmp(how, "passwords") == 0)
        ask_for(FOREIGN_BELOW, "", "/etc/passwd");
    else if (strcmp(how, "program") == 0)
        ask_for(FOREIGN_BELOW, "", "/proc/self/exe");
    else if (strcmp(how, "ours") == 0)
        ask_for(FOREIGN_BELOW, "", NAMER);
    else if (strcmp(how, "other-root") == 0)
        ask_for(FOREIGN_BELOW, "/proc/1/root", NAMER);
    else if (strcmp(how, "pid") == 0)
        ask_for(FOREIGN_PROGRAM, "", "");
    else if (strcmp(how, "mapped") == 0)
        ask_for(FOREIGN_MAPPED, "/proc/1/root", "/sbin/init");
    else if (strcmp(how, "escapes") == 0)
        answer_well("\x1b[31mred\n\xff");
    else
        answer_well(how);
}

static int be_namer(void)
{
    static struct name_question question;
    signal(SIGABRT, SIG_DFL);
    while (line_receive(STDIN_FILENO, &question, sizeof(question), NULL) ==
           (ssize_t)sizeof(question))
        if (question.order == NAME_ASK)
            misbehave(question.path);
    return 0;
}

/* The function's name, or "" when there is none. */
static const char *ask(struct name_client *client, const char *path)
{
    static char name[256];
    struct resolver_module const module = {path, "", ""};
    struct name_answer answer;
    name_client_ask(client, &module, &(uint64_t){1}, 1, &answer);
    snprintf(name, sizeof(name), "%s", answer.count ? answer.names[0].function : "");
    CHECK((answer.count == 0) == (answer.names == NULL));
    free(answer.names);
    return name;
}

static struct name_client *begin(void)
{
    name_client_use_program("/proc/self/exe");
    sentences = 0;
    return name_client_create(hear);
}

TEST(what_is_well_is_taken_and_tamed)
{
    struct name_client *client = begin();
    assert_string_equal(ask(client, "fine"), "fine");
    assert_string_equal(ask(client, "escapes"), "?[31mred??");
    CHECK(sentences == 0);
    name_client_destroy(client);
}

TEST(one_that_dies_costs_one_sentence_and_one_file)
{
    struct name_client *client = begin();
    assert_string_equal(ask(client, "fine"), "fine");
    assert_string_equal(ask(client, "crash"), "");
    assert_string_equal(sentence, "the process that looks up names was ended by signal 6 while it "
                                  "read crash: functions of that file stay addresses");
    assert_string_equal(ask(client, "crash"), ""); /* not asked again */
    assert_string_equal(ask(client, "fine"), "fine");
    CHECK(sentences == 1);
    assert_string_equal(ask(client, "leave"), "");
    CHECK(sentences == 2);
    name_client_destroy(client);
}

TEST(nonsense_is_recognised_and_ends_its_sender)
{
    static const char *const ways[] = {"short", "many", "large", "sums", "reply"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct name_client *client = begin();
        assert_string_equal(ask(client, ways[i]), "");
        CHECK(sentences == 1 && strstr(sentence, "did not answer as it should"));
        assert_string_equal(ask(client, "fine"), "fine");
        name_client_destroy(client);
    }
}

TEST(it_is_started_a_few_times_and_then_no_more)
{
    struct name_client *client = begin();
    assert_string_equal(ask(client, "crash"), "");
    assert_string_equal(ask(client, "leave"), "");
    assert_string_equal(ask(client, "short"), "");
    CHECK(!strstr(sentence, "were not looked up yet"));
    assert_string_equal(ask(client, "many"), "");
    CHECK(sentences == NAMER_STARTS_MAX && strstr(sentence, "were not looked up yet"));
    assert_string_equal(ask(client, "fine"), "");
    CHECK(sentences == NAMER_STARTS_MAX);
    name_client_destroy(client);
}

TEST(only_elf_files_of_the_process_are_opened)
{
    struct name_client *client = begin();
    assert_string_equal(ask(client, "ours"), "has it");
    assert_string_equal(ask(client, "passwords"), strerror(ENOEXEC));
    assert_string_equal(ask(client, "other-root"), strerror(EACCES));
    assert_string_equal(ask(client, "pid"), strerror(EACCES));
    assert_string_equal(ask(client, "mapped"), strerror(EACCES));
    CHECK(sentences == 0);
    name_client_destroy(client);
}

TEST(without_the_program_all_stay_addresses)
{
    struct name_client *client = begin();
    name_client_use_program("/nonexistent");
    assert_string_equal(ask(client, "fine"), "");
    assert_string_equal(ask(client, "fine"), "");
    CHECK(sentences == 1);
    assert_string_equal(sentence, "the process that looks up names cannot be started (No such file "
                                  "or directory): functions stay addresses");
    name_client_destroy(client);
}

/* The one child of this process. */
static pid_t find_child(void)
{
    unsigned pid = 0, parent;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[300];
        unsigned const one = (unsigned)strtoul(entry->d_name, NULL, 10);
        snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
        FILE *file = one ? fopen(path, "r") : NULL;
        if (file && fscanf(file, "%*u (%*[^)]) %*c %u", &parent) == 1 &&
            parent == (unsigned)getpid())
            pid = one;
        if (file)
            fclose(file);
    }
    closedir(folder);
    return (pid_t)pid;
}

TEST(the_real_one_is_confined_and_names_a_function)
{
    static char path[4096], status[16384];
    extern const char __executable_start[];
    struct name_client *client = begin();
    name_client_use_program(NAMER);
    ssize_t const size = readlink("/proc/self/exe", path, sizeof(path) - 1);
    CHECK(size > 0);
    struct resolver_module const module = {path, "", ""};
    struct name_answer answer;
    uint64_t const address = (uint64_t)((uintptr_t)begin - (uintptr_t)__executable_start);
    name_client_ask(client, &module, &address, 1, &answer);
    CHECK(sentences == 0 && answer.count > 0);
    assert_string_equal(answer.names[answer.count - 1].function, "begin");
    free(answer.names);
    pid_t const pid = find_child();
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    int const fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && read(fd, status, sizeof(status) - 1) > 0);
    close(fd);
    CHECK(strstr(status, "Seccomp:\t2\n") && strstr(status, "NoNewPrivs:\t1\n"));
    CHECK(strstr(status, "CapEff:\t0000000000000000\n"));
    if (geteuid() == 0) {
        snprintf(path, sizeof(path), "Uid:\t%u\t", SANDBOX_USER_FIRST + (unsigned)pid);
        CHECK(strstr(status, path));
    }
    name_client_destroy(client);
    CHECK(kill(pid, 0) < 0 && errno == ESRCH);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_well_is_taken_and_tamed),
        cmocka_unit_test(one_that_dies_costs_one_sentence_and_one_file),
        cmocka_unit_test(nonsense_is_recognised_and_ends_its_sender),
        cmocka_unit_test(it_is_started_a_few_times_and_then_no_more),
        cmocka_unit_test(only_elf_files_of_the_process_are_opened),
        cmocka_unit_test(without_the_program_all_stay_addresses),
        cmocka_unit_test(the_real_one_is_confined_and_names_a_function),
    };
    if (argc == 2 && strcmp(argv[1], NAMER_COMMAND) == 0)
        return be_namer();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
