/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/human.h"
#include "cli/cluster/cluster_commands.h"
#include "cli/shared/helper_program.h"
#include "cli/cluster/node_watch_options.h"
#include "cli/cluster/run_pictures.h"
#include "cluster/runs/run.h"
#include "report/text/text_style.h"
#include "scrape/http/descriptors.h"
#include "scrape/local/local_capture.h"
#include "scrape/nodes/node_list_text.h"
#include "scrape/watch/node_watch.h"

#define INVENTORY_USUAL  "terraform-inventory.host"
#define SENTENCES_A_TICK 10u

/* What is told while it goes on. */
struct teller {
    bool is_quiet, is_terminal;
    unsigned sentences; /* since the last tick */
    uint64_t good;      /* fetches of all ticks */
    unsigned snapshots;
    struct run_writer *writer;
    struct local_capture *capture; /* NULL: none */
};

static int fail(const char *text)
{
    fprintf(stderr, "memoir: ");
    text_write(stderr, text, (size_t)-1);
    fprintf(stderr, "\n");
    return 1;
}

static void tell_sentence(void *context, const char *sentence)
{
    struct teller *teller = context;

    if (!teller->is_quiet && teller->sentences++ < SENTENCES_A_TICK)
        fail(sentence);
}

/* A gap of a recording: to whoever looks, and to watch.log. */
static void tell_recording(void *context, const struct node *node, const char *why)
{
    struct teller *teller = context;
    char stamp[RUN_STAMP_MAX];
    uint64_t const now_us = unix_ns() / 1000u;
    struct run_fetch const line = {.stamp = run_stamp_text((int64_t)now_us, 0, stamp),
                                   .nick = node ? node->nick : "",
                                   .kind = "memoir",
                                   .begin_us = now_us,
                                   .end_us = now_us,
                                   .why = why};
    if (node)
        run_writer_add_fetch(teller->writer, &line);
    run_writer_log(teller->writer, why);
    tell_sentence(teller, why);
}

static void tell_tick(void *context, const struct node_watch_tick *tick)
{
    struct teller *teller = context;
    char span[HUMAN_MAX], slowest[HUMAN_MAX];

    teller->good += tick->fetches - tick->gaps;
    teller->snapshots++;
    if (teller->capture)
        local_capture_look(teller->capture);
    if (!teller->is_quiet && teller->sentences > SENTENCES_A_TICK)
        fprintf(stderr, "memoir: %u more; watch.log has them\n",
                teller->sentences - SENTENCES_A_TICK);
    teller->sentences = 0;
    if (teller->is_quiet || !teller->is_terminal)
        return;
    fprintf(stderr, "%s  %s%u of %u nodes", tick->stamp, tick->is_cpu ? "CPU profiles: " : "",
            tick->nodes - tick->nodes_failed, tick->nodes);
    if (tick->gaps)
        fprintf(stderr, ", %u gap%s", tick->gaps, tick->gaps == 1 ? "" : "s");
    fprintf(stderr, "  %s", human_duration(tick->span_ns, span));
    if (tick->slowest[0] && tick->nodes > 1)
        fprintf(stderr, ", slowest %s %s", tick->slowest,
                human_duration(tick->slowest_ns, slowest));
    if (tick->dropped)
        fprintf(stderr, ", %llu ticks dropped", (unsigned long long)tick->dropped);
    fprintf(stderr, "\n");
}

static int add_inputs(struct node_list *list, const struct node_watch_wish *wish, int count,
                      char **words, struct fault *fault)
{
    int err = 0;
    for (int i = 0; i < count && !err; i++)
        err = node_list_add(list, words[i], &wish->nodes, fault);
    if (!err && wish->inventory)
        err = node_list_add(list, wish->inventory, &wish->nodes, fault);
    else if (!err && count == 0 && access(INVENTORY_USUAL, R_OK) == 0)
        err = node_list_add(list, INVENTORY_USUAL, &wish->nodes, fault);
    if (!err && list->nodes.count == 0)
        err = fault_set(
            fault, -EINVAL,
            "no node to watch: name a configuration, an inventory, data folders, addresses, "
            "pid:N or name:PROGRAM");
    return err;
}

/* What is said on the command line goes for processes that do not say it themselves. */
static void wish_recordings(struct node_list *list, uint32_t recordings)
{
    vec_each (node, &list->nodes)
        if ((*node)->has_process && !(*node)->recordings)
            (*node)->recordings = recordings;
}

/* Recorders of processes of this machine; NULL when none is wanted, or none can be had, which is
 * told. */
static struct local_capture *begin_recordings(const struct node_list *list, const char *out,
                                              struct teller *teller)
{
    char program[PATH_MAX];
    struct fault fault = {0};
    bool is_wanted = false;
    vec_each (node, &list->nodes)
        is_wanted |= (*node)->recordings != 0;
    if (!is_wanted)
        return NULL;
    if (helper_program_path("memoir-record", program) != 0) {
        tell_recording(teller, NULL, "memoir-record is not installed: there are no recordings");
        return NULL;
    }
    struct local_capture *capture =
        local_capture_create(program, out, tell_recording, teller, &fault);
    if (capture)
        local_capture_begin(capture, list);
    else
        tell_recording(teller, NULL, fault.text);
    return capture;
}

/* What SIGTERM ends is to end now; Ctrl-C is the way to end what has no other end, and a second
 * one ends this, too. */
static int draw(const char *out, bool is_quiet, const struct node_watch_end *end)
{
    if (!end->was_stopped || strcmp(end->why, "SIGINT") == 0)
        return run_pictures_of(out, "watch", is_quiet);
    if (!is_quiet)
        fprintf(stderr, "memoir: no pictures after %s; memoir ram %s --svg makes them\n", end->why,
                out);
    return 0;
}

static int watch(const struct node_list *list, struct node_watch_wish *wish,
                 const struct node_watch_options *options, const char *out)
{
    struct teller teller = {.is_quiet = wish->is_quiet, .is_terminal = isatty(STDERR_FILENO) == 1};
    struct node_watch_ears const ears = {&teller, tell_tick, tell_sentence};
    struct node_watch_end end;
    struct fault fault = {.text = "the nodes cannot be watched"};
    struct run_writer *writer = run_writer_open(out, &fault);

    if (!writer)
        return fail(fault.text);
    if (list->inventory_path)
        run_writer_copy(writer, list->inventory_path, INVENTORY_USUAL);
    descriptors_raise();
    teller.writer = writer;
    teller.capture = begin_recordings(list, out, &teller);
    if (wish->is_served)
        serve_helper_begin_run(&wish->serve, wish->is_quiet, out);
    int const err = node_watch(list, options, writer, &ears, &end, &fault);
    local_capture_destroy(teller.capture);
    run_writer_close(writer);
    serve_helper_end(&wish->serve);
    if (err)
        return fail(fault.text);
    if (teller.good == 0 && !end.was_stopped)
        return fail("no node answered; watch.log says why");
    if (!wish->is_quiet)
        fprintf(stderr, "memoir: the run is in %s; memoir ram %s\n", out, out);
    return wish->is_svg ? draw(out, wish->is_quiet, &end) : 0;
}

static int show_list(const struct node_list *list, const struct node_watch_wish *wish,
                     uint32_t captures)
{
    enum node_list_form const form = wish->is_json  ? NODE_LIST_JSON
                                     : wish->is_csv ? NODE_LIST_CSV
                                                    : NODE_LIST_TABLE;
    int const err = node_list_write(list, captures, form, stdout);
    return err ? fail(strerror(-err)) : 0;
}

static int watch_list(struct node_list *list, struct node_watch_wish *wish, int argc, char **argv,
                      const char *command)
{
    struct node_watch_options options = {.command = command};
    struct fault fault = {0};

    if (add_inputs(list, wish, argc, argv, &fault))
        return fail(fault.text);
    wish_recordings(list, wish->recordings);
    int const err = node_watch_options_make(wish, list, &options, &fault);
    bool const is_table = wish->is_list && !wish->is_json && !wish->is_csv; /* has them itself */
    vec_each (doubt, &list->doubts)
        if (!wish->is_quiet && !is_table)
            fail(*doubt);
    if (wish->is_list)
        return show_list(list, wish, options.captures);
    if (err)
        return fail(fault.text);
    const char *out = wish->out ? wish->out : list->wishes.out;
    if (!out) {
        fail("name the folder to write with -o: memoir watch … -o RUN");
        return 2;
    }
    return watch(list, wish, &options, out);
}

int cmd_watch(int argc, char **argv)
{
    struct node_watch_wish wish = {0};
    struct node_list list;
    struct fault fault = {0};
    struct option_set const sets[] = {{"When and where to", node_watch_when_rules, &wish},
                                      {"What", node_watch_rules, &wish},
                                      {"Which nodes", node_watch_which_rules, &wish},
                                      {"Page", node_watch_serve_rules, &wish}};
    struct command_help const help = {
        .usage =
            "memoir watch [CONFIG.yaml | INVENTORY | DATADIR | URL | pid:N | name:PROGRAM]... -o "
            "RUN [options]",
        .summary = "Takes snapshots of every node of a cluster into the folder RUN, all nodes at "
                   "once: heap profiles, and other data that\nyou choose.  A node that does not "
                   "answer causes a gap in its own data only.  Ctrl-C ends the watch at once; the "
                   "run is\ncomplete.  memoir ram, bandwidth, metrics, report, flame and diff read "
                   "RUN.",
        .examples =
            "  memoir watch net/Primary net/Node -o run --every 1m --for 2h --metrics\n"
            "  memoir watch terraform-inventory.host --tf-roles relay,node -o run --every 5m\n"
            "  memoir watch http://10.0.0.1:2379 http://10.0.0.2:2379 -o run --every 10s "
            "--metrics\n"
            "  memoir watch cluster.yaml -o run --every 5m --cpu=30s --cpu-after 10m\n"
            "  memoir watch name:postgres pid:4242 -o run --every 1s --serve\n",
        .sets = sets,
        .set_count = 4};
    int status;
    char *command = command_without_secrets(argc, argv);
    int const words = command_words(argc, argv, &help, &status);

    if (words >= 0 && node_list_init(&list, &fault) == 0) {
        status = watch_list(&list, &wish, words, argv + 1, command);
        node_list_fini(&list);
    } else if (words >= 0)
        status = fail(fault.text);
    node_watch_wish_fini(&wish);
    free(command);
    return status;
}
