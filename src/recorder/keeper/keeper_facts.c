/* SPDX-License-Identifier: Apache-2.0 */
#include "keeper/keeper_facts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/process/process_age.h"
#include "procfs/process/process_status.h"
#include "symbols/dwarf/debuginfod.h"
#include "symbols/elf/mapped_file.h"
#include "symbols/lookup/perf_map.h"

/* Words of /proc/PID/stat, counted from the state, which is 0. */
#define STAT_START 19u
#define STAT_EXIT  49u

/* What the kernel shows of a process to everybody. */
static bool is_open_to_all(uint32_t row)
{
    switch ((enum proc_file)row) {
    case PROC_CGROUP:
    case PROC_CMDLINE:
    case PROC_COMM:
    case PROC_LIMITS:
    case PROC_STAT:
    case PROC_STATM:
    case PROC_STATUS:
    case PROC_TASKS:
    case PROC_ITSELF:
        return true;
    default:
        return false;
    }
}

static uint64_t begin_of(uint32_t pid)
{
    uint64_t ticks, unix_ns;
    return process_age_read(pid, &ticks, &unix_ns) == 0 ? ticks : UINT64_MAX;
}

void keeper_facts_learn(struct keeper_facts *facts, uint32_t pid)
{
    if (keeper_facts_know(facts, pid))
        return;
    facts->known[facts->known_next] = (struct known_process){pid, begin_of(pid)};
    facts->known_next = (facts->known_next + 1) % KNOWN_MOST;
    if (facts->known_count < KNOWN_MOST)
        facts->known_count++;
}

bool keeper_facts_know(const struct keeper_facts *facts, uint32_t pid)
{
    if (pid != 0 && pid == facts->program)
        return true;
    for (uint32_t i = 0; i < facts->known_count; i++)
        if (facts->known[i].pid == pid && facts->known[i].ticks == begin_of(pid))
            return true;
    return false;
}

bool keeper_facts_prove(struct keeper_facts *facts, uint32_t pid)
{
    if (!arena_mark_proves(&facts->mark, pid))
        return false;
    keeper_facts_learn(facts, pid);
    return true;
}

/* After the row was opened or read. */
static int judge(struct keeper_facts *facts, uint32_t pid, uint32_t row)
{
    if (is_open_to_all(row) && keeper_facts_know(facts, pid))
        return 0;
    return keeper_facts_prove(facts, pid) ? 0 : -EACCES;
}

int keeper_facts_open(struct keeper_facts *facts, const struct keeper_request *request, int *fd)
{
    *fd = proc_open(request->pid, request->tid, (enum proc_file)request->number);
    if (*fd < 0)
        return *fd;
    /* Who reads stat and syscall decides what is in them: they are read here. */
    int const err = request->number == PROC_STAT || request->number == PROC_SYSCALL
                        ? -EACCES
                        : judge(facts, request->pid, request->number);
    if (err) {
        close(*fd);
        *fd = -1;
    }
    return err;
}

static size_t put(char *text, size_t at, const char *what, size_t size)
{
    memmove(text + at, what, size);
    return at + size;
}

size_t keeper_tame_stat(char *text, bool has_end)
{
    char *after_name = strrchr(text, ')');
    if (!after_name || after_name[1] != ' ')
        return 0;
    size_t at = (size_t)(after_name + 2 - text);
    const char *word = text + at;
    for (unsigned i = 0; *word; i++) {
        size_t const size = strcspn(word, " \n");
        bool const is_shown = i <= STAT_START || (i == STAT_EXIT && has_end);
        const char *const instead = i == STAT_EXIT ? "-" : "0"; /* a 0 would be a good end */
        if (i > 0)
            at = put(text, at, " ", 1); /* never beyond what was read */
        const char *next = word + size + (word[size] != '\0');
        at = is_shown ? put(text, at, word, size) : put(text, at, size ? instead : "", size > 0);
        word = next;
    }
    text[at] = '\0';
    return at;
}

int keeper_facts_read(struct keeper_facts *facts, const struct keeper_request *request,
                      struct keeper_reply *reply)
{
    enum proc_file const row = (enum proc_file)request->number;
    ssize_t const got =
        proc_read_start(request->pid, request->tid, row, reply->text, sizeof(reply->text));
    if (got < 0)
        return (int)got;
    int const err = judge(facts, request->pid, row);
    if (row == PROC_STAT) {
        reply->text_size = (uint32_t)keeper_tame_stat(reply->text, err == 0);
        return 0;
    }
    reply->text_size = err ? 0 : (uint32_t)got;
    return err;
}

int keeper_facts_link(struct keeper_facts *facts, const struct keeper_request *request,
                      struct keeper_reply *reply)
{
    ssize_t const got = proc_read_link(request->pid, (enum proc_file)request->number, reply->text,
                                       sizeof(reply->text));
    if (got < 0)
        return (int)got;
    int const err = judge(facts, request->pid, request->number);
    reply->text_size = err ? 0 : (uint32_t)got;
    return err;
}

/* That a process or a thread is there, everybody may know. */
int keeper_facts_stat(struct keeper_facts *facts, const struct keeper_request *request,
                      struct keeper_reply *reply)
{
    struct stat about;
    int err = proc_stat(request->pid, request->tid, (enum proc_file)request->number, &about);
    if (!err && request->number != PROC_ITSELF)
        err = judge(facts, request->pid, request->number);
    if (!err)
        reply->about = about;
    return err;
}

int keeper_facts_stat_below(struct keeper_facts *facts, const struct keeper_request *request,
                            struct keeper_reply *reply)
{
    struct stat about;
    int err = proc_stat_below(request->pid, request->file.path, &about);
    if (!err)
        err = judge(facts, request->pid, PROC_ROOT);
    if (!err)
        reply->about = about;
    return err;
}

int keeper_facts_system(struct keeper_facts *facts, const struct keeper_request *request,
                        struct keeper_reply *reply)
{
    struct statfs about;
    int err = proc_mapped_system(request->pid, request->file.start, request->file.end, &about);
    if (!err)
        err = judge(facts, request->pid, PROC_MAPS);
    if (!err)
        reply->system = about;
    return err;
}

int keeper_facts_uses_arena(struct keeper_facts *facts, const struct keeper_request *request,
                            struct keeper_reply *reply)
{
    enum arena_finding const found = arena_mark_look(&facts->mark, request->pid);
    if (found == HAS_ARENA)
        (void)keeper_facts_prove(facts, request->pid);
    reply->value = (int64_t)found * 2 + arena_mark_is_older(&facts->mark, request->pid);
    return 0;
}

int keeper_facts_find_user(struct keeper_facts *facts, const struct keeper_request *request,
                           struct keeper_reply *reply)
{
    bool is_proved;
    uint32_t const pid = arena_mark_find(&facts->mark, request->pid, &is_proved);
    reply->value = (int64_t)pid * 2 + is_proved;
    return 0;
}

/* "/proc/PID/root", and nothing behind it; 0: it is something else. */
static uint32_t process_of(const char *root)
{
    char *end;
    if (strncmp(root, "/proc/", 6) != 0 || root[6] < '1' || root[6] > '9')
        return 0;
    unsigned long const pid = strtoul(root + 6, &end, 10);
    return strcmp(end, "/root") == 0 && pid <= 1u << 22 ? (uint32_t)pid : 0;
}

/* In our own root, or from our folder: links of /proc lead nowhere, also from there. */
static int open_here(const char *path, const struct foreign_limits *limits)
{
    int const from = open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (from < 0)
        return -errno;
    int const fd = foreign_file_open(from, path, limits, NULL);
    close(from);
    return fd;
}

/* Code and its debug files; a core is somebody's memory. */
static bool is_code(int fd)
{
    uint16_t type;
    return foreign_is_elf(fd) && pread(fd, &type, sizeof(type), EI_NIDENT) == sizeof(type) &&
           (type == ET_EXEC || type == ET_DYN || type == ET_REL);
}

static int open_file(const struct foreign_request *file, int root)
{
    struct foreign_limits const limits = {.bytes_max = file->bytes_max,
                                          .refuses_link = file->refuses_link != 0};
    if (file->kind == FOREIGN_MAPPED)
        return mapped_file_open(file->root, file->path);
    if (file->kind == FOREIGN_DEBUG)
        return debuginfod_open(file->path);
    if (file->kind == FOREIGN_BELOW && file->root[0] == '\0')
        return root >= 0 ? foreign_file_open(root, file->path, &limits, NULL)
                         : open_here(file->path, &limits);
    return foreign_request_serve(file);
}

/* A list of code that its own user made: what else lies under that name is none, such as another
 * file that is mounted there. */
static bool is_list_of(uint32_t pid, int fd)
{
    struct process_status status;
    struct stat about;
    return process_status_read(pid, 0, &status) == 0 && fstat(fd, &about) == 0 &&
           about.st_uid == status.user;
}

/* Of a process only when that has the arena, also once the file is open. */
static int judge_file(struct keeper_facts *facts, const struct foreign_request *file, int fd)
{
    bool const by_number = file->kind == FOREIGN_PROGRAM || file->kind == FOREIGN_MAPPING;
    uint32_t const pid = by_number ? file->pid : process_of(file->root);
    bool const is_list =
        file->kind == FOREIGN_BELOW && file->refuses_link && perf_map_is_path(file->path);
    if (by_number || file->root[0] != '\0')
        if (!keeper_facts_prove(facts, pid))
            return -EACCES;
    if (is_list && pid != 0)
        return is_list_of(pid, fd) ? 0 : -EACCES;
    return is_list || is_code(fd) ? 0 : -ENOEXEC;
}

int keeper_facts_file(struct keeper_facts *facts, const struct foreign_request *file, int root)
{
    bool const by_number = file->kind == FOREIGN_PROGRAM || file->kind == FOREIGN_MAPPING;
    if (by_number ? file->pid == 0 : file->root[0] != '\0' && process_of(file->root) == 0)
        return -EACCES;
    if (root >= 0 && (file->kind != FOREIGN_BELOW || file->root[0] != '\0'))
        return -EACCES;
    int const fd = open_file(file, root);
    int const err = fd < 0 ? fd : judge_file(facts, file, fd);
    if (fd >= 0 && err)
        close(fd);
    return err ? err : fd;
}
