/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/content/errand.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_program.h"

struct errand {
    pid_t pid; /* 0: it has ended */
    int body, words;
    struct errand_place *place; /* that it takes; NULL: none */
};

/* One for each errand at work. */
struct errand_place {
    bool is_taken;
    uint64_t client;
};

static const struct errand_starter *starter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct errand_place places[ERRANDS_MOST]; /* under the lock */

void errand_start_by(const struct errand_starter *wanted)
{
    starter = wanted;
}

/* NULL with a sentence when too many are taken. */
static struct errand_place *take_place(uint64_t client, struct fault *fault)
{
    struct errand_place *found = NULL;
    int of_client = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ERRANDS_MOST; i++) {
        if (places[i].is_taken)
            of_client += places[i].client == client;
        else
            found = &places[i];
    }
    if (of_client >= ERRANDS_OF_ONE_MOST) {
        fault_set(fault, -EBUSY,
                  "%d live profiles are being made for this client already: ask again when one of "
                  "them is done",
                  ERRANDS_OF_ONE_MOST);
        found = NULL;
    } else if (!found) {
        fault_set(fault, -EBUSY, "%d live profiles are being made already: ask again later",
                  ERRANDS_MOST);
    } else {
        *found = (struct errand_place){true, client};
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void leave_place(struct errand *errand)
{
    pthread_mutex_lock(&lock);
    if (errand->place)
        errand->place->is_taken = false;
    pthread_mutex_unlock(&lock);
    errand->place = NULL;
}

/* In a group of its own: a Ctrl-C is for the server, which ends it then. */
int errand_spawn(const char *program, const char *const *words, int body, int words_to, pid_t *pid)
{
    return spawn_program(&(struct spawn){.program = program,
                                         .words = (char *const *)(const void *)words,
                                         .files = (const int[]){SPAWN_OURS, body, words_to},
                                         .how = SPAWN_INPUT_EMPTY | SPAWN_OWN_GROUP |
                                                SPAWN_UNBLOCKED | SPAWN_SIGPIPE |
                                                SPAWN_CLOSES_OTHERS},
                         pid);
}

static int spawn(struct errand *errand, const char *program, const char *const *words)
{
    int const err = starter
                        ? starter->start(words, errand->body, errand->words, &errand->pid)
                        : errand_spawn(program, words, errand->body, errand->words, &errand->pid);
    if (err)
        errand->pid = 0;
    return err;
}

/* The errand leaves the place, also if there is none. */
static struct errand *create(struct errand_place *place)
{
    struct errand without = {.place = place}, *errand = calloc(1, sizeof(*errand));
    if (!errand) {
        leave_place(&without);
        return NULL;
    }
    errand->place = place;
    errand->body = memfd_create("memoir-answer", MFD_CLOEXEC);
    errand->words = memfd_create("memoir-words", MFD_CLOEXEC);
    if (errand->body >= 0 && errand->words >= 0)
        return errand;
    errand_end(errand);
    return NULL;
}

struct errand *errand_start(const char *program, const char *const *words, uint64_t client,
                            struct fault *fault)
{
    struct errand_place *place = take_place(client, fault);
    if (!place)
        return NULL;
    struct errand *errand = create(place);
    if (!errand) {
        fault_set(fault, -ENOMEM, "out of memory or of open files");
        return NULL;
    }
    int const err = spawn(errand, program, words);
    if (err == 0)
        return errand;
    fault_set(fault, err, "cannot start %s: %s", program, strerror(-err));
    errand_end(errand);
    return NULL;
}

/* The whole file.  0 or -errno. */
static int read_file(int fd, char **text, size_t *size)
{
    struct stat file;
    size_t got = 0;
    if (fstat(fd, &file) < 0)
        return -errno;
    if ((size_t)file.st_size > ERRAND_BYTES_MOST)
        return -EFBIG;
    *size = (size_t)file.st_size;
    *text = malloc(*size + 1);
    if (!*text)
        return -ENOMEM;
    while (got < *size) {
        ssize_t const more = pread(fd, *text + got, *size - got, (off_t)got);
        if (more <= 0 && errno != EINTR)
            break;
        got += more > 0 ? (size_t)more : 0;
    }
    *size = got;
    (*text)[got] = '\0';
    return 0;
}

/* What it said, its first line. */
static int tell_failure(const struct errand *errand, int status, struct fault *fault)
{
    char text[FAULT_TEXT_MAX];
    ssize_t const size = pread(errand->words, text, sizeof(text) - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (text[0])
        return fault_set(fault, -EIO, "%s", text);
    if (WIFSIGNALED(status))
        return fault_set(fault, -EIO, "the helper process was ended by signal %d",
                         WTERMSIG(status));
    return fault_set(fault, -EIO, "the helper process failed without a message");
}

int errand_look(struct errand *errand, char **body, size_t *size, struct fault *fault)
{
    int status;
    pid_t const ended =
        starter ? starter->look(errand->pid, &status) : waitpid(errand->pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return 0;
    errand->pid = 0;
    leave_place(errand);
    if (ended < 0)
        return fault_set(fault, -ECHILD, "the helper process was lost");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return tell_failure(errand, status, fault);
    int const err = read_file(errand->body, body, size);
    if (err == -EFBIG)
        return fault_set(fault, err, "the answer has more than %zu MiB; ask for less",
                         ERRAND_BYTES_MOST >> 20);
    return err ? fault_set(fault, err, "out of memory") : 1;
}

void errand_end(struct errand *errand)
{
    if (!errand)
        return;
    if (errand->pid && starter) {
        starter->end(errand->pid);
    } else if (errand->pid) {
        kill(errand->pid, SIGKILL); /* the kernel lets go of what it may hold */
        while (waitpid(errand->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    leave_place(errand);
    if (errand->body >= 0)
        close(errand->body);
    if (errand->words >= 0)
        close(errand->words);
    free(errand);
}
