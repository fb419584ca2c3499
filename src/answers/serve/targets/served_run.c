/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/served_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"

#define LOOK_NS   NS_PER_SECOND
#define REST_PART 10 /* so many times as long as it took */
#define LINE_MOST 512

struct served_run {
    char *path;
    struct run *run; /* NULL: nothing is there yet */
    struct ram ram;
    bool has_ram, is_written;
    struct fault ram_fault;
    uint64_t version, looked_ns, took_ns;
    struct timespec changed; /* the folder, at the last look */
    off_t fetched_bytes;     /* of its fetches.jsonl */
};

/* Who writes a run holds a lock on its folder.  It is only looked for: a lock of ours, however
 * short, could turn away a watch that begins. */
static bool is_locked(ino_t folder)
{
    FILE *locks = fopen("/proc/locks", "re");
    char line[LINE_MOST];
    bool found = false;
    while (locks && !found && fgets(line, sizeof(line), locks)) {
        unsigned major, minor;
        uint64_t inode;
        found =
            /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
            sscanf(line, "%*d: FLOCK %*s WRITE %*d %x:%x:%" SCNu64, &major, &minor, &inode) == 3 &&
            inode == folder;
    }
    if (locks)
        fclose(locks);
    return found;
}

/* Whether the folder is another than at the last look. */
static bool has_changed(struct served_run *run)
{
    char path[4096];
    struct stat folder, fetches = {0};
    bool const was_written = run->is_written;
    if (stat(run->path, &folder) < 0)
        return false;
    int const length = snprintf(path, sizeof(path), "%s/fetches.jsonl", run->path);
    if (length < 0 || (size_t)length >= sizeof(path) || stat(path, &fetches) < 0)
        fetches.st_size = 0;
    run->is_written = is_locked(folder.st_ino);
    bool const is_other = folder.st_mtim.tv_sec != run->changed.tv_sec ||
                          folder.st_mtim.tv_nsec != run->changed.tv_nsec ||
                          fetches.st_size != run->fetched_bytes;
    run->changed = folder.st_mtim;
    run->fetched_bytes = fetches.st_size;
    /* Sizes of processes are appended to files that were there before. */
    return is_other || run->is_written || was_written;
}

static void forget_ram(struct served_run *run)
{
    if (run->has_ram)
        ram_fini(&run->ram);
    run->has_ram = false;
    run->ram_fault = (struct fault){.text = ""};
}

static int look(struct served_run *run, struct fault *fault)
{
    uint64_t const began_ns = monotonic_ns();
    struct run *now = run_open(run->path, fault);
    if (now) {
        forget_ram(run);
        run_close(run->run);
        run->run = now;
        run->version++;
    }
    run->looked_ns = monotonic_ns();
    run->took_ns = run->looked_ns - began_ns;
    return now ? 0 : -ENOENT;
}

struct served_run *served_run_open(const char *path, struct fault *fault)
{
    struct served_run *run = calloc(1, sizeof(*run));
    if (!run || !(run->path = strdup(path))) {
        fault_set(fault, -ENOMEM, "out of memory");
        served_run_close(run);
        return NULL;
    }
    has_changed(run);
    if (look(run, fault) == 0 || run->is_written)
        return run;
    served_run_close(run);
    return NULL;
}

void served_run_close(struct served_run *run)
{
    if (!run)
        return;
    forget_ram(run);
    run_close(run->run);
    free(run->path);
    free(run);
}

void served_run_look(struct served_run *run)
{
    uint64_t const rest_ns = run->took_ns * REST_PART;
    if (monotonic_ns() - run->looked_ns < (rest_ns > LOOK_NS ? rest_ns : LOOK_NS))
        return;
    if (has_changed(run))
        look(run, NULL);
    else
        run->looked_ns = monotonic_ns();
}

const struct run *served_run_content(const struct served_run *run)
{
    return run->run;
}

bool served_run_is_written(const struct served_run *run)
{
    return run->is_written;
}

uint64_t served_run_version(const struct served_run *run)
{
    return run->version;
}

const char *served_run_name(const struct served_run *run)
{
    size_t size = strlen(run->path);
    while (size > 1 && run->path[size - 1] == '/')
        run->path[--size] = '\0';
    const char *slash = strrchr(run->path, '/');
    return slash && slash[1] ? slash + 1 : run->path;
}

const struct ram *served_run_ram(struct served_run *run, struct fault *fault)
{
    uint64_t const began_ns = monotonic_ns();
    if (!run->run) {
        fault_set(fault, -ENOENT, "the run %s is empty", run->path);
        return NULL;
    }
    if (!run->has_ram && !run->ram_fault.text[0]) {
        run->has_ram = ram_read(&run->ram, run->run, NULL, &run->ram_fault) == 0;
        if (!run->has_ram)
            ram_fini(&run->ram);
        run->took_ns += monotonic_ns() - began_ns;
    }
    if (run->has_ram)
        return &run->ram;
    *fault = run->ram_fault;
    return NULL;
}

int64_t served_run_begin_us(const struct served_run *run)
{
    if (run->run && run->run->stamps.count)
        return run->run->stamps.items[0];
    return run->has_ram && run->ram.stamps.count ? run->ram.stamps.items[0] : 0;
}

int64_t served_run_end_us(const struct served_run *run)
{
    int64_t last =
        run->run && run->run->stamps.count ? run->run->stamps.items[run->run->stamps.count - 1] : 0;
    if (run->has_ram && run->ram.stamps.count &&
        run->ram.stamps.items[run->ram.stamps.count - 1] > last)
        last = run->ram.stamps.items[run->ram.stamps.count - 1];
    return last;
}
