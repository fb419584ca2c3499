/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/symbol_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "capture/rings/lifeline.h"
#include "symbols/lookup/perf_map.h"
#include "symbols/namer/name_message.h"
#include "symbols/namer/name_source.h"

#define BEHIND_ALL 10           /* nice */
#define AT_FIRST   100000000ull /* ns of processor time */
#define REST_NS    3000000000ull
#define REST_SHARE 30u /* of the time may go into reading again what was given back */

/* Texts are copied: the recording's own tables move while they grow. */
struct symbol_question {
    struct recording *recording; /* only a mark for whom the answer is */
    uint32_t frame;
    uint64_t address;
    char *path, *root, *build_id;
};

struct symbol_answer {
    struct recording *recording;
    uint32_t frame;
    uint32_t count;
    uint32_t into_function; /* as in struct frame */
    struct resolved *names; /* one block, with the texts */
};

struct symbol_queue {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    VEC(struct symbol_question) questions;
    size_t next; /* the first question not taken */
    VEC(struct symbol_answer) answers;
    size_t open;                     /* questions without an answer that was fetched */
    const struct recording *at_work; /* whose question is being answered, if the answer is wanted */
    bool taken;                      /* a question is being answered, by whichever thread */
    bool stop;
    pid_t tid; /* of the thread; 0 until it runs */
    bool is_behind, must_hurry;
    bool is_resting;
    uint64_t worked_ns; /* processor time of the namer when it last rested */
    struct name_source *namer;
};

static struct symbol_answer find_answer(struct symbol_queue *queue,
                                        const struct symbol_question *question,
                                        const uint64_t *addresses, size_t count)
{
    struct resolver_module const module = {question->path, question->root, question->build_id};
    struct name_answer found;
    name_source_ask(queue->namer, &module, addresses, count, &found);
    return (struct symbol_answer){.recording = question->recording,
                                  .frame = question->frame,
                                  .count = found.count,
                                  .into_function = found.into_function,
                                  .names = found.names};
}

/* Its address, and those of the same module that come next.  Called with the lock held. */
static size_t list_addresses(const struct symbol_queue *queue, uint64_t list[NAME_ADDRESSES_MAX])
{
    const struct symbol_question *first = &queue->questions.items[queue->next];
    size_t count = 0;
    for (size_t i = queue->next; i < queue->questions.count && count < NAME_ADDRESSES_MAX; i++) {
        const struct symbol_question *question = &queue->questions.items[i];
        if (strcmp(question->path, first->path) != 0 || strcmp(question->root, first->root) != 0 ||
            strcmp(question->build_id, first->build_id) != 0)
            break;
        list[count++] = question->address;
    }
    return count;
}

static void question_fini(struct symbol_question *question)
{
    free(question->path);
    free(question->root);
    free(question->build_id);
}

/* Naming can wait, reading rings cannot: after its first bit of work the namer goes behind all
 * others, and the thread that asks the namer.  Not before, because what a short recording needs is
 * little, and only root may call them back.  Called with the lock held, also by those who ask, for
 * a single answer may take seconds. */
static void mind_others(struct symbol_queue *queue)
{
    if (queue->is_behind || queue->must_hurry || !queue->tid ||
        name_source_worked_ns(queue->namer) < AT_FIRST)
        return;
    setpriority(PRIO_PROCESS, (id_t)queue->tid, BEHIND_ALL);
    name_source_set_nice(queue->namer, BEHIND_ALL);
    queue->is_behind = true;
}

/* Called with the lock held, and given up meanwhile. */
static void answer_next(struct symbol_queue *queue)
{
    uint64_t addresses[NAME_ADDRESSES_MAX];
    size_t const count = list_addresses(queue, addresses);
    struct symbol_question question = queue->questions.items[queue->next++];
    queue->at_work = question.recording;
    queue->taken = true;
    queue->is_resting = false;
    pthread_mutex_unlock(&queue->lock);
    struct symbol_answer answer = find_answer(queue, &question, addresses, count);
    question_fini(&question);
    pthread_mutex_lock(&queue->lock);
    bool wanted = queue->at_work != NULL;
    queue->at_work = NULL;
    queue->taken = false;
    if (!wanted || !vec_push(&queue->answers, answer)) {
        free(answer.names);
        queue->open--;
    }
    pthread_cond_broadcast(&queue->changed);
}

/* When nobody has asked for some time, memory is given back; later where it took long to read.
 * Called with the lock held. */
static void wait_or_rest(struct symbol_queue *queue)
{
    uint64_t const used = name_source_worked_ns(queue->namer);
    uint64_t const work = (used - queue->worked_ns) * REST_SHARE;
    uint64_t const until = clock_ns(CLOCK_REALTIME) + (work > REST_NS ? work : REST_NS);
    struct timespec const then = {(time_t)(until / NS_PER_SECOND), (long)(until % NS_PER_SECOND)};
    if (queue->is_resting || queue->taken) {
        pthread_cond_wait(&queue->changed, &queue->lock);
        return;
    }
    if (pthread_cond_timedwait(&queue->changed, &queue->lock, &then) != ETIMEDOUT || queue->taken ||
        queue->next < queue->questions.count)
        return;
    queue->taken = true;
    pthread_mutex_unlock(&queue->lock);
    name_source_rest(queue->namer);
    pthread_mutex_lock(&queue->lock);
    queue->taken = false;
    queue->is_resting = true;
    queue->worked_ns = used;
    pthread_cond_broadcast(&queue->changed);
}

static void *answer_questions(void *context)
{
    struct symbol_queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    queue->tid = gettid();
    while (!queue->stop) {
        if (queue->next < queue->questions.count && !queue->taken) {
            answer_next(queue);
            mind_others(queue);
            continue;
        }
        if (queue->next == queue->questions.count)
            queue->questions.count = queue->next = 0;
        wait_or_rest(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

/* From now on somebody waits for it: on a machine that is busy it would hardly get on behind all
 * others.  Only root may; for the others the one who waits answers all but the question that is
 * being answered. */
static void let_hurry(struct symbol_queue *queue)
{
    int const ours = getpriority(PRIO_PROCESS, 0);
    queue->must_hurry = true;
    name_source_set_nice(queue->namer, ours);
    if (queue->tid)
        setpriority(PRIO_PROCESS, (id_t)queue->tid, ours);
}

struct symbol_queue *symbol_queue_create(say_fn say)
{
    struct symbol_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return NULL;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->namer = name_source_create(say);
    if (!queue->namer || pthread_create(&queue->thread, NULL, answer_questions, queue) != 0) {
        name_source_destroy(queue->namer);
        free(queue);
        return NULL;
    }
    return queue;
}

void symbol_queue_destroy(struct symbol_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    let_hurry(queue);
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    for (; queue->next < queue->questions.count; queue->next++)
        question_fini(&queue->questions.items[queue->next]);
    vec_each (answer, &queue->answers)
        free(answer->names);
    vec_free(&queue->questions);
    vec_free(&queue->answers);
    name_source_destroy(queue->namer);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

static void put_answer(struct recording *recording, const struct symbol_answer *answer)
{
    struct frame *frame = &recording->frames.items[answer->frame];
    size_t first = recording->locations.count;
    frame->into_function = answer->into_function;
    for (uint32_t i = 0; i < answer->count; i++) {
        const struct resolved *name = &answer->names[i];
        struct location location = {.function = recording_intern(recording, name->function),
                                    .symbol = recording_intern(recording, name->symbol),
                                    .file = recording_intern(recording, name->file),
                                    .line = name->line};
        if (!vec_push(&recording->locations, location))
            return;
    }
    frame->first_location = (uint32_t)first;
    frame->location_count = answer->count;
}

/* Called with the lock held. */
static void fetch_answers(struct symbol_queue *queue, struct recording *recording)
{
    size_t kept = 0;
    for (size_t i = 0; i < queue->answers.count; i++) {
        struct symbol_answer *answer = &queue->answers.items[i];
        if (answer->recording != recording) {
            queue->answers.items[kept++] = *answer;
            continue;
        }
        put_answer(recording, answer);
        free(answer->names);
        queue->open--;
    }
    queue->answers.count = kept;
}

void symbol_queue_forget(struct symbol_queue *queue, const struct recording *recording)
{
    pthread_mutex_lock(&queue->lock);
    size_t kept = queue->next;
    for (size_t i = queue->next; i < queue->questions.count; i++) {
        struct symbol_question *question = &queue->questions.items[i];
        if (question->recording == recording) {
            question_fini(question);
            queue->open--;
        } else {
            queue->questions.items[kept++] = *question;
        }
    }
    queue->questions.count = kept;
    kept = 0;
    for (size_t i = 0; i < queue->answers.count; i++) {
        struct symbol_answer *answer = &queue->answers.items[i];
        if (answer->recording == recording) {
            free(answer->names);
            queue->open--;
        } else {
            queue->answers.items[kept++] = *answer;
        }
    }
    queue->answers.count = kept;
    if (queue->at_work == recording)
        queue->at_work = NULL;
    pthread_mutex_unlock(&queue->lock);
}

/* That of the one process of a recording leads to what it has mapped, also when the file is
 * gone; of several each module knows its own. */
static const char *root_of(const struct module *module, const char *root)
{
    return *root || !module->root ? root : module->root;
}

static bool ask(struct symbol_queue *queue, struct recording *recording, const char *root,
                size_t at)
{
    const struct frame *frame = &recording->frames.items[at];
    if (frame->module == MODULE_NONE || frame->location_count > 0) /* those came with a name */
        return true;
    const struct module *module = &recording->modules.items[frame->module];
    struct symbol_question question = {.recording = recording,
                                       .frame = (uint32_t)at,
                                       .address = frame->address,
                                       .path = strdup(recording_text(recording, module->path)),
                                       .root = strdup(root_of(module, root)),
                                       .build_id =
                                           strdup(recording_text(recording, module->build_id))};
    if (!question.path || !question.root || !question.build_id ||
        !vec_push(&queue->questions, question)) {
        question_fini(&question);
        return false;
    }
    queue->open++;
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct symbol_question *a = left, *b = right;
    int const order = strcmp(a->path, b->path);
    return order ? order : a->address < b->address ? -1 : a->address > b->address;
}

/* What lies together is asked together: then a few units of the debug information in memory are
 * enough. */
static void sort_questions(struct symbol_queue *queue)
{
    if (queue->questions.count > queue->next)
        qsort(&queue->questions.items[queue->next], queue->questions.count - queue->next,
              sizeof(queue->questions.items[0]), by_place);
}

void symbol_queue_fetch(struct symbol_queue *queue, struct recording *recording)
{
    pthread_mutex_lock(&queue->lock);
    fetch_answers(queue, recording);
    mind_others(queue);
    pthread_mutex_unlock(&queue->lock);
}

size_t symbol_queue_ask(struct symbol_queue *queue, struct recording *recording, const char *root,
                        size_t first)
{
    pthread_mutex_lock(&queue->lock);
    while (first < recording->frames.count && (recording->frames.items[first].location_count > 0 ||
                                               ask(queue, recording, root, first)))
        first++;
    sort_questions(queue);
    mind_others(queue);
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return first;
}

bool symbol_queue_is_done(struct symbol_queue *queue, struct recording *recording)
{
    pthread_mutex_lock(&queue->lock);
    bool done = queue->at_work != recording;
    for (size_t i = queue->next; done && i < queue->questions.count; i++)
        done = queue->questions.items[i].recording != recording;
    fetch_answers(queue, recording);
    pthread_mutex_unlock(&queue->lock);
    return done;
}

static bool all_answered(const struct symbol_queue *queue)
{
    return queue->next == queue->questions.count && queue->answers.count >= queue->open;
}

/* For an answer, or until it is time to see whether anybody still wants to wait. */
static void wait_a_step(struct symbol_queue *queue)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
}

/* Called with the lock held. */
static void answer_all(struct symbol_queue *queue, struct recording *recording)
{
    while (!all_answered(queue) && !lifeline_is_pulled()) {
        if (queue->next < queue->questions.count && !queue->taken)
            answer_next(queue);
        else
            wait_a_step(queue);
    }
    fetch_answers(queue, recording);
}

/* Runtimes write the names of what they make late, some only at their end. */
static void ask_again(struct symbol_queue *queue, struct recording *recording)
{
    for (size_t i = 0; i < recording->frames.count; i++) {
        const struct frame *frame = &recording->frames.items[i];
        if (frame->location_count == 0 && frame->module != MODULE_NONE &&
            perf_map_is_path(
                recording_text(recording, recording->modules.items[frame->module].path)) &&
            !ask(queue, recording, "", i))
            return;
    }
}

void symbol_queue_finish(struct symbol_queue *queue, struct recording *recording)
{
    pthread_mutex_lock(&queue->lock);
    let_hurry(queue);
    answer_all(queue, recording);
    ask_again(queue, recording);
    answer_all(queue, recording);
    bool const done = all_answered(queue);
    pthread_mutex_unlock(&queue->lock);
    if (!done)
        symbol_queue_forget(queue, recording);
}
