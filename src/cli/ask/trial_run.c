/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ask/trial_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/shared/helper_program.h"
#include "store/read/recording_reader.h"

#define PATIENCE_MS 20000

struct trial_place {
    char folder[PATH_MAX - 32], file[PATH_MAX];
};

static bool make_place(struct trial_place *place)
{
    const char *folder = getenv("TMPDIR");
    snprintf(place->folder, sizeof(place->folder), "%s/memoir-doctor-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (!mkdtemp(place->folder))
        return false;
    snprintf(place->file, sizeof(place->file), "%s/trial.memoir", place->folder);
    return true;
}

/* In the child: the recorder, with its complaints going to `complaints`. */
static void become_recorder(const char *recorder, const char *file, int complaints)
{
    char self[] = "/proc/self/exe", program[PATH_MAX];
    ssize_t const length = readlink(self, program, sizeof(program) - 1);
    int const nothing = open("/dev/null", O_RDWR);
    program[length > 0 ? length : 0] = '\0';
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(complaints, 2) < 0)
        _exit(127);
    signal(SIGPIPE, SIG_DFL);
    execl(recorder, "memoir", "run", "--quiet", "-o", file, "--", program, "--version", NULL);
    dprintf(2, "cannot start %s: %s\n", recorder, strerror(errno));
    _exit(127);
}

/* What it says until it ends; false when it takes too long. */
static bool listen_to(int fd, char *text, size_t size)
{
    size_t have = 0;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    for (;;) {
        char spill[256];
        bool const room = have + 1 < size;
        if (poll(&ready, 1, PATIENCE_MS) <= 0)
            return false;
        ssize_t const got = read(fd, room ? text + have : spill, room ? size - 1 - have : 256);
        if (got <= 0) {
            text[have] = '\0';
            return true;
        }
        have += room ? (size_t)got : 0;
    }
}

static void tell_failure(struct trial *trial, const char *said)
{
    const char *sentence = strncmp(said, "memoir: ", 8) == 0 ? said + 8 : said;
    snprintf(trial->failure, sizeof(trial->failure), "%.*s", (int)strcspn(sentence, "\n"),
             sentence);
}

static void read_back(struct trial *trial, const char *file, const char *said)
{
    struct fault fault = {.text = ""};
    struct recording *recording = recording_read(file, &fault);
    if (!recording) {
        tell_failure(trial, said[0] ? said : fault.text);
        return;
    }
    trial->calls = recording->heap.calls;
    trial->worked = trial->calls > 0;
    if (!trial->worked)
        tell_failure(trial, said[0] ? said : "the recording has no allocation in it");
    recording_destroy(recording);
}

static void record(struct trial *trial, const char *recorder, const char *file)
{
    int ends[2], status;
    char said[512] = "";
    if (pipe2(ends, O_CLOEXEC) < 0)
        return tell_failure(trial, strerror(errno));
    pid_t const child = fork();
    if (child == 0)
        become_recorder(recorder, file, ends[1]);
    close(ends[1]);
    bool const ended = child > 0 && listen_to(ends[0], said, sizeof(said));
    close(ends[0]);
    if (child < 0)
        return tell_failure(trial, strerror(errno));
    if (!ended)
        kill(child, SIGTERM);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (!ended)
        tell_failure(trial, "it did not end within 20 seconds");
    else
        read_back(trial, file, said);
}

struct trial trial_run(void)
{
    struct trial trial = {0};
    struct trial_place place = {.folder = ""};
    char recorder[PATH_MAX];
    if (helper_program_path("memoir-record", recorder) < 0) {
        tell_failure(&trial, "memoir-record is not beside memoir; install memoir again");
    } else if (!make_place(&place)) {
        tell_failure(&trial, "no temporary folder can be made; set TMPDIR to one that is writable");
    } else {
        record(&trial, recorder, place.file);
        unlink(place.file);
        rmdir(place.folder);
    }
    return trial;
}
