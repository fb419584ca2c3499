/* SPDX-License-Identifier: Apache-2.0 */
/* inside_files.c - has the files from which a process runs code read by a child that can do nothing
 * else, because each file may have been made to exploit its reader. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/programs/inside_plan_parts.h"
#include "foreign/foreign_file.h"
#include "procfs/process/process_facts.h"
#include "sandbox/sandbox.h"

#define KNOWN_MAX   4096u
#define BATCH       64u /* files that are open at a time */
#define CPU_SECONDS 20u

struct code_batch {
    uint32_t count;
    struct code_mapping {
        size_t region; /* of the maps */
        int fd;
        struct known_file identity;
    } files[BATCH];
};

/* What the reader leaves.  It may say anything, so each word is checked. */
struct code_answer {
    uint64_t fruitless; /* one bit per file */
    uint32_t patch_count, region_count, has_failed, has_wanted;
    struct inside_region regions[INSIDE_REGIONS];
    struct inside_patch patches[INSIDE_PATCHES];
    struct inside_report report;
};
_Static_assert(BATCH <= 64, "a bit per file");

void inside_known_fini(struct inside_known *known)
{
    vec_free(&known->files);
}

static bool is_known(const struct inside_known *known, struct known_file file)
{
    vec_each (one, &known->files) {
        if (one->inode == file.inode && one->device == file.device && one->size == file.size &&
            one->modified_ns == file.modified_ns)
            return true;
    }
    return false;
}

/* It brings malloc and free too. */
static bool is_ours(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash + 1, "libmemoir.so", strlen("libmemoir.so")) == 0;
}

/* A descriptor, or -1 when the region is no code of a file that can be read, or its file is known
 * to have nothing. */
static int open_code(const struct map_region *region, const char *root,
                     const struct inside_known *known, struct known_file *identity)
{
    struct foreign_limits const limits = {.bytes_max = FOREIGN_ELF_MAX};
    struct stat status;
    if (!region->executable || region->name[0] != '/' || is_ours(region->name))
        return -1;
    int const fd = foreign_file_open_below(root, region->name, &limits, NULL);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0) {
        *identity = (struct known_file){status.st_dev, status.st_ino, (uint64_t)status.st_size,
                                        (int64_t)timespec_ns(&status.st_mtim)};
        if (!is_known(known, *identity))
            return fd;
    }
    close(fd);
    return -1;
}

/* The next files, from the region *next on. */
static void fill_batch(struct code_batch *batch, const struct planning *planning, const char *root,
                       const struct inside_known *known, size_t *next)
{
    batch->count = 0;
    for (; *next < planning->maps.regions.count && batch->count < BATCH; ++*next) {
        struct code_mapping *file = &batch->files[batch->count];
        file->region = *next;
        file->fd = open_code(&planning->maps.regions.items[*next], root, known, &file->identity);
        batch->count += file->fd >= 0;
    }
}

/* In the reader. */
static void read_batch(struct planning *planning, const struct code_batch *batch,
                       struct code_answer *answer)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct code_mapping *file = &batch->files[i];
        enum planned const planned =
            inside_plan_file(planning, &planning->maps.regions.items[file->region], file->fd);
        answer->fruitless |= (uint64_t)(planned == PLANNED_FRUITLESS) << i;
        answer->has_failed |= planned == PLANNED_FAILED;
    }
    answer->patch_count = planning->plan->patch_count;
    answer->region_count = planning->plan->region_count;
    answer->has_wanted = planning->report->has_wanted;
    memcpy(answer->regions, planning->plan->regions, sizeof(answer->regions));
    memcpy(answer->patches, planning->plan->patches, sizeof(answer->patches));
    answer->report = *planning->report;
}

static _Noreturn void be_reader(struct planning *planning, const struct code_batch *batch,
                                struct code_answer *answer, int out, pid_t recorder)
{
    int kept[BATCH + 1] = {out};
    struct sandbox_wish const wish = {.memory_bytes = SANDBOX_NO_LIMIT,
                                      .cpu_seconds = CPU_SECONDS,
                                      .file_bytes = sizeof(*answer)};
    struct sandbox_report report;
    struct fault fault;
    for (uint32_t i = 0; i < batch->count; i++)
        kept[1 + i] = batch->files[i].fd;
    sandbox_keep_open(kept, 1 + batch->count);
    if (sandbox_enter(&wish, &report, &fault) == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != recorder)
            _exit(1);
        read_batch(planning, batch, answer);
        ssize_t const ignored = write(out, answer, sizeof(*answer)); /* its size tells */
        (void)ignored;
    }
    _exit(0);
}

static void end_text(char *text, size_t size)
{
    text[size - 1] = '\0';
}

/* A byte that is to be a bool may be anything. */
static bool is_set(const bool *answered)
{
    unsigned char byte;
    memcpy(&byte, answered, sizeof(byte));
    return byte != 0;
}

/* Takes what can be meant, from the first finding that is new on. */
static bool take_findings(struct inside_report *report, const struct code_answer *answer)
{
    if (answer->report.count < report->count || answer->report.count > INSIDE_FINDINGS)
        return false;
    for (; report->count < answer->report.count; report->count++) {
        const struct inside_finding *from = &answer->report.findings[report->count];
        struct inside_finding *to = &report->findings[report->count];
        if (from->first_patch > answer->patch_count ||
            from->patch_count > answer->patch_count - from->first_patch)
            return false;
        memcpy(to, from, offsetof(struct inside_finding, in_executable));
        to->in_executable = is_set(&from->in_executable);
        to->first_patch = from->first_patch;
        to->patch_count = from->patch_count;
        to->refused = from->refused;
        memcpy(to->refusal, from->refusal, sizeof(to->refusal));
        end_text(to->family, sizeof(to->family));
        end_text(to->prefix, sizeof(to->prefix));
        end_text(to->module, sizeof(to->module));
        end_text(to->refusal, sizeof(to->refusal));
    }
    report->has_wanted |= answer->has_wanted != 0;
    return true;
}

/* The patches and regions are the business of the process that gets them. */
static bool take_answer(struct planning *planning, const struct code_batch *batch,
                        struct inside_known *known, const struct code_answer *answer)
{
    struct inside_plan *plan = planning->plan;
    if (answer->patch_count > INSIDE_PATCHES || answer->region_count > INSIDE_REGIONS ||
        answer->has_failed || !take_findings(planning->report, answer))
        return false;
    plan->patch_count = answer->patch_count;
    plan->region_count = answer->region_count;
    memcpy(plan->regions, answer->regions, sizeof(plan->regions));
    memcpy(plan->patches, answer->patches, sizeof(plan->patches));
    for (uint32_t i = 0; i < batch->count; i++)
        if (answer->fruitless >> i & 1 && known->files.count < KNOWN_MAX &&
            !is_known(known, batch->files[i].identity))
            (void)vec_push(&known->files, batch->files[i].identity);
    return true;
}

/* 0; or -EPROTO when the files broke whoever read them, or another -errno. */
static int have_read(struct planning *planning, const struct code_batch *batch,
                     struct inside_known *known, struct code_answer *answer)
{
    int const out = memfd_create("memoir-plan", MFD_CLOEXEC);
    pid_t const recorder = getpid(), reader = out < 0 ? -1 : fork();
    if (reader == 0)
        be_reader(planning, batch, answer, out, recorder);
    int err = reader < 0 ? -errno : 0;
    while (reader > 0 && waitpid(reader, NULL, 0) < 0 && errno == EINTR)
        ;
    if (err == 0 && (pread(out, answer, sizeof(*answer), 0) != (ssize_t)sizeof(*answer) ||
                     !take_answer(planning, batch, known, answer)))
        err = -EPROTO;
    if (out >= 0)
        close(out);
    return err;
}

static int read_all(struct planning *planning, const char *root, struct inside_known *known)
{
    struct code_batch batch;
    int err = 0;
    struct code_answer *answer = calloc(1, sizeof(*answer));
    if (!answer)
        return -ENOMEM;
    for (size_t next = 0; err == 0 && next < planning->maps.regions.count;) {
        fill_batch(&batch, planning, root, known, &next);
        if (batch.count > 0)
            err = have_read(planning, &batch, known, answer);
        for (uint32_t i = 0; i < batch.count; i++)
            close(batch.files[i].fd);
        memset(answer, 0, sizeof(*answer));
    }
    free(answer);
    return err;
}

int inside_plan_make(struct inside_plan *plan, uint32_t pid, const char *wanted,
                     struct inside_known *known, struct inside_report *report)
{
    struct planning planning = {.plan = plan, .report = report, .wanted = wanted};
    char root[32];
    plan->patch_count = plan->region_count = 0;
    *report = (struct inside_report){.count = 0};
    snprintf(root, sizeof(root), "/proc/%u/root", pid);
    process_program_path(pid, planning.executable, sizeof(planning.executable));
    int err = map_list_read(pid, &planning.maps);
    if (err == 0)
        err = read_all(&planning, root, known);
    map_list_fini(&planning.maps);
    return err;
}
