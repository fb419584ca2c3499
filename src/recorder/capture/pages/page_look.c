/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/pages/page_look.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/pages/sampled_owners.h"
#include "capture/pages/look_sight.h"
#include "keeper/keeper.h"
#include "procfs/process/process_facts.h"

#define RESULT_MAX ((size_t)1 << 30)
#define ERRNO_MAX  4095

/* What the worker leaves in its file: this, the owners, who touched what, the mappings, and the
 * names of owners and then of mappings one after the other, each with its NUL. */
struct look_head {
    int64_t err;
    struct residency residency;
    uint64_t owner_count, touched_count, mapping_count, text_bytes;
};

struct worker {
    const struct page_look_question *question;
    struct look_sight sight;
    struct map_list maps;
    struct area_list areas;
    VEC(struct owner_range) mapped, named;
    VEC(struct page_span) present;
    VEC(struct stack_spot) stacks;
    struct page_owners owners;
    struct touched_pages touched;
    struct look_mappings mappings;
    struct look_head head;
    bool failed;
};

static int64_t rss_of(const struct worker *worker)
{
    int64_t const bytes = process_memory_again(worker->sight.sums).rss_bytes;
    return bytes < 0 ? 0 : bytes;
}

static void add_mapped(void *into, const struct owner_range *range)
{
    struct worker *worker = into;
    if (!vec_push(&worker->mapped, *range))
        worker->failed = true;
}

static void add_named(void *into, const struct owner_range *range)
{
    struct worker *worker = into;
    if (!vec_push(&worker->named, *range))
        worker->failed = true;
}

static void add_thread(struct worker *worker, uint32_t tid, uint64_t stack_pointer)
{
    if (!vec_push(&worker->stacks, (struct stack_spot){stack_pointer, tid}))
        worker->failed = true;
}

static int by_address(const void *left, const void *right)
{
    const struct stack_spot *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* The threads that the recorder knows, and those it does not, where the kernel tells. */
static int find_stacks(struct worker *worker)
{
    const struct page_look_question *question = worker->question;
    for (size_t i = 0; i < question->stack_count; i++)
        add_thread(worker, question->stacks[i].tid, question->stacks[i].address);
    vec_each (spot, &worker->sight.stacks)
        add_thread(worker, spot->tid, spot->address);
    if (worker->stacks.count)
        qsort(worker->stacks.items, worker->stacks.count, sizeof(struct stack_spot), by_address);
    return worker->failed ? -ENOMEM : 0;
}

static void add_run(void *into, const struct page_run *run)
{
    struct worker *worker = into;
    size_t const count = worker->present.count;
    if (!(run->state & PAGE_PRESENT))
        return;
    if (count && worker->present.items[count - 1].end == run->start)
        worker->present.items[count - 1].end = run->end;
    else if (!vec_push(&worker->present, (struct page_span){run->start, run->end}))
        worker->failed = true;
}

static int walk_pages(struct worker *worker)
{
    int err = 0;
    worker->head.residency.rss_before_bytes = (uint64_t)rss_of(worker);
    vec_each (area, &worker->areas.areas) {
        if (err == 0)
            err = pagemap_walk(&worker->sight.pagemap, area->start, area->end, add_run, worker);
    }
    worker->head.residency.rss_after_bytes = (uint64_t)rss_of(worker);
    return err < 0 ? err : worker->failed ? -ENOMEM : 0;
}

static int find_owners(struct worker *worker)
{
    const struct page_look_question *question = worker->question;
    bool const is_known = question->touchers.find && !question->is_sampled;
    void (*const visit)(void *, enum owner_kind, uint64_t, uint64_t) =
        is_known ? touched_pages_add : NULL;
    worker->touched.touchers = question->touchers;
    struct page_question const pages = {.present = worker->present.items,
                                        .present_count = worker->present.count,
                                        .areas = worker->areas.areas.items,
                                        .area_count = worker->areas.areas.count,
                                        .named = worker->named.items,
                                        .named_count = worker->named.count,
                                        .mapped = worker->mapped.items,
                                        .mapped_count = worker->mapped.count,
                                        .blocks = heap_book_blocks(question->heap),
                                        .site_count = question->site_count,
                                        .areas_visitor = {visit, &worker->touched},
                                        .is_attached = question->is_attached,
                                        .earlier = question->earlier,
                                        .earlier_count = question->earlier_count};
    int err = page_owners_find(&pages, &worker->owners);
    if (err == 0)
        err = touched_pages_sum(&worker->touched);
    return err == 0 && question->is_sampled
               ? sampled_owners_split(question->heap, &pages, &worker->owners)
               : err;
}

static int look_at_all(struct worker *worker)
{
    const struct page_look_question *question = worker->question;
    int err = map_list_read_open(worker->sight.maps, &worker->maps);
    map_book_visit(question->maps, add_mapped, worker);
    if (question->regions)
        map_book_visit(question->regions, add_named, worker);
    if (err == 0)
        err = find_stacks(worker);
    if (err == 0)
        err = area_list_make(&(struct area_question){.pid = question->pid,
                                                     .memory = worker->sight.memory,
                                                     .maps = &worker->maps,
                                                     .threads = worker->sight.threads.items,
                                                     .thread_count = worker->sight.threads.count,
                                                     .stacks = worker->stacks.items,
                                                     .stack_count = worker->stacks.count,
                                                     .mapped = worker->mapped.items,
                                                     .mapped_count = worker->mapped.count,
                                                     .known = question->known,
                                                     .known_count = question->known_count},
                             &worker->areas);
    if (err == 0)
        err = walk_pages(worker);
    if (err == 0)
        err = find_owners(worker);
    struct mappings_question const mappings = {.maps = &worker->maps,
                                               .areas = worker->areas.areas.items,
                                               .area_count = worker->areas.areas.count,
                                               .present = worker->present.items,
                                               .present_count = worker->present.count,
                                               .mapped = worker->mapped.items,
                                               .mapped_count = worker->mapped.count};
    return err < 0 ? err : look_mappings_make(&mappings, &worker->mappings);
}

static const char *name_of(const struct worker *worker, const struct owned *owned)
{
    if (owner_has_site(owned->kind))
        return "";
    if (owned->who != OWNER_NOBODY)
        return string_table_text(worker->areas.names, owned->who);
    return worker->question->is_sampled ? "held or free: samples do not tell"
                                        : "beside blocks that came later";
}

static const char *mapping_name(const struct worker *worker, const struct look_mapping *mapping)
{
    return worker->maps.regions.items[mapping->source].name;
}

static void leave_names(const struct worker *worker, FILE *out)
{
    vec_each (owned, &worker->owners.owned) {
        const char *name = name_of(worker, owned);
        fwrite(name, strlen(name) + 1, 1, out);
    }
    vec_each (mapping, &worker->mappings.items) {
        const char *name = mapping_name(worker, mapping);
        fwrite(name, strlen(name) + 1, 1, out);
    }
}

static void leave_result(struct worker *worker, FILE *out)
{
    vec_each (owned, &worker->owners.owned)
        worker->head.text_bytes += strlen(name_of(worker, owned)) + 1;
    vec_each (mapping, &worker->mappings.items)
        worker->head.text_bytes += strlen(mapping_name(worker, mapping)) + 1;
    worker->head.owner_count = worker->owners.owned.count;
    worker->head.mapping_count = worker->mappings.items.count;
    worker->head.touched_count = worker->touched.list.count;
    fwrite(&worker->head, sizeof(worker->head), 1, out);
    if (worker->owners.owned.count)
        fwrite(worker->owners.owned.items, sizeof(struct owned), worker->owners.owned.count, out);
    if (worker->touched.list.count)
        fwrite(worker->touched.list.items, sizeof(struct owned), worker->touched.list.count, out);
    if (worker->mappings.items.count)
        fwrite(worker->mappings.items.items, sizeof(struct look_mapping),
               worker->mappings.items.count, out);
    leave_names(worker, out);
}

/* What it opens it asks of a keeper, by a line of its own, where the recorder is confined. */
static void work(const struct page_look_question *question, pid_t recorder, int line, int fd)
{
    static struct worker worker;
    uint64_t const began = monotonic_ns();
    FILE *out = fdopen(fd, "w");
    worker.question = question;
    if (line >= 0)
        keeper_branch_use(line);
    worker.head.err = look_sight_open(&worker.sight, question->pid);
    look_sight_confine(&worker.sight, fd, RESULT_MAX);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* which went with the user */
    if (getppid() != recorder)
        _exit(1);
    if (worker.head.err == 0)
        worker.head.err = look_at_all(&worker);
    if (worker.head.err < 0)
        worker.owners.owned.count = worker.touched.list.count = worker.mappings.items.count = 0;
    worker.head.residency.walked_bytes = worker.owners.bytes;
    worker.head.residency.untouched_bytes = worker.owners.untouched;
    worker.head.residency.reserved_bytes = worker.owners.reserved;
    worker.head.residency.took_ns = monotonic_ns() - began;
    if (out) {
        leave_result(&worker, out);
        fflush(out);
    }
    _exit(out ? 0 : 1);
}

int page_look_begin(struct page_look *look, const struct page_look_question *question)
{
    look->fd = memfd_create("memoir-look", MFD_CLOEXEC);
    if (look->fd < 0)
        return -errno;
    pid_t const recorder = getpid();
    int const line = keeper_is_used() ? keeper_branch_open() : -1;
    look->site_count = question->site_count;
    look->worker = fork();
    if (look->worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpriority(PRIO_PROCESS, 0, 0);
        if (getppid() == recorder)
            work(question, recorder, line, look->fd);
        _exit(1);
    }
    int const err = look->worker < 0 ? -errno : 0;
    if (line >= 0)
        close(line);
    if (look->worker > 0)
        return 0;
    close(look->fd);
    look->worker = 0;
    return err;
}

/* Each owner and each mapping has its name, and no name is left over. */
static bool has_names(const char *text, uint64_t bytes, uint64_t count)
{
    uint64_t ends = 0;
    for (uint64_t i = 0; i < bytes; i++)
        ends += text[i] == '\0';
    return ends == count && (bytes == 0 || text[bytes - 1] == '\0');
}

/* What the recorder takes for its own numbers. */
static bool is_plausible(const struct page_look_result *result, uint32_t site_count)
{
    vec_each (owner, &result->owners)
        if (owner->owned.kind >= OWNER_KINDS ||
            (owner_has_site(owner->owned.kind) && owner->owned.who >= site_count))
            return false;
    vec_each (owned, &result->touched)
        if (owned->kind >= OWNER_KINDS || owner_touched_place(owned->kind) >= OWNERS_TOUCHED)
            return false;
    vec_each (mapping, &result->mappings.items)
        if (mapping->owner >= OWNER_KINDS)
            return false;
    return true;
}

/* The parts of a result file, whose writer has seen what the program wrote: nothing in it is taken
 * on trust. */
static int parse_result(const char *bytes, size_t size, uint32_t site_count,
                        struct page_look_result *result)
{
    struct look_head head;
    if (size < sizeof(head))
        return -EIO;
    memcpy(&head, bytes, sizeof(head));
    if (head.err != 0)
        return head.err < 0 && head.err >= -ERRNO_MAX ? (int)head.err : -EIO;
    uint64_t const owners = head.owner_count * sizeof(struct owned);
    uint64_t const touched = head.touched_count * sizeof(struct owned);
    uint64_t const mappings = head.mapping_count * sizeof(struct look_mapping);
    if (head.owner_count > RESULT_MAX || head.touched_count > RESULT_MAX ||
        head.mapping_count > MAPPINGS_MAX || head.text_bytes > RESULT_MAX ||
        sizeof(head) + owners + touched + mappings + head.text_bytes != size)
        return -EIO;
    result->residency = head.residency;
    result->text = malloc(head.text_bytes + 1);
    if (!result->text || !vec_reserve(&result->owners, head.owner_count) ||
        !vec_reserve(&result->touched, head.touched_count) ||
        !vec_reserve(&result->mappings.items, head.mapping_count))
        return -ENOMEM;
    if (touched)
        memcpy(result->touched.items, bytes + sizeof(head) + owners, touched);
    result->touched.count = head.touched_count;
    if (mappings)
        memcpy(result->mappings.items.items, bytes + sizeof(head) + owners + touched, mappings);
    result->mappings.items.count = head.mapping_count;
    memcpy(result->text, bytes + sizeof(head) + owners + touched + mappings, head.text_bytes);
    result->text[head.text_bytes] = '\0';
    if (!has_names(result->text, head.text_bytes, head.owner_count + head.mapping_count))
        return -EIO;
    result->text_bytes = head.text_bytes;
    const char *name = result->text;
    for (uint64_t i = 0; i < head.owner_count; i++) {
        struct look_owner owner = {.name = name};
        memcpy(&owner.owned, bytes + sizeof(head) + i * sizeof(struct owned), sizeof(struct owned));
        (void)vec_push(&result->owners, owner);
        name += name < result->text + head.text_bytes ? strlen(name) + 1 : 0;
    }
    result->mapping_names = name;
    return is_plausible(result, site_count) ? 0 : -EIO;
}

static int read_result(int fd, uint32_t site_count, struct page_look_result *result)
{
    off_t const size = lseek(fd, 0, SEEK_END);
    if (size <= 0 || (uint64_t)size > RESULT_MAX)
        return -EIO;
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    int const err = parse_result(bytes, (size_t)size, site_count, result);
    munmap(bytes, (size_t)size);
    return err;
}

static int end_look(struct page_look *look, int options, struct page_look_result *result)
{
    struct rusage used;
    int status;
    memset(result, 0, sizeof(*result));
    pid_t const ended = wait4(look->worker, &status, options, &used);
    if (ended == 0)
        return -EAGAIN;
    look->worker = 0;
    int const err = ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0
                        ? read_result(look->fd, look->site_count, result)
                        : -EIO;
    close(look->fd);
    if (ended > 0)
        result->cpu_ns = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_SECOND +
                         (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000u;
    if (err < 0)
        page_look_result_fini(result);
    return err;
}

int page_look_end(struct page_look *look, struct page_look_result *result)
{
    return end_look(look, WNOHANG, result);
}

int page_look_wait(struct page_look *look, struct page_look_result *result)
{
    return end_look(look, 0, result);
}

void page_look_result_fini(struct page_look_result *result)
{
    vec_free(&result->owners);
    vec_free(&result->touched);
    vec_free(&result->mappings.items);
    free(result->text);
    result->text = NULL;
}

void page_look_cancel(struct page_look *look)
{
    if (look->worker <= 0)
        return;
    kill(look->worker, SIGKILL);
    waitpid(look->worker, NULL, 0);
    close(look->fd);
    look->worker = 0;
}
