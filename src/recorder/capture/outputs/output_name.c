/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outputs/output_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/human.h"
#include "base/utf8.h"
#include "keeper/keeper.h"
#include "procfs/process/open_files.h"
#include "store/write/growing_file.h"
#include "store/write/place.h"

#define RECORDER "memoir-record"

#define SAME_NAME_MAX 10000u

#define NAME_MAX_BYTES 200

/* -errno, or 0 and how large the file is. */
static int look_at(const char *path, int64_t *bytes)
{
    struct stat about;
    if (keeper_is_used())
        return keeper_output_look(path, bytes);
    if (stat(path, &about) < 0)
        return -errno;
    *bytes = about.st_size;
    return 0;
}

bool output_exists(const char *path)
{
    int64_t bytes = 0;
    return look_at(path, &bytes) == 0;
}

void output_remove(const char *path, bool only_empty)
{
    struct stat about;
    if (keeper_is_used())
        (void)keeper_output_remove(path, only_empty);
    else if (!only_empty ||
             (lstat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0))
        unlink(path);
}

int output_put_aside(const char *path)
{
    return keeper_is_used() ? keeper_output_put_aside(path) : place_put_aside(path);
}

/* A program chooses its name: the file's must be harmless on a terminal and in a shell, where it
 * is pasted. */
static void tame_name(char tame[NAME_MAX_BYTES + 1], const char *program)
{
    static const char special[] = " !\"#$&'()*;<>?[\\]^`{|}~";
    const char *slash = strrchr(program, '/');
    snprintf(tame, NAME_MAX_BYTES + 1, "%s", slash ? slash + 1 : program);
    utf8_tame(tame, '_', "");
    for (char *at = strpbrk(tame, special); at; at = strpbrk(at, special))
        *at = '_';
    if (tame[0] == '-')
        tame[0] = '_';
}

void output_name(char path[PATH_MAX], const char *output, const char *folder, const char *program,
                 uint32_t pid)
{
    char number[16] = "", name[NAME_MAX_BYTES + 1];
    tame_name(name, program);
    if (output) {
        snprintf(path, PATH_MAX, "%s", output);
        return;
    }
    for (unsigned same = 2; same < SAME_NAME_MAX; same++) {
        char whose[16] = "";
        if (pid)
            snprintf(whose, sizeof(whose), ".%u", pid);
        snprintf(path, PATH_MAX, "%s%s%s%s%s.memoir", folder, *folder ? "/" : "",
                 *name ? name : "program", whose, number);
        if (!output_exists(path))
            return;
        snprintf(number, sizeof(number), "-%u", same);
    }
}

/* -EBUSY with the number of whoever has the file open. */
static int name_writer(const char *path, struct fault *fault)
{
    struct stat wanted, other;
    struct open_files files;
    uint32_t writer = 0;
    if (stat(path, &wanted) == 0 && open_files_find(RECORDER, &files) == 0) {
        vec_each (file, &files.files) /* one that it has just forked has it open as well */
            if ((!writer || file->pid < writer) && fstat(file->fd, &other) == 0 &&
                other.st_dev == wanted.st_dev && other.st_ino == wanted.st_ino)
                writer = file->pid;
        open_files_fini(&files);
    }
    if (!writer)
        return place_busy(path, fault);
    return fault_set(fault, -EBUSY,
                     "%s is being written by another memoir (pid %u); choose another name with -o, "
                     "or end that recording first: kill -INT %u",
                     path, writer, writer);
}

int output_check(const struct recording_wish *wish, struct fault *fault)
{
    if (!wish->output)
        return 0;
    int const err =
        wish->force ? place_clear(wish->output, fault) : place_check(wish->output, fault);
    return err == -EBUSY ? name_writer(wish->output, fault) : err;
}

int output_claim(const char *path, struct fault *fault)
{
    char *real = realpath(path, NULL);
    int const fd = real ? growing_file_claim(real) : -ENOENT;
    free(real);
    return fd == -EBUSY ? name_writer(path, fault) : fd;
}

void output_tell_size(const char *path, uint64_t max_bytes, say_fn say)
{
    int64_t bytes = 0;
    char is[HUMAN_MAX], wished[HUMAN_MAX];
    if (max_bytes == 0 || look_at(path, &bytes) < 0 || (uint64_t)bytes <= max_bytes)
        return;
    say_text(say,
             "%s has %s, more than the %s of --max-size: the names, stacks and coarsest sums of "
             "this program alone need that much",
             path, human_bytes(bytes, is), human_bytes((int64_t)max_bytes, wished));
}
