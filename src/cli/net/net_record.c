/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/net/net_record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_program.h"
#include "cli/shared/helper_program.h"
#include "cli/net/net_commands.h"

static const char recorder[] = "memoir-record";

static bool add_words(text_list *list, const char *const *words)
{
    for (; *words; words++)
        if (!text_list_add(list, *words))
            return false;
    return true;
}

/* A recorder of all nodes together; the keeper adds their numbers. */
static int add_outside(struct net *net, const char *program, const char *what, bool wrapped,
                       struct fault *fault)
{
    char name[32];
    snprintf(name, sizeof(name), "%s-recorder", what);
    struct net_part *part = net_add(net, name, PART_RECORD);
    char *file = net_path(net, "%s.memoir", what);
    const char *const words[] = {program, what, "-o", file, wrapped ? "--children" : NULL, NULL};
    bool const good = part && file && add_words(&part->argv, words);
    if (good) {
        unlink(file);
        part->ready.file = file;
        part->ready.seconds = 30;
        return 0;
    }
    free(file);
    return fault_set(fault, -ENOMEM, "out of memory");
}

/* The node under memoir run. */
static int wrap(struct net *net, struct net_part *part, const char *program, struct fault *fault)
{
    char *file = net_path(net, "%s.memoir", part->name);
    text_list words = {0};
    const char *const front[] = {program, "run", "--quiet", "-o", file, "--", NULL};
    if (!file || !add_words(&words, front) || !text_list_add_all(&words, &part->argv)) {
        text_list_fini(&words);
        free(file);
        return fault_set(fault, -ENOMEM, "out of memory");
    }
    unlink(file);
    free(file);
    text_list_fini(&part->argv);
    part->argv.items = words.items;
    part->argv.count = words.count;
    part->argv.room = words.room;
    part->is_wrapped = true;
    return 0;
}

int net_add_recorders(struct net *net, const struct up_options *options, struct fault *fault)
{
    char program[PATH_MAX];
    int err = 0;
    if (!options->cpu && !options->heap && !options->pages)
        return 0;
    if (helper_program_path(recorder, program) != 0)
        return fault_set(fault, -ENOENT, "cannot record: there is no %s", program);
    vec_each (part, &net->parts)
        if (!err && options->heap && part->kind == PART_NODE && part->argv.count)
            err = wrap(net, part, program, fault);
    if (!err && options->cpu)
        err = add_outside(net, program, "cpu", options->heap, fault);
    if (!err && options->pages)
        err = add_outside(net, program, "pages", options->heap, fault);
    return err;
}

/* Runs a program of memoir's; whether it went well.  Its sentences go where ours go. */
static bool run_program(const char *const *words)
{
    pid_t pid;
    int status;
    if (spawn_program(&(struct spawn){.program = words[0],
                                      .words = (char *const *)words,
                                      .how = SPAWN_UNBLOCKED},
                      &pid) < 0)
        return false;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *net_front_path(char path[PATH_MAX])
{
    if (helper_program_path("memoir", path) == 0)
        return path;
    snprintf(path, PATH_MAX, "%s/../../bin/memoir", MEMOIR_LIBEXEC);
    return path;
}

struct net_drawing {
    const struct net *net;
    const char *recording; /* without its ending */
    const char *metric;
    const char *filter; /* NULL: all of it */
    const char *name;   /* of the pictures, without ending */
};

static void draw(const struct net_drawing *drawing)
{
    static const char *const kinds[] = {"flame", "graph"};
    char front[PATH_MAX];
    char *file = net_path(drawing->net, "%s.memoir", drawing->recording);
    net_front_path(front);
    for (size_t i = 0; file && i < 2; i++) {
        char *picture = net_path(drawing->net, "%s.%s.svg", drawing->name, kinds[i]);
        const char *const words[] = {front,
                                     kinds[i],
                                     file,
                                     "-o",
                                     picture,
                                     "--metric",
                                     drawing->metric,
                                     drawing->filter ? "--filter" : NULL,
                                     drawing->filter,
                                     NULL};
        if (picture && run_program(words))
            printf("  %s\n", picture);
        free(picture);
    }
    free(file);
}

static bool has_recording(const struct net *net, const char *name)
{
    char *path = net_path(net, "%s.memoir", name);
    bool const has = path && access(path, R_OK) == 0;
    free(path);
    return has;
}

/* One recording of all nodes: its outermost frames are "PROGRAM PID". */
static void draw_outside(const struct net *net, const char *what, const char *metric)
{
    char *all = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&all, &size);
    vec_each (part, &net->parts)
        if (text && part->kind == PART_NODE && part->pid)
            fprintf(text, "%s %u$", ftell(text) > 0 ? "|" : "", part->program);
    if (text)
        fclose(text);
    draw(&(struct net_drawing){net, what, metric, all, what});
    free(all);
    vec_each (part, &net->parts) {
        char filter[32], name[300];
        if (part->kind != PART_NODE || !part->program)
            continue;
        snprintf(filter, sizeof(filter), " %u$", part->program);
        snprintf(name, sizeof(name), "%s.%s", part->name, what);
        draw(&(struct net_drawing){net, what, metric, filter, name});
    }
}

/* A watch that is told to end leaves its pictures to others. */
static void draw_watch(const struct net *net, const struct net_part *watch)
{
    bool wanted = false;
    vec_each (word, &watch->argv)
        wanted |= strcmp(*word, "--svg") == 0;
    char *run = net_path(net, "heaps");
    if (wanted && run && access(run, R_OK) == 0) {
        const char *const words[] = {watch->argv.items[0], "ram", run, "--svg", "--top", "0", "-o",
                                     "/dev/null",          NULL};
        if (run_program(words))
            printf("  %s\n", run);
    }
    free(run);
}

void net_draw(const struct net *net)
{
    vec_each (part, &net->parts)
        if (part->kind == PART_WATCH && part->argv.count)
            draw_watch(net, part);
    vec_each (part, &net->parts)
        if (part->kind == PART_RECORD && strcmp(part->name, "cpu-recorder") == 0 &&
            has_recording(net, "cpu"))
            draw_outside(net, "cpu", "cpu.on");
        else if (part->kind == PART_RECORD && has_recording(net, "pages"))
            draw_outside(net, "pages", "pages.resident");
    vec_each (part, &net->parts)
        if (part->is_wrapped && has_recording(net, part->name)) {
            char name[300];
            snprintf(name, sizeof(name), "%s.heap", part->name);
            draw(&(struct net_drawing){net, part->name, "heap.peak", NULL, name});
        }
}
