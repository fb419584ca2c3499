/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/doubt_text.h"

#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "base/human.h"

#define ADDON_ENDING ".node"

static const struct {
    enum trait_kind kind;
    const char *missing;
    const char *remedy;
} runtimes[] = {
    {TRAIT_GO, "Go's own heap is not in it, only what C code takes with malloc",
     "for Go's objects ask its profiler: import net/http/pprof, then go tool pprof "
     "http://HOST:PORT/debug/pprof/heap"},
    {TRAIT_JAVA, "the Java heap is not in it, only what the VM and native code take with malloc",
     "for Java's objects ask the VM: jcmd PID GC.class_histogram"},
    {TRAIT_V8,
     "JavaScript's heap is not in it, only buffers and what V8 and native code take with malloc",
     "for objects run node --heap-prof or take a heap snapshot"},
    {TRAIT_PYTHON, "Python keeps objects of up to 512 bytes in arenas that it maps itself",
     "run it with PYTHONMALLOC=malloc to see each of them"},
    {TRAIT_OCAML,
     "OCaml's heap is in it as the chunks it grew by, under whoever made it grow, not value by "
     "value",
     "for values use Gc.Memprof"},
    {TRAIT_NIM, "Nim's own allocator maps memory itself and its blocks are not in it",
     "build with --mm:orc -d:useMalloc to see each of them"},
};

/* A native addon of node that was at work, or NULL. */
static const char *find_addon(const struct recording *recording)
{
    vec_each (module, &recording->modules) {
        const char *path = recording_text(recording, module->path);
        size_t const length = strlen(path), ending = strlen(ADDON_ENDING);
        if (length > ending && strcmp(path + length - ending, ADDON_ENDING) == 0)
            return path_basename(path);
    }
    return NULL;
}

/* Many bring an allocator along, whose memory is none of JavaScript's. */
static void add_addons(const struct recording *recording, struct text_line *line)
{
    const char *addon = find_addon(recording);
    if (addon)
        line_add(line,
                 "; nor are blocks of allocators inside native addons such as %.60s, which are "
                 "none of JavaScript's: see what those map with --metric maps.live",
                 addon);
}

static void render_runtime(const struct recording *recording, const struct trait *trait,
                           struct text_line *line)
{
    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
        if (runtimes[i].kind == trait->kind) {
            line_add(line, "%s; %s", runtimes[i].missing, runtimes[i].remedy);
            if (trait->kind == TRAIT_V8)
                add_addons(recording, line);
            return;
        }
    }
    line_add(line,
             "the executable contains %s, of which not every block is in it, for not all of its "
             "functions could be hooked (see the notes); keep its symbols, or build it with the "
             "system allocator",
             trait_name(trait->kind));
}

static void add_memory(const struct recording *recording, struct text_line *line)
{
    char heap[HUMAN_MAX], anon[HUMAN_MAX];
    line_add(line, "malloc explains %s of %s resident memory",
             human_bytes((int64_t)recording->heap.peak_bytes, heap),
             human_bytes((int64_t)recording->anon_peak_bytes, anon));
}

/* A program that waits for something may do so for this long. */
#define LONG_ENOUGH_NS 10000000000ull

static void render_nothing(const struct recording *recording, struct text_line *line)
{
    char rate[HUMAN_MAX], time[HUMAN_MAX];
    bool const is_whole = !recording->before.attached && recording->exit_status >= 0;
    if (!is_whole && recording->duration_ns > 0 && recording->duration_ns < LONG_ENOUGH_NS) {
        line_add(line, "not one allocation was seen in %s, which may be too short a time",
                 human_duration(recording->duration_ns, time));
        return;
    }
    if (recording->quality.sample_rate)
        line_add(line, "not one sample was taken, of one block in %s: the program allocates little",
                 human_bytes((int64_t)recording->quality.sample_rate, rate));
    else
        line_add(line, "not one allocation was seen%s does not call malloc",
                 recording->before.attached ? " while attached: the program was at rest,"
                                            : ": the program");
    line_add(line, ", or has an allocator in its executable that was not recognised");
}

static void render_off(const struct recording *recording, struct text_line *line)
{
    char time[HUMAN_MAX];
    line_add(line, "the heap was not traced (--heap off)");
    if (recording->quality.off_ns < recording->duration_ns)
        line_add(line, " for %s of the time", human_duration(recording->quality.off_ns, time));
    line_add(line, ": blocks of then are in no number; memoir set PID --heap full traces a running "
                   "program");
}

void doubt_render(const struct recording *recording, const struct plausibility *found,
                  const struct doubt *doubt, struct text_line *line)
{
    char calls[HUMAN_MAX], frees[HUMAN_MAX];
    const char *few = recording->heap.frees ? "only " : "";
    switch (doubt->kind) {
    case DOUBT_RUNTIME:
        render_runtime(recording, doubt->trait, line);
        if (found->lacks_memory) {
            line_add(line, " (");
            add_memory(recording, line);
            line_add(line, ")");
        }
        return;
    case DOUBT_NOTHING:
        render_nothing(recording, line);
        return;
    case DOUBT_MEMORY:
        add_memory(recording, line);
        line_add(line, ": the rest is mapped by the program itself (see --metric maps.live), is "
                       "stacks, or is kept by the allocator");
        return;
    case DOUBT_NO_FREES:
        line_add(line,
                 "%s allocations and %s%s frees: the program gives nothing back, or frees in a way "
                 "that is not seen, by addresses that it had before; then what it holds is less "
                 "than shown",
                 human_count((int64_t)recording->heap.calls, calls), few,
                 recording->heap.frees ? human_count((int64_t)recording->heap.frees, frees) : "no");
        return;
    case DOUBT_OFF:
        render_off(recording, line);
        return;
    case DOUBT_KINDS:
        return;
    }
}

const char *doubt_key(enum doubt_kind kind)
{
    static const char *const keys[DOUBT_KINDS] = {
        [DOUBT_RUNTIME] = "runtime",   [DOUBT_NOTHING] = "nothing", [DOUBT_MEMORY] = "memory",
        [DOUBT_NO_FREES] = "no_frees", [DOUBT_OFF] = "off",
    };
    return kind < DOUBT_KINDS ? keys[kind] : NULL;
}
