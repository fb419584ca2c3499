/* SPDX-License-Identifier: Apache-2.0 */
/* net_status.c - `memoir net status`: shows the state of a network. */
#include <stdio.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/human.h"
#include "base/json_out.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/answer_options.h"
#include "cli/net/net_commands.h"
#include "cli/shared/options.h"
#include "nets/down.h"
#include "nets/process.h"
#include "procfs/process/process_facts.h"

/* As it is now, whatever the keeper wrote last. */
static const char *state_now(const struct net_part *part)
{
    bool const should_run = part->state == PART_STARTED || part->state == PART_READY;
    if (should_run && part->pid && !process_is(part->pid, part->born))
        return "gone";
    return part_state_names[part->state];
}

static int64_t rss_now(const struct net_part *part)
{
    return part->pid && process_is(part->pid, part->born) ? process_memory(part->pid).rss_bytes : 0;
}

static void ports_text(const struct net_part *part, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    vec_each (port, &part->ports)
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%u", used ? " " : "",
                                     port->name, port->number);
}

static void write_text(const struct net *net, FILE *out)
{
    char size[HUMAN_MAX], ports[200];
    fprintf(out, "%s in %s: %s%s\n", net->template_name, net->dir, net_state_names[net->state],
            (net->state == NET_UP || net->state == NET_STARTING) && !net_is_kept(net)
                ? ", but its keeper has ended: memoir net down ends the remaining processes"
                : "");
    if (net->why)
        fprintf(out, "  %s\n", net->why);
    fprintf(out, "  %-10s %-8s %-8s %8s %10s %9s  %s\n", "name", "kind", "state", "pid", "rss",
            "restarts", "ports");
    vec_each (part, &net->parts) {
        ports_text(part, ports, sizeof(ports));
        int64_t const rss = rss_now(part);
        fprintf(out, "  %-10s %-8s %-8s %8u %10s %9u  %s\n", part->name,
                part_kind_names[part->kind], state_now(part), part->pid,
                rss > 0 ? human_bytes(rss, size) : "-", part->restarts, ports);
    }
    vec_each (part, &net->parts)
        if (part->why)
            fprintf(out, "  %s\n", part->why);
}

static void write_json(const struct net *net, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "template", net->template_name);
    json_text_field(&json, "dir", net->dir);
    json_text_field(&json, "state", net_state_names[net->state]);
    json_bool_field(&json, "kept", net_is_kept(net));
    json_text_field(&json, "why", net->why);
    json_key(&json, "parts");
    json_array_begin(&json);
    vec_each (part, &net->parts) {
        json_object_begin_inline(&json);
        json_text_field(&json, "name", part->name);
        json_text_field(&json, "kind", part_kind_names[part->kind]);
        json_text_field(&json, "role", part->role);
        json_text_field(&json, "state", state_now(part));
        json_uint_field(&json, "pid", part->pid);
        json_int_field(&json, "rss_bytes", rss_now(part));
        json_uint_field(&json, "restarts", part->restarts);
        json_text_field(&json, "url", part->url);
        json_text_field(&json, "why", part->why);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    json_finish(&json);
}

static void write_csv(const struct net *net, FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "name,kind,role,state,pid,rss_bytes,restarts,url,why");
    vec_each (part, &net->parts) {
        csv_text(&csv, part->name);
        csv_text(&csv, part_kind_names[part->kind]);
        csv_text(&csv, part->role);
        csv_text(&csv, state_now(part));
        csv_uint(&csv, part->pid);
        csv_int(&csv, rss_now(part));
        csv_uint(&csv, part->restarts);
        csv_text(&csv, part->url);
        csv_text(&csv, part->why);
        csv_end_row(&csv);
    }
}

/* 0: up, and all of it runs. */
static int judge(const struct net *net)
{
    bool good = net->state == NET_UP && net_is_kept(net);
    vec_each (part, &net->parts)
        good = good && part->state != PART_CRASHED && strcmp(state_now(part), "gone") != 0;
    return good ? 0 : 1;
}

int net_status(int argc, char **argv)
{
    struct answer_options answer = {0};
    struct option_set const sets[] = {{NULL, answer_table_rules, &answer}};
    struct command_help const help = {.usage = "memoir net status DIR [--json|--csv]",
                                      .summary = "Prints the state of each process of the network "
                                                 "in this folder.  The exit status is 0 when "
                                                 "the\nnetwork is up and all processes run, else "
                                                 "1.",
                                      .examples =
                                          "  memoir net status D\n  memoir net status D --json\n",
                                      .sets = sets,
                                      .set_count = 1};
    struct fault fault = {0};
    struct net net = {0};
    int status, words = command_words(argc, argv, &help, &status);
    if (words < 0)
        return status;
    if (words != 1)
        return command_misused("net status", "no folder, as in: memoir net status D");
    if (net_read(&net, argv[1], &fault) != 0)
        return net_sorry(&fault);
    FILE *out = answer_open(answer.output, &fault);
    if (out)
        (answer.json ? write_json : answer.csv ? write_csv : write_text)(&net, out);
    if (!out || answer_close(out, answer.output, &fault) != 0)
        status = net_sorry(&fault);
    else
        status = judge(&net);
    net_fini(&net);
    return status;
}
