/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/picture_output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn_program.h"
#include "cli/shared/answer_file.h"
#include "cli/shared/broker.h"
#include "cli/shared/helper_program.h"

#define PNG_SCALE "2" /* text stays sharp on today's screens */

extern char **environ;

static bool ends_with(const char *path, const char *ending)
{
    size_t const length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

int picture_format_of(const char *path, enum picture_format *format, struct fault *fault)
{
    bool const is_standard = !path || strcmp(path, "-") == 0;
    *format = PICTURE_SVG;
    if (is_standard && isatty(STDOUT_FILENO))
        return fault_set(fault, -EINVAL,
                         "a picture is not text for a terminal: name a file with -o, as in -o "
                         "out.svg or -o out.png");
    if (is_standard || ends_with(path, ".svg"))
        return 0;
    *format = ends_with(path, ".html") ? PICTURE_HTML : PICTURE_PNG;
    if (*format == PICTURE_HTML || ends_with(path, ".png"))
        return 0;
    return fault_set(fault, -EINVAL,
                     "-o \"%s\" must end in .svg, .html or .png, which says what to write", path);
}

bool picture_is_dot(const char *path)
{
    return path && (ends_with(path, ".dot") || ends_with(path, ".gv"));
}

bool picture_is_json(const char *path)
{
    return path && ends_with(path, ".json");
}

static int write_svg(const struct svg_out *svg, const char *path, struct fault *fault)
{
    FILE *file = answer_open(path, fault);
    if (!file)
        return fault ? fault->code : -EIO;
    errno = 0;
    bool const is_short = fwrite(svg->data, 1, svg->size, file) != svg->size;
    int const code = errno; /* answer_close only learns that something went wrong, not what */
    int const err = answer_close(file, path, fault);
    if (err && is_short && code)
        return fault_set(fault, -code, "cannot write %s: %s", path ? path : "the picture",
                         strerror(code));
    return err;
}

/* The same picture as the only thing on a page; what it needs is inside of it. */
static int write_page(const struct svg_out *svg, const char *path, struct fault *fault)
{
    struct svg_out page = {0};
    const char *begin = memmem(svg->data, svg->size, "<svg", strlen("<svg"));
    size_t const skipped = begin ? (size_t)(begin - svg->data) : 0; /* the XML declaration */
    svg_raw(&page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<title>memoir</title>\n<style>html{overflow-y:scroll}body{margin:0}"
                   "svg{display:block;max-width:100%;height:auto}</style>\n"
                   "</head>\n<body>\n");
    svg_bytes(&page, svg->data + skipped, svg->size - skipped);
    svg_raw(&page, "</body>\n</html>\n");
    int const err = page.failed ? fault_set(fault, -ENOMEM, "out of memory while writing the page")
                                : write_svg(&page, path, fault);
    svg_out_fini(&page);
    return err;
}

static int feed(int fd, const struct svg_out *svg)
{
    for (size_t done = 0; done < svg->size;) {
        ssize_t const written = write(fd, svg->data + done, svg->size - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        done += (size_t)written;
    }
    return 0;
}

/* Starts memoir-png with `fd` as its input. */
static int start_converter(const char *program, const char *path, int fd, pid_t *pid)
{
    if (broker_has_begun())
        return broker_start_png(fd, path);
    char *const arguments[] = {(char[]){"memoir-png"}, (char[]){"--scale"}, (char[]){PNG_SCALE},
                               (char[]){"-o"},         (char *)path,        NULL};
    return spawn_program(&(struct spawn){.program = program,
                                         .words = arguments,
                                         .files = (const int[]){fd, SPAWN_OURS, SPAWN_OURS}},
                         pid);
}

static int wait_for(pid_t pid, struct fault *fault)
{
    int status = broker_has_begun() ? broker_wait() : 0;
    if (status < 0)
        return fault_set(fault, status, "cannot wait for memoir-png: %s", strerror(-status));
    while (!broker_has_begun() && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return fault_set(fault, -errno, "cannot wait for memoir-png: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFSIGNALED(status))
        return fault_set(fault, -EIO, "memoir-png was ended by signal %d: write SVG instead",
                         WTERMSIG(status));
    return fault_set(fault, -EIO, "%s", ""); /* memoir-png has said why */
}

static int write_png(const struct svg_out *svg, const char *path, struct fault *fault)
{
    char program[PATH_MAX];
    int ends[2];
    pid_t pid = -1;
    if (helper_program_path("memoir-png", program) < 0)
        return fault_set(fault, -ENOENT,
                         "PNG needs the program memoir-png, which is not installed: install it or "
                         "write SVG with -o NAME.svg");
    int err = answer_check_place(path, fault);
    if (err)
        return err;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return fault_set(fault, -errno, "cannot open a pipe to memoir-png: %s", strerror(errno));
    err = start_converter(program, path, ends[0], &pid);
    close(ends[0]);
    if (err) {
        close(ends[1]);
        return fault_set(fault, err, "cannot start %s: %s", program, strerror(-err));
    }
    feed(ends[1], svg); /* a converter that stopped reading says why by its exit */
    close(ends[1]);
    return wait_for(pid, fault);
}

int picture_write(const struct svg_out *svg, const char *path, enum picture_format format,
                  struct fault *fault)
{
    signal(SIGPIPE, SIG_IGN);
    return format == PICTURE_PNG    ? write_png(svg, path, fault)
           : format == PICTURE_HTML ? write_page(svg, path, fault)
                                    : write_svg(svg, path, fault);
}
