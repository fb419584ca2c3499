/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/open/name_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/alerts/findings.h"
#include "base/spawn_program.h"
#include "formats/open/name_lines.h"
#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"

#define LOCATIONS_MAX 4096 /* inlined into each other at one address */

struct naming {
    struct recording *recording;
    const char *helper;   /* its path; NULL: it is not there */
    VEC(uint32_t) frames; /* asked for, those of a module together */
};

static const char *module_path(const struct recording *recording, uint32_t module)
{
    return recording_text(recording, recording->modules.items[module].path);
}

static int compare_frames(const void *left, const void *right, void *context)
{
    const struct frame *frames = context;
    const struct frame *a = &frames[*(const uint32_t *)left];
    const struct frame *b = &frames[*(const uint32_t *)right];
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Without the module's place in the process the address is not one of its file. */
static bool can_be_named(const struct recording *recording, const struct frame *frame)
{
    return frame->location_count == 0 && frame->module < recording->modules.count &&
           recording->modules.items[frame->module].end != 0 &&
           !strchr(module_path(recording, frame->module), '\n');
}

static int choose_frames(struct naming *naming)
{
    const struct recording *recording = naming->recording;
    for (size_t i = 0; i < recording->frames.count; i++)
        if (can_be_named(recording, &recording->frames.items[i]) &&
            !vec_push(&naming->frames, (uint32_t)i))
            return -ENOMEM;
    if (naming->frames.count > 1)
        qsort_r(naming->frames.items, naming->frames.count, sizeof(uint32_t), compare_frames,
                recording->frames.items);
    return 0;
}

/* All questions in a file of no name: the helper may then be as slow to read as it likes. */
static int write_questions(const struct naming *naming)
{
    const struct recording *recording = naming->recording;
    int const fd = memfd_create("memoir-names", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return -errno;
    }
    vec_each (index, &naming->frames) {
        const struct frame *frame = &recording->frames.items[*index];
        const char *build =
            recording_text(recording, recording->modules.items[frame->module].build_id);
        fprintf(file, "%" PRIx64 " %s %s\n", frame->address, *build ? build : "-",
                module_path(recording, frame->module));
    }
    if (fclose(file) == 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    close(fd);
    return -EIO;
}

/* Who starts the helper where this process may not. */
static struct {
    int (*start)(int questions, int answers);
    int (*wait)(void);
} outside;

void name_frames_start_by(int (*start)(int questions, int answers), int (*wait)(void))
{
    outside.start = start;
    outside.wait = wait;
}

static int spawn(const char *path, int questions, int answers, pid_t *pid)
{
    static char program[] = NAME_PROGRAM, command[] = NAME_COMMAND;
    char *const words[] = {program, command, NULL};
    return spawn_program(&(struct spawn){.program = path,
                                         .words = words,
                                         .files = (const int[]){questions, answers, SPAWN_OURS},
                                         .how = SPAWN_SIGPIPE}, /* when nobody listens */
                         pid);
}

/* Starts the helper; its answers can be read from *answers. */
static int start_helper(const char *path, int questions, pid_t *pid, FILE **answers)
{
    int ends[2];
    if (!path)
        return -ENOENT;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    int const err =
        outside.start ? outside.start(questions, ends[1]) : spawn(path, questions, ends[1], pid);
    close(ends[1]);
    *answers = err == 0 ? fdopen(ends[0], "r") : NULL;
    if (!*answers)
        close(ends[0]);
    return err;
}

/* A line without its line break; NULL at the end. */
static char *next_line(FILE *answers, char **line, size_t *room)
{
    ssize_t const size = getline(line, room, answers);
    if (size <= 0 || (*line)[size - 1] != '\n')
        return NULL;
    (*line)[size - 1] = '\0';
    return *line;
}

static bool parse_location(struct recording *recording, char *line)
{
    char *fields[NAME_FIELDS];
    for (int i = 0; i < NAME_FIELDS; i++)
        if (!(fields[i] = strsep(&line, "\t")))
            return false;
    struct location const location = {.line = (uint32_t)strtoul(fields[0], NULL, 10),
                                      .file = recording_intern(recording, fields[1]),
                                      .symbol = recording_intern(recording, fields[2]),
                                      .function = recording_intern(recording, fields[3])};
    return vec_push(&recording->locations, location);
}

static int read_answers(struct naming *naming, FILE *answers)
{
    struct recording *recording = naming->recording;
    char *line = NULL;
    size_t room = 0;
    bool fine = true;
    for (size_t i = 0; i < naming->frames.count && fine; i++) {
        struct frame *frame = &recording->frames.items[naming->frames.items[i]];
        unsigned long const count =
            next_line(answers, &line, &room) ? strtoul(line, NULL, 10) : LOCATIONS_MAX + 1;
        fine = count <= LOCATIONS_MAX;
        uint32_t const first = (uint32_t)recording->locations.count;
        for (unsigned long k = 0; k < count && fine; k++)
            fine = next_line(answers, &line, &room) && parse_location(recording, line);
        if (fine) {
            frame->first_location = first;
            frame->location_count = (uint32_t)count;
        }
    }
    free(line);
    return fine ? 0 : -EPROTO;
}

static int ask_helper(struct naming *naming)
{
    pid_t pid = -1;
    FILE *answers = NULL;
    int const questions = write_questions(naming);
    if (questions < 0)
        return questions;
    int err = start_helper(naming->helper, questions, &pid, &answers);
    close(questions);
    if (err < 0)
        return err;
    err = answers ? read_answers(naming, answers) : -EIO;
    if (answers)
        fclose(answers);
    if (outside.start)
        (void)outside.wait();
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return err;
}

/* Whether the file is there with another build id than the one that ran. */
static bool is_other_build(const struct recording *recording, uint32_t module)
{
    const char *wanted = recording_text(recording, recording->modules.items[module].build_id);
    struct elf_image image;
    struct elf_view view;
    char found[ELF_BUILD_ID_HEX] = "";
    if (!*wanted || elf_image_open(&image, "", module_path(recording, module)) < 0)
        return false;
    if (elf_view_init(&view, image.bytes) == 0)
        elf_view_build_id(&view, found);
    elf_image_close(&image);
    return strcmp(found, wanted) != 0;
}

/* Binaries that are not here, are other ones, or were changed after the file was written. */
static void tell_modules(const struct naming *naming, const char *path)
{
    struct recording *recording = naming->recording;
    struct stat file = {0}, binary;
    const char *missing = NULL, *newer = NULL, *other = NULL;
    size_t missing_count = 0, other_count = 0;
    uint32_t last = MODULE_NONE;
    stat(path, &file);
    vec_each (index, &naming->frames) {
        uint32_t const module = recording->frames.items[*index].module;
        const char *name = module_path(recording, module);
        if (module == last || *name != '/')
            continue;
        last = module;
        if (stat(name, &binary) < 0) {
            missing_count++;
            missing = missing ? missing : name;
        } else if (is_other_build(recording, module)) {
            other_count++;
            other = other ? other : name;
        } else if (binary.st_mtime > file.st_mtime && file.st_mtime) {
            newer = newer ? newer : name;
        }
    }
    if (missing)
        recording_note(recording,
                       "%zu of the binaries are not on this machine, such as %.200s: open the file "
                       "on the machine where it was recorded to see the names of their functions",
                       missing_count, missing);
    if (other)
        recording_note(
            recording,
            "%zu of the binaries on this machine are other builds than those that ran, such as "
            "%.200s: their frames have no names",
            other_count, other);
    if (newer)
        recording_note(recording,
                       "%.200s was changed after the file was written: its names may be wrong",
                       newer);
}

void name_frames(struct recording *recording, const char *path, const char *helper)
{
    struct naming naming = {.recording = recording, .helper = helper};
    const char *why = recording_was_cut(recording)
                          ? "some names were not looked up before the recorder was killed"
                      : recording->quality.unwritten_from_ns ? "some names could not be written"
                                                             : "the file has addresses only";
    int err = choose_frames(&naming);
    if (err == 0 && naming.frames.count > 0) {
        err = ask_helper(&naming);
        if (err == 0)
            recording_note(recording,
                           "%s: names are those of the binaries on this machine, as "
                           "they are now",
                           why);
        tell_modules(&naming, path);
    }
    if (err < 0)
        recording_note(recording,
                       "%s, and " NAME_PROGRAM ", the program that looks up names, could not be "
                       "used: %s",
                       why,
                       err == -ENOENT ? "install it beside memoir or in " MEMOIR_LIBEXEC
                                      : strerror(-err));
    vec_free(&naming.frames);
}
