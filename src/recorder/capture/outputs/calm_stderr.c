/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outputs/calm_stderr.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LAST_WORDS_S 3

struct calm_stderr {
    int real, from; /* the terminal, or whatever it is; our end of the pipe */
    pthread_t thread;
};

static void *pass_on(void *context)
{
    const struct calm_stderr *calm = context;
    char text[4096];
    ssize_t size;
    while ((size = read(calm->from, text, sizeof(text))) > 0 || (size < 0 && errno == EINTR)) {
        for (ssize_t done = 0, wrote = 0; done < size && wrote >= 0; done += wrote)
            wrote = write(calm->real, text + done, (size_t)(size - done));
    }
    return NULL;
}

static int start(struct calm_stderr *calm)
{
    sigset_t all, before;
    sigfillset(&all); /* signals are for the recorder's own thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int const err = pthread_create(&calm->thread, NULL, pass_on, calm);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

struct calm_stderr *calm_stderr_begin(void)
{
    struct calm_stderr *calm = calloc(1, sizeof(*calm));
    int ends[2] = {-1, -1};
    fflush(stderr);
    if (!calm || pipe2(ends, O_CLOEXEC) < 0) {
        free(calm);
        return NULL;
    }
    calm->from = ends[0];
    calm->real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    fcntl(ends[1], F_SETFL, O_NONBLOCK); /* what does not fit any more is not said */
    if (calm->real >= 0 && start(calm) == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        return calm;
    }
    close(ends[0]);
    close(ends[1]);
    if (calm->real >= 0)
        close(calm->real);
    free(calm);
    return NULL;
}

void calm_stderr_end(struct calm_stderr *calm)
{
    struct timespec until;
    if (!calm)
        return;
    fflush(stderr);
    dup2(calm->real,
         STDERR_FILENO); /* which closes the pipe for writing, but for children of ours */
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LAST_WORDS_S;
    if (pthread_timedjoin_np(calm->thread, NULL, &until) != 0)
        return; /* it goes on until the process ends */
    close(calm->from);
    close(calm->real);
    free(calm);
}
