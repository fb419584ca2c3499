/* SPDX-License-Identifier: Apache-2.0 */
/* route_live.c - CPU time and threads of the process, in the form of Go's net/http/pprof.  A helper
 * program makes the answer (live_words.h), or asks the program's own endpoint for it: so the server
 * does not wait, and does not link the libraries for that. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "serve/content/errand.h"
#include "serve/targets/go_endpoint.h"
#include "serve/content/live_words.h"
#include "serve/http/request_text.h"
#include "serve/routes/routes.h"

#define SECONDS_DEFAULT 30
#define SECONDS_MOST    3600
#define NEAR_NS         UINT64_C(250000000) /* so often we look whether the client is still there */
#define SOON_NS         UINT64_C(15000000)
#define TYPE_PROFILE    "application/octet-stream"

struct live {
    const char *name; /* as in the path */
    const char *kind; /* of LIVE_; NULL: only Go has it */
    bool takes_seconds, takes_debug, takes_format;
};

/* What was asked for, once it is known to make sense. */
struct live_wish {
    const char *form, *type;
    uint64_t number;  /* seconds or debug */
    uint64_t seconds; /* that it takes */
};

/* 0 when no helper can be asked: `answer` says why. */
static uint32_t find_process(struct target *target, const struct request *request,
                             struct answer *answer)
{
    struct memory_status memory;
    struct fault fault = {.text = ""};
    if (target_known_memory(target, &memory) == 0)
        return target_known_pid(target);
    if (target_memory(target, &memory, &fault) == -ENOENT)
        answer_error(answer, request, 404,
                     "Only a recording is served, and its process does not run here: memoir serve "
                     "--pid PID serves a process.");
    else
        answer_error(answer, request, 404, "There is no process to profile: %s.", fault.text);
    return 0;
}

static bool parse_wish(const struct live *live, const struct request *request,
                       struct live_wish *wish, struct answer *answer)
{
    const char *seconds = request_parameter(request, "seconds");
    const char *debug = request_parameter(request, "debug");
    const char *format = request_parameter(request, "format");
    *wish = (struct live_wish){.form = LIVE_PPROF,
                               .type = TYPE_PROFILE,
                               .number = live->takes_seconds ? SECONDS_DEFAULT : 0};
    if (seconds && !live->takes_seconds)
        answer_error(answer, request, 400, "%s is of one instant: leave seconds out.", live->name);
    else if (seconds && number_parse(seconds, 1, SECONDS_MOST, &wish->number) < 0)
        answer_error(answer, request, 400, "seconds is a whole number from 1 to %d.", SECONDS_MOST);
    else if (debug && live->takes_debug && number_parse(debug, 0, 2, &wish->number) < 0)
        answer_error(answer, request, 400,
                     "debug is 0 for the profile, 1 for text by stack, or 2 for text by thread.");
    else if (debug && !live->takes_debug && strcmp(debug, "0") != 0)
        answer_error(answer, request, 400, "%s is a profile only: leave debug out.", live->name);
    else if (format && (!live->takes_format ||
                        (strcmp(format, LIVE_PPROF) != 0 && strcmp(format, LIVE_FOLDED) != 0)))
        answer_error(answer, request, 400, "format is %s.",
                     live->takes_format ? "pprof or folded" : "for /debug/fgprof: leave it out");
    else {
        bool const is_folded = format && strcmp(format, LIVE_FOLDED) == 0;
        if (is_folded || (live->takes_debug && wish->number > 0)) {
            wish->form = is_folded ? LIVE_FOLDED : LIVE_TEXT;
            wish->type = TYPE_TEXT;
        }
        wish->seconds = live->takes_seconds ? wish->number : 0;
        return true;
    }
    return false;
}

/* One that may be busy elsewhere is told so; that is no fault of the server. */
static void answer_no_errand(struct answer *answer, const struct request *request,
                             const struct fault *fault)
{
    answer_error(answer, request, fault->code == -EBUSY ? 503 : 500, "Cannot answer now: %s.",
                 fault->text);
}

static bool start_helper(const struct live *live, const struct live_wish *wish,
                         struct target *target, struct request *request, struct answer *answer)
{
    struct fault fault = {.text = ""};
    const char *program = target_beside(target)->live;
    uint32_t const pid = find_process(target, request, answer);
    char process[16], number[24], form[16];
    const char *const words[] = {LIVE_PROGRAM, LIVE_COMMAND, live->kind, process,
                                 number,       form,         NULL};
    if (!pid)
        return false;
    if (!program) {
        answer_error(answer, request, 501,
                     "This needs " LIVE_PROGRAM ", which is not installed beside memoir-serve.");
        return false;
    }
    snprintf(process, sizeof(process), "%u", pid);
    snprintf(number, sizeof(number), "%u", (unsigned)wish->number);
    snprintf(form, sizeof(form), "%.1s%s", request->may_see_addresses ? "" : "-", wish->form);
    request->errand = errand_start(program, words, request->client, &fault);
    if (!request->errand)
        answer_no_errand(answer, request, &fault);
    return request->errand;
}

/* The answer if it is there, or when to look again. */
static void look_at_errand(const char *name, const struct live_wish *wish, unsigned bad_status,
                           struct request *request, struct answer *answer)
{
    struct fault fault = {.text = ""};
    char *body = NULL;
    size_t size = 0;
    uint64_t const due_ns = request->began_ns + wish->seconds * NS_PER_SECOND;
    uint64_t const now = monotonic_ns();
    int const done = errand_look(request->errand, &body, &size, &fault);
    if (done == 0) {
        uint64_t const left = due_ns > now ? due_ns - now : 0;
        answer_later(answer, left > NEAR_NS ? NEAR_NS : left > SOON_NS ? left : SOON_NS);
        return;
    }
    if (done < 0)
        answer_error(answer, request, bad_status, "%s", fault.text);
    else {
        answer_take(answer, body, size, wish->type);
        answer->name = strcmp(wish->type, TYPE_PROFILE) == 0 ? name : NULL;
    }
    errand_end(request->errand);
    request->errand = NULL;
}

/* The program's own, if it was said where that is and ours is not asked for.  Whether it is
 * answered. */
static bool relay(const char *name, struct target *target, struct request *request,
                  struct answer *answer)
{
    const struct target_beside *beside = target_beside(target);
    const char *source = request_parameter(request, "source");
    struct fault fault = {.text = ""};
    struct go_request wanted;
    if (source && strcmp(source, "memoir") != 0 && strcmp(source, "program") != 0) {
        answer_error(answer, request, 400,
                     "source is program (its own endpoint, see --go-pprof) or memoir.");
        return true;
    }
    if (!beside->go_pprof || (source && strcmp(source, "memoir") == 0))
        return false;
    if (!request->may_see_addresses) {
        answer_error(
            answer, request, 403,
            "The program's own endpoint shows addresses and arguments, which this client may not "
            "see: ask with the token, or with source=memoir.");
        return true;
    }
    if (go_request_make(beside->go_pprof, name, request, &wanted, &fault) < 0) {
        answer_error(answer, request, 400, "%s", fault.text);
        return true;
    }
    if (!request->errand) {
        const char *const words[] = {"memoir-fetch", wanted.url, wanted.patience, NULL};
        request->errand =
            beside->fetch ? errand_start(beside->fetch, words, request->client, &fault) : NULL;
        if (!beside->fetch)
            answer_error(answer, request, 501,
                         "This needs the program memoir-fetch, which is not installed beside "
                         "memoir-serve; source=memoir works without it.");
        else if (!request->errand)
            answer_no_errand(answer, request, &fault);
        if (!request->errand)
            return true;
    }
    struct live_wish const wish = {.type = wanted.is_text ? TYPE_TEXT : TYPE_PROFILE,
                                   .seconds = wanted.seconds};
    look_at_errand(name, &wish, 502, request, answer);
    return true;
}

bool route_relay(const char *name, struct target *target, struct request *request,
                 struct answer *answer)
{
    return relay(name, target, request, answer);
}

static void serve_live(const struct live *live, struct target *target, struct request *request,
                       struct answer *answer)
{
    struct live_wish wish;
    if (strcmp(live->name, "fgprof") != 0 && relay(live->name, target, request, answer))
        return;
    if (!parse_wish(live, request, &wish, answer))
        return;
    if (!request->errand && !start_helper(live, &wish, target, request, answer))
        return;
    look_at_errand(live->name, &wish, 500, request, answer);
}

void route_pprof_profile(struct target *target, struct request *request, struct answer *answer)
{
    serve_live(&(struct live){"profile", LIVE_CPU, .takes_seconds = true}, target, request, answer);
}

void route_fgprof(struct target *target, struct request *request, struct answer *answer)
{
    serve_live(&(struct live){"fgprof", LIVE_WALL, .takes_seconds = true, .takes_format = true},
               target, request, answer);
}

void route_pprof_goroutine(struct target *target, struct request *request, struct answer *answer)
{
    serve_live(&(struct live){"goroutine", LIVE_THREADS, .takes_debug = true}, target, request,
               answer);
}

/* What only the runtime of Go can know. */
static void serve_go_only(const char *name, const char *instead, struct target *target,
                          struct request *request, struct answer *answer)
{
    if (!relay(name, target, request, answer))
        answer_error(answer, request, 404,
                     "Only a Go program itself knows its %s: if the program serves net/http/pprof, "
                     "start memoir serve with --go-pprof URL. %s",
                     name, instead);
}

void route_pprof_threadcreate(struct target *target, struct request *request, struct answer *answer)
{
    serve_go_only("threadcreate", "/debug/pprof/goroutine shows the present threads.", target,
                  request, answer);
}

void route_pprof_block(struct target *target, struct request *request, struct answer *answer)
{
    serve_go_only("block", "/debug/fgprof shows the time that threads wait.", target, request,
                  answer);
}

void route_pprof_mutex(struct target *target, struct request *request, struct answer *answer)
{
    serve_go_only("mutex", "/debug/fgprof shows the time that threads wait for locks.", target,
                  request, answer);
}

void route_pprof_trace(struct target *target, struct request *request, struct answer *answer)
{
    serve_go_only("trace", "/debug/fgprof shows where the time goes.", target, request, answer);
}

void route_pprof_cmdline(struct target *target, struct request *request, struct answer *answer)
{
    serve_go_only("cmdline",
                  "/api/targets lists everything that is "
                  "served.",
                  target, request, answer);
}

void route_pprof_symbol(struct target *target, struct request *request, struct answer *answer)
{
    serve_go_only("symbol", "Profiles of this server contain the names already.", target, request,
                  answer);
}
