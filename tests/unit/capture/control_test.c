/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/control.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/control_socket.h"
#include "check.h"

struct script {
    struct control *control;
    int asked;
    char last[CONTROL_TEXT_MAX];
    _Atomic int stop;
};

static void answer(void *context, const char *request, char text[CONTROL_TEXT_MAX])
{
    struct script *script = context;
    script->asked++;
    snprintf(script->last, sizeof(script->last), "%s", request);
    if (strcmp(request, "heap wrong") == 0)
        snprintf(text, CONTROL_TEXT_MAX, "no such thing as %s", request);
}

static void *serve(void *context)
{
    struct script *script = context;
    for (uint64_t now = 1; !script->stop; now += 1000000000) {
        control_look(script->control, now);
        usleep(1000);
    }
    return NULL;
}

TEST(asks_and_answers)
{
    struct script script = {.asked = 0};
    struct fault fault = {0};
    pthread_t thread;
    CHECK(control_ask(getpid(), "heap full", &fault) == -ESRCH &&
          strstr(fault.text, "is not being recorded"));
    script.control = control_open(getpid(), answer, &script);
    CHECK(script.control != NULL);
    CHECK(pthread_create(&thread, NULL, serve, &script) == 0);
    CHECK(control_ask(getpid(), "heap full", &fault) == 0 && strcmp(script.last, "heap full") == 0);
    CHECK(control_ask(getpid(), "heap wrong", &fault) == -EINVAL);
    assert_string_equal(fault.text, "no such thing as heap wrong");
    /* Peers that connect and say nothing do not stand in the way of others. */
    int silent[16];
    struct control_names names;
    struct sockaddr_un name;
    CHECK(control_names_find(getpid(), &names) == 0 && names.numbers.count == 1);
    socklen_t const size = control_socket_name(getpid(), names.numbers.items[0], &name);
    control_names_fini(&names);
    for (unsigned i = 0; i < 16; i++) {
        silent[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        CHECK(connect(silent[i], (struct sockaddr *)&name, size) == 0);
    }
    CHECK(control_ask(getpid(), "mark", &fault) == 0);
    assert_int_equal(script.asked, 3);
    /* Nor are they recorders, which are asked one after the other: four of them are accepted. */
    CHECK(control_names_find(getpid(), &names) == 0 && names.numbers.count == 1);
    control_names_fini(&names);
    for (unsigned i = 0; i < 16; i++)
        close(silent[i]);
    script.stop = 1;
    pthread_join(thread, NULL);
    control_close(script.control);
    CHECK(control_ask(getpid(), "heap full", &fault) == -ESRCH);
}

/* A user who listens under many names of the process, as a recorder does and as ones did that had a
 * name that was known. */
static pid_t begin_stranger(pid_t process)
{
    int line[2];
    char ready;
    CHECK(pipe(line) == 0);
    pid_t const child = fork();
    if (child == 0) {
        if (setresuid(65534, 65534, 65534) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
            _exit(1);
        for (unsigned i = 0; i < 50; i++) {
            struct sockaddr_un name;
            int const fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
            socklen_t const size =
                i == 0 ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                                     (size_t)sprintf(name.sun_path + 1, "memoir.%d", (int)process))
                       : control_socket_name(process, i, &name);
            name.sun_family = AF_UNIX;
            name.sun_path[0] = '\0';
            if (bind(fd, (struct sockaddr *)&name, size) < 0 || listen(fd, 0) < 0)
                _exit(1);
        }
        (void)!write(line[1], "r", 1);
        pause();
        _exit(1);
    }
    close(line[1]);
    CHECK(read(line[0], &ready, 1) == 1);
    close(line[0]);
    return child;
}

TEST(names_that_a_stranger_took_are_nobodys_loss)
{
    struct script script = {.asked = 0};
    struct fault fault = {0};
    pthread_t thread;
    if (geteuid() != 0)
        skip();
    pid_t const stranger = begin_stranger(getpid());
    CHECK(control_ask(getpid(), "mark", &fault) == -EACCES &&
          strstr(fault.text, "not being recorded by you or by root"));
    script.control = control_open(getpid(), answer, &script);
    CHECK(script.control && pthread_create(&thread, NULL, serve, &script) == 0);
    CHECK(control_ask(getpid(), "mark", &fault) == 0 && script.asked == 1);
    script.stop = 1;
    pthread_join(thread, NULL);
    control_close(script.control);
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_and_answers),
        cmocka_unit_test(names_that_a_stranger_took_are_nobodys_loss)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
