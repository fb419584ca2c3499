/* SPDX-License-Identifier: Apache-2.0 */
#include "recorded.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/sums/weigh.h"
#include "capture/sessions/recorder.h"
#include "check.h"
#include "store/read/recording_reader.h"
#include "symbols/namer/name_client.h"

static char folder[] = "/tmp/memoir-recorded-XXXXXX";

int recorded_begin(void **state)
{
    (void)state;
    unsetenv("MALLOC_PERTURB_"); /* meson's; a block of 1 GiB would be filled twice */
    name_client_use_program(NAMER);
    strcpy(folder + sizeof(folder) - 7, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

int recorded_end(void **state)
{
    struct dirent *entry;
    DIR *list = opendir(folder);
    (void)state;
    while (list && (entry = readdir(list)))
        unlink(recorded_path(entry->d_name));
    if (list)
        closedir(list);
    return rmdir(folder);
}

const char *recorded_path(const char *name)
{
    static char paths[8][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

/* ---- the recorder ---- */

struct answer {
    int error, wait_status;
    uint32_t recordings, unfinished;
    bool is_stuck;
};

static int began_at = -1; /* where who waits for the recorder hears that it records */

static void hear(const char *sentence)
{
    if (began_at >= 0 && strstr(sentence, "attached to"))
        CHECK(write(began_at, "", 1) == 1);
}

/* In a process of its own: it changes signals, closes what it has not opened, and may be wrong. */
static pid_t begin_recorder(const struct recorded_wish *wish, pid_t attached, int answers)
{
    pid_t recorder = fork();
    CHECK(recorder >= 0);
    if (recorder > 0)
        return recorder;
    struct recorder_options options = {.wish = {.output = recorded_path("out.memoir"),
                                                .max_bytes = 1 << 26,
                                                .quiet = attached == 0,
                                                .force = true,
                                                .say = hear},
                                       .heap_rate = wish->heap_rate,
                                       .follow_children = wish->follow_children,
                                       .library = RECORDED_LIBRARY,
                                       .command = wish->command};
    struct recorder_result result = {.wait_status = -1};
    struct fault fault = {.text = ""};
    fcntl(answers, F_SETFD, FD_CLOEXEC);
    if (began_at >= 0)
        fcntl(began_at, F_SETFD, FD_CLOEXEC);
    int const err = attached ? recorder_attach(&options, attached, &result, &fault)
                             : recorder_run(&options, &result, &fault);
    if (err < 0)
        fprintf(stderr, "the recorder: %s\n", fault.text);
    struct answer const answer = {err, result.wait_status, result.recordings, result.unfinished,
                                  result.is_stuck};
    _exit(write(answers, &answer, sizeof(answer)) != sizeof(answer));
}

static struct recorded take_answer(pid_t recorder, int answers)
{
    struct answer answer = {.error = -1};
    struct fault fault;
    int status;
    CHECK(read(answers, &answer, sizeof(answer)) == sizeof(answer));
    CHECK(waitpid(recorder, &status, 0) == recorder && status == 0);
    struct recorded recorded = {answer.error,      answer.wait_status, answer.recordings,
                                answer.unfinished, answer.is_stuck,    NULL};
    if (answer.recordings > 0)
        recorded.recording = recording_read(recorded_path("out.memoir"), &fault);
    return recorded;
}

/* The command's first word is the name of a subject. */
static char *subject_path(const char *name)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/subject-%s", SUBJECTS, name);
    return path;
}

struct recorded recorded_run(const struct recorded_wish *wish)
{
    int answers[2];
    CHECK(pipe(answers) == 0);
    wish->command[0] = subject_path(wish->command[0]);
    pid_t const recorder = begin_recorder(wish, 0, answers[1]);
    close(answers[1]);
    struct recorded const recorded = take_answer(recorder, answers[0]);
    close(answers[0]);
    return recorded;
}

static void meet(const char *name, bool says)
{
    char line[16];
    int fd = open(recorded_path(name), says ? O_WRONLY : O_RDONLY);
    CHECK(fd >= 0);
    CHECK(says ? write(fd, "go\n", 3) == 3 : read(fd, line, sizeof(line)) > 0);
    close(fd);
}

struct recorded recorded_attach(const struct recorded_wish *wish)
{
    int answers[2], began[2], status;
    char line[1];
    CHECK(mkfifo(recorded_path("ready"), 0600) == 0 && mkfifo(recorded_path("go"), 0600) == 0);
    CHECK(pipe(answers) == 0 && pipe(began) == 0);
    wish->command[0] = subject_path(wish->command[0]);
    pid_t const program = fork();
    if (program == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execv(wish->command[0], wish->command);
        _exit(127);
    }
    meet("ready", false);
    began_at = began[1];
    pid_t const recorder = begin_recorder(wish, program, answers[1]);
    began_at = -1;
    close(answers[1]);
    close(began[1]);
    CHECK(read(began[0], line, 1) == 1);
    meet("go", true);
    meet("ready", false);
    kill(recorder, SIGINT);
    struct recorded recorded = take_answer(recorder, answers[0]);
    meet("go", true);
    CHECK(waitpid(program, &status, 0) == program);
    recorded.wait_status = status;
    close(answers[0]);
    close(began[0]);
    unlink(recorded_path("ready"));
    unlink(recorded_path("go"));
    return recorded;
}

void recorded_close(struct recorded *recorded)
{
    recording_destroy(recorded->recording);
    unlink(recorded_path("out.memoir"));
}

/* ---- sums by path ---- */

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct tally *)left)->name, ((const struct tally *)right)->name);
}

void tallies_read(struct tallies *tallies, const char *path)
{
    char line[400];
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    tallies->count = 0;
    CHECK(fgets(line, sizeof(line), file) != NULL); /* the header */
    while (fgets(line, sizeof(line), file)) {
        CHECK(tallies->count < TALLIES_MAX);
        struct tally *tally = &tallies->items[tallies->count++];
        memset(tally, 0, sizeof(*tally));
        CHECK(sscanf(line, "%47s %ld %ld %ld %ld %ld %ld %ld %ld %ld", tally->name, &tally->calls,
                     &tally->bytes, &tally->frees, &tally->freed, &tally->live_calls,
                     &tally->live_bytes, &tally->peak_calls, &tally->peak_bytes,
                     &tally->temporary) == 10);
    }
    fclose(file);
    qsort(tallies->items, tallies->count, sizeof(tallies->items[0]), by_name);
}

static const char *function_of(const struct recording *recording, uint32_t index)
{
    const struct frame *frame = &recording->frames.items[index];
    if (frame->location_count == 0)
        return "";
    uint32_t const last = frame->first_location + frame->location_count - 1;
    return recording_text(recording, recording->locations.items[last].function);
}

static void name_path(const struct recording *recording, stack_id stack, char *name)
{
    strcpy(name, "other");
    while (stack != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        const char *function = function_of(recording, link.frame);
        stack = link.caller;
        if (strncmp(function, "site_", 5) == 0) {
            snprintf(name, 30, "%s/", function);
            break;
        }
    }
    for (size_t size = strlen(name); stack != STACK_EMPTY && size < 46; size++) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        const char *function = function_of(recording, link.frame);
        if (strncmp(function, "hop_", 4) != 0)
            return;
        name[size] = function[4];
        name[size + 1] = '\0';
        stack = link.caller;
    }
}

/* Also where it was inlined. */
static bool frame_is_of(const struct recording *recording, uint32_t index, const char *function)
{
    const struct frame *frame = &recording->frames.items[index];
    for (uint32_t i = 0; i < frame->location_count; i++) {
        const struct location *at = &recording->locations.items[frame->first_location + i];
        if (strcmp(recording_text(recording, at->function), function) == 0)
            return true;
    }
    return false;
}

static const char *wanted_function;

/* Stacks that the wanted function is in have its name. */
static void name_function(const struct recording *recording, stack_id stack, char *name)
{
    strcpy(name, "other");
    while (stack != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        if (frame_is_of(recording, link.frame, wanted_function))
            snprintf(name, 48, "%s", wanted_function);
        stack = link.caller;
    }
}

static struct tally *tally_named(struct tallies *tallies, const char *name)
{
    for (unsigned i = 0; i < tallies->count; i++)
        if (strcmp(tallies->items[i].name, name) == 0)
            return &tallies->items[i];
    CHECK(tallies->count < TALLIES_MAX);
    struct tally *tally = &tallies->items[tallies->count++];
    memset(tally, 0, sizeof(*tally));
    snprintf(tally->name, sizeof(tally->name), "%s", name);
    return tally;
}

static void add(struct tally *tally, unsigned metric, const struct weight *weight)
{
    int64_t *const values[6] = {&tally->calls,      &tally->bytes,      &tally->freed,
                                &tally->live_bytes, &tally->peak_bytes, &tally->temporary};
    int64_t *const counts[6] = {NULL, NULL, &tally->frees, &tally->live_calls, &tally->peak_calls,
                                NULL};
    *values[metric] += weight->value;
    if (counts[metric])
        *counts[metric] += weight->count;
}

typedef void (*name_fn)(const struct recording *recording, stack_id stack, char *name);

static void sum_up(struct tallies *tallies, struct recording *recording, name_fn name_it)
{
    static const char *const names[6] = {"heap.calls", "heap.allocated", "heap.freed",
                                         "heap.live",  "heap.peak",      "heap.temporary"};
    tallies->count = 0;
    for (unsigned metric = 0; metric < 6; metric++) {
        struct weights weights;
        struct fault fault = {.text = ""};
        if (weigh_stacks(recording, metric_find(names[metric]), TIME_ALL, &weights, &fault) < 0)
            fail_msg("%s: %s", names[metric], fault.text);
        for (size_t i = 0; i < weights.rows.count; i++) {
            char name[48];
            name_it(recording, weights.rows.items[i].key, name);
            add(tally_named(tallies, name), metric, &weights.rows.items[i]);
        }
        weights_fini(&weights);
    }
    qsort(tallies->items, tallies->count, sizeof(tallies->items[0]), by_name);
}

void tallies_of(struct tallies *tallies, struct recording *recording)
{
    sum_up(tallies, recording, name_path);
}

struct tally tally_of_function(struct recording *recording, const char *function)
{
    static struct tallies tallies;
    wanted_function = function;
    sum_up(&tallies, recording, name_function);
    for (unsigned i = 0; i < tallies.count; i++)
        if (strcmp(tallies.items[i].name, function) == 0)
            return tallies.items[i];
    return (struct tally){.name = ""};
}

int64_t sum_of_function(struct recording *recording, const char *metric, const char *function)
{
    struct weights weights;
    struct fault fault = {.text = ""};
    int64_t sum = 0;
    wanted_function = function;
    if (weigh_stacks(recording, metric_find(metric), TIME_ALL, &weights, &fault) < 0)
        fail_msg("%s: %s", metric, fault.text);
    for (size_t i = 0; i < weights.rows.count; i++) {
        char name[48];
        name_function(recording, weights.rows.items[i].key, name);
        if (strcmp(name, function) == 0)
            sum += weights.rows.items[i].value;
    }
    weights_fini(&weights);
    return sum;
}
