/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/run_pictures_draw.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_program.h"
#include "cli/shared/picture_output.h"
#include "formats/shared/readers.h"
#include "report/flame/flame_diff.h"

extern char **environ;

const struct run_picture run_picture_kinds[] = {
    {".inuse.svg", "heap.live", false, false},
    {".alloc.svg", "heap.allocated", false, false},
    {".inuse_diff.svg", "heap.live", true, false},
    {".alloc_diff.svg", "heap.allocated", true, false},
    {".inuse.flame.svg", "heap.live", false, true},
    {".inuse_diff.flame.svg", "heap.live", true, true},
    {NULL, NULL, false, false},
};

static int path_of(const struct run *run, const struct run_file *file, char path[PATH_MAX])
{
    int const length = snprintf(path, PATH_MAX, "%s/%s", run->path, file->name);
    return length > 0 && length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int open_one(const struct run *run, const struct run_file *file,
                    struct recording **recording, struct fault *fault)
{
    char path[PATH_MAX];
    if (*recording)
        return 0;
    if (path_of(run, file, path) < 0)
        return -ENAMETOOLONG;
    *recording = pprof_recording_read(path, fault);
    return *recording ? 0 : fault->code ? fault->code : -EIO;
}

void picture_source_fini(struct picture_source *source)
{
    recording_destroy(source->now);
    recording_destroy(source->before);
}

static int draw_change(struct picture_source *source, const struct weights *after,
                       const struct flame_options *options, struct svg_out *out,
                       struct fault *fault)
{
    struct weights before;
    int err = open_one(source->run, source->previous, &source->before, fault);
    if (!err)
        err = weigh_stacks(source->before, after->metric, TIME_ALL, &before, fault);
    if (err)
        return err;
    struct flame_diff const diff = {{source->before, &before},
                                    {source->now, (struct weights *)after},
                                    source->previous->name,
                                    SCALE_NONE};
    err = flame_diff_render(&diff, options, out, fault);
    weights_fini(&before);
    return err;
}

int flame_picture_draw(struct picture_source *source, const struct run_picture *picture,
                       const char *path, struct fault *fault)
{
    const struct run_node *node = &source->run->nodes.items[source->file->node];
    struct flame_options const options = {.title = node->name, .file = source->file->name};
    struct svg_out out = {0};
    struct weights weights;
    int err = open_one(source->run, source->file, &source->now, fault);
    if (!err)
        err = weigh_stacks(source->now, metric_find(picture->metric), TIME_ALL, &weights, fault);
    if (err)
        return err;
    err = picture->is_diff ? draw_change(source, &weights, &options, &out, fault)
                           : flame_svg_render(source->now, &weights, &options, &out, fault);
    if (!err)
        err = picture_write(&out, path, PICTURE_SVG, fault);
    weights_fini(&weights);
    svg_out_fini(&out);
    return err;
}

/* What a program said last, without its name in front. */
static void read_sentence(int fd, struct fault *fault, int code)
{
    char text[FAULT_TEXT_MAX];
    ssize_t const size = pread(fd, text, sizeof(text) - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    const char *colon = strstr(text, ": ");
    fault_set(fault, code, "%s", colon ? colon + 2 : text[0] ? text : "memoir-graph failed");
}

static int run_program(const char *program, char *const *words, struct fault *fault)
{
    int const said = memfd_create("memoir-graph", MFD_CLOEXEC);
    pid_t pid;
    int status = 0;
    if (said < 0)
        return -errno;
    int err = spawn_program(&(struct spawn){.program = program,
                                            .words = words,
                                            .files = (const int[]){SPAWN_OURS, SPAWN_OURS, said},
                                            .how = SPAWN_INPUT_EMPTY},
                            &pid);
    while (!err && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!err && status != 0) {
        err = -EIO;
        read_sentence(said, fault, err);
    }
    close(said);
    return err;
}

int graph_picture_draw(const char *program, const struct picture_source *source,
                       const struct run_picture *picture, const char *path, struct fault *fault)
{
    char file[PATH_MAX], previous[PATH_MAX], output[PATH_MAX], metric[32], title[300];
    char name[] = "memoir", command[] = "graph", o[] = "-o", m[] = "--metric", t[] = "--title";
    char d[] = "--diff";
    char *words[14] = {name, command, file, o, output, m, metric, t, title};
    if (path_of(source->run, source->file, file) < 0 ||
        (picture->is_diff && path_of(source->run, source->previous, previous) < 0))
        return -ENAMETOOLONG;
    snprintf(output, sizeof(output), "%s", path);
    snprintf(metric, sizeof(metric), "%s", picture->metric);
    snprintf(title, sizeof(title), "%s", source->run->nodes.items[source->file->node].name);
    if (picture->is_diff) {
        words[9] = d;
        words[10] = previous;
    }
    return run_program(program, words, fault);
}
