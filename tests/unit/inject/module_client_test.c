/* SPDX-License-Identifier: Apache-2.0 */
/* What reads the objects of a process for whoever attaches, when the process has taken it over. */
#include "inject/library/module_client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "inject/library/module_reader.h"
#include "sandbox/line.h"

enum conduct {
    ANSWERS_WELL,
    CRASHES,
    LEAVES,
    ANSWERS_SHORT,
    ANSWERS_LONG,
    FAILS_UPWARDS,
    FAILS_FAR,
    INVENTS_A_VERDICT,
    INVENTS_A_TRUTH,
    FORGETS_THE_END,
    POINTS_NOWHERE,
    POINTS_TO_DATA,
    POINTS_TO_THE_KERNEL,
    GIVES_A_DESCRIPTOR,
    CONDUCTS
};

static enum conduct conduct;
static struct remote_memory memory;
static struct fault fault;
static int data = 1;

static void code(void)
{
}

/* In place of the one that reads. */
_Noreturn void module_reader_run(const struct module_reader_wish *wish)
{
    struct module_question question;
    struct {
        struct module_answer answer;
        char more[8];
    } said;
    int descriptors[LINE_DESCRIPTORS_MAX], nowhere = open("/dev/null", O_RDONLY);
    signal(SIGABRT, SIG_DFL);
    while (line_receive(wish->line, &question, sizeof(question), descriptors) > 0) {
        size_t size = sizeof(said.answer);
        memset(&said, 0, sizeof(said));
        said.answer.has_libc = 1;
        if (question.order != MODULE_REFRESH)
            said.answer.addresses[0] = said.answer.addresses[1] = (uint64_t)(uintptr_t)code;
        switch (conduct) {
        case ANSWERS_WELL:
        case CONDUCTS:
            break;
        case CRASHES:
            abort();
        case LEAVES:
            _exit(0);
        case ANSWERS_SHORT:
            size--;
            break;
        case ANSWERS_LONG:
            size++;
            break;
        case FAILS_UPWARDS:
            said.answer.err = 1;
            break;
        case FAILS_FAR:
            said.answer.err = INT32_MIN;
            break;
        case INVENTS_A_VERDICT:
            said.answer.verdict = STACK_UNPREPARED + 1;
            break;
        case INVENTS_A_TRUTH:
            said.answer.has_own = 2;
            break;
        case FORGETS_THE_END:
            memset(said.answer.where, 'x', sizeof(said.answer.where));
            break;
        case POINTS_NOWHERE:
            said.answer.addresses[0] = 16;
            break;
        case POINTS_TO_DATA:
            said.answer.addresses[0] = (uint64_t)(uintptr_t)&data;
            break;
        case POINTS_TO_THE_KERNEL:
            said.answer.addresses[0] = UINT64_MAX;
            break;
        case GIVES_A_DESCRIPTOR:
            break;
        }
        line_send(wish->line, &said, size, &nowhere, conduct == GIVES_A_DESCRIPTOR);
        close(descriptors[0]);
    }
    _exit(0);
}

static struct module_client open_client(enum conduct how)
{
    struct module_client client;
    conduct = how;
    CHECK(module_client_open(&client, getpid(), &memory, slice_of("id")) == 0);
    return client;
}

/* 0, or what came first of asking for all that attaching asks for. */
static int attach_by(struct module_client *client)
{
    struct code_spots spots;
    struct module_look look;
    int err = module_client_await_libc(client, 0);
    if (err == 0)
        err = module_client_spots(client, &spots, &fault);
    module_client_prepare(client);
    module_client_look(client, (uint64_t[REG_COUNT]){0}, &look);
    return module_client_judge(client, err, &fault);
}

TEST(good_answers_are_taken)
{
    struct module_client client = open_client(ANSWERS_WELL);
    CHECK(attach_by(&client) == 0 && !client.is_broken && client.has_libc && !client.has_own);
    CHECK(module_client_function(&client, MODULE_IN_LIBC, "f") == (uint64_t)(uintptr_t)code);
    module_client_close(&client);
    module_client_close(&client); /* twice is once */
}

/* kill(0) would end this program, and all that were started with it. */
TEST(what_is_not_open_is_closed_without_harm)
{
    struct module_client client = {.pid = 0};
    module_client_close(&client);
    client.reader = -1; /* no process could be made */
    module_client_close(&client);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

/* One sentence, whatever it was, and nothing is believed after it. */
TEST(a_reader_that_lies_or_dies_is_believed_nothing)
{
    for (enum conduct how = CRASHES; how < GIVES_A_DESCRIPTOR; how++) {
        struct module_client client = open_client(how);
        print_message("conduct %d\n", (int)how);
        CHECK(attach_by(&client) == -EPROTO && client.is_broken);
        CHECK(strstr(fault.text, "cannot be read: the confined process"));
        CHECK(module_client_function(&client, MODULE_IN_LIBC, "f") == 0);
        CHECK(module_client_object(&client, "o") == 0);
        CHECK(module_client_refresh(&client) == -EPROTO);
        module_client_close(&client);
    }
}

TEST(an_object_lies_in_data_and_a_function_in_code)
{
    struct module_client client = open_client(POINTS_TO_DATA);
    CHECK(module_client_refresh(&client) == 0);
    CHECK(module_client_object(&client, "o") == (uint64_t)(uintptr_t)&data);
    CHECK(module_client_function(&client, MODULE_IN_OWN, "f") == 0 && client.is_broken);
    module_client_close(&client);
}

static int count_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(descriptors_that_nobody_expects_are_closed)
{
    struct module_client client = open_client(GIVES_A_DESCRIPTOR);
    int const before = count_descriptors();
    CHECK(attach_by(&client) == 0 && count_descriptors() == before);
    module_client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_answers_are_taken),
        cmocka_unit_test(what_is_not_open_is_closed_without_harm),
        cmocka_unit_test(a_reader_that_lies_or_dies_is_believed_nothing),
        cmocka_unit_test(an_object_lies_in_data_and_a_function_in_code),
        cmocka_unit_test(descriptors_that_nobody_expects_are_closed)};
    CHECK(remote_memory_open(&memory, getpid()) == 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
