/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/control.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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
    CHECK(control_open(getpid(), answer, &script) == NULL); /* one recorder per process */
    CHECK(pthread_create(&thread, NULL, serve, &script) == 0);
    CHECK(control_ask(getpid(), "heap full", &fault) == 0 && strcmp(script.last, "heap full") == 0);
    CHECK(control_ask(getpid(), "heap wrong", &fault) == -EINVAL);
    assert_string_equal(fault.text, "no such thing as heap wrong");
    /* Peers that connect and say nothing do not stand in the way of others. */
    int silent[16];
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int size = snprintf(name.sun_path + 1, 100, "memoir.%d", (int)getpid());
    for (unsigned i = 0; i < 16; i++) {
        silent[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        CHECK(connect(silent[i], (struct sockaddr *)&name,
                      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size)) == 0);
    }
    CHECK(control_ask(getpid(), "mark", &fault) == 0 && script.asked == 3);
    for (unsigned i = 0; i < 16; i++)
        close(silent[i]);
    script.stop = 1;
    pthread_join(thread, NULL);
    control_close(script.control);
    CHECK(control_ask(getpid(), "heap full", &fault) == -ESRCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(asks_and_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
