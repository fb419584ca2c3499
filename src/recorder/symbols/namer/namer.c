/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/namer/namer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/line.h"
#include "sandbox/sandbox.h"
#include "symbols/namer/name_client.h"
#include "symbols/namer/name_message.h"

/* Addresses, most of them of mapped files: the caches are small (resolver.h). */
#define MEMORY_BYTES ((uint64_t)64 << 30)
/* Memory of its own: a few kilobytes of names or lines can unpack to more than any machine has. */
#define DATA_BYTES ((uint64_t)4 << 30)

static int our_line;

static uint64_t memory_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) < 0 ? 0 : (uint64_t)usage.ru_maxrss * 1024u;
}

/* Whoever asks has opened the file, or says why not. */
static int ask_file(const struct foreign_request *request)
{
    static struct name_head head;
    int descriptors[LINE_DESCRIPTORS_MAX];
    int32_t err;
    head.reply = NAME_OPEN;
    head.file = *request;
    int const sent = line_send(our_line, &head, sizeof(head), NULL, 0);
    if (sent < 0)
        return sent;
    ssize_t const got = line_receive(our_line, &err, sizeof(err), descriptors);
    if (got != (ssize_t)sizeof(err))
        _exit(0); /* nobody listens any more */
    if (err < 0 && descriptors[0] >= 0)
        close(descriptors[0]);
    return err < 0 ? err : descriptors[0] >= 0 ? descriptors[0] : -EIO;
}

static int answer(struct resolver *resolver, const struct name_question *question, uint64_t address)
{
    struct resolver_module const module = {question->path, question->root, question->build_id};
    struct resolved names[RESOLVED_MAX];
    uint32_t into_function = 0;
    size_t const count = resolver_lookup(resolver, &module, address, names);
    uint64_t const start = count ? 0 : resolver_function_start(resolver, &module, address);
    if (start && address - start < UINT32_MAX)
        into_function = (uint32_t)(address - start) + 1;
    struct name_answer const found = {names, (uint32_t)count, into_function};
    return name_answer_send(our_line, &found, memory_peak(), 0);
}

static int confine(void)
{
    struct sandbox_report report;
    struct sandbox_wish const wish = {
        .memory_bytes = MEMORY_BYTES, .data_bytes = DATA_BYTES, .cpu_seconds = NAME_LIMIT_S};
    int const err = sandbox_enter(&wish, &report, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the change of the user, which takes it back */
    return err;
}

int namer_run(int line)
{
    static struct name_question question;
    sandbox_close_others(line);
    if (confine() < 0)
        return 1;
    struct resolver *resolver = resolver_create();
    if (!resolver)
        return 1;
    our_line = line;
    foreign_ask_by(ask_file);
    int err = 0;
    while (!err && clock_ns(CLOCK_PROCESS_CPUTIME_ID) < NAME_WORK_MAX_NS &&
           line_receive(line, &question, sizeof(question), NULL) == (ssize_t)sizeof(question) &&
           name_question_is_valid(&question)) {
        if (question.order == NAME_REST)
            resolver_rest(resolver);
        for (uint32_t i = 0; question.order == NAME_ASK && i < question.count && !err; i++)
            err = answer(resolver, &question, question.addresses[i]);
    }
    resolver_destroy(resolver);
    return 0;
}
