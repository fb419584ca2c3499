/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/doubt_text.h"

#include <string.h>

#include "analyze/trees/shown_frame.h"
#include "base/clock.h"
#include "base/human.h"

#define ADDON_ENDING ".node"

static const struct {
    enum trait_kind kind;
    const char *missing;
    const char *remedy;
} runtimes[] = {
    {TRAIT_GO,
     "Go's own heap is not in the recording, only memory that C code allocates with "
     "malloc",
     "for Go's objects use Go's profiler: import net/http/pprof, then go tool pprof "
     "http://HOST:PORT/debug/pprof/heap"},
    {TRAIT_JAVA,
     "the Java heap is not in the recording, only memory that the VM and native code "
     "allocate with malloc",
     "for Java's objects use jcmd PID GC.class_histogram"},
    {TRAIT_V8,
     "JavaScript's heap is not in the recording, only buffers and memory that V8 and native code "
     "allocate with malloc",
     "for objects run node --heap-prof or take a heap snapshot"},
    {TRAIT_PYTHON, "Python keeps objects of up to 512 bytes in its own arenas",
     "run the program with PYTHONMALLOC=malloc to see each object"},
    {TRAIT_OCAML,
     "OCaml's heap is in the recording as large chunks, under the function that made the heap "
     "grow, not as single values",
     "for single values use Gc.Memprof"},
    {TRAIT_NIM, "Nim's own allocator maps memory itself, so its blocks are not in the recording",
     "build the program with --mm:orc -d:useMalloc to see each block"},
    {TRAIT_OTHER_LIBC,
     "libraries in a namespace of their own (dlmopen, LD_AUDIT) have a C library of their own, "
     "whose blocks are not in the recording",
     "what the program loads with dlopen is recorded"},
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
                 "; blocks of allocators inside native addons such as %.60s are not in the "
                 "recording either: --metric maps.live shows what these allocators map",
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
             "the executable contains %s, and not all of its blocks are in the recording, because "
             "some of its functions could not be hooked (see the notes); keep the symbols of the "
             "executable, or build it with the system allocator",
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
#define LONG_ENOUGH_NS (10 * NS_PER_SECOND)

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
        line_add(line, "no sample was taken (one block in %s): the program allocates little",
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
    line_add(line, ": blocks of that time are in no number; memoir set PID --heap full traces a "
                   "running program");
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
                 "%s allocations and %s%s frees: the program frees nothing, or calls a free "
                 "function that memoir does not see, through an address that it copied earlier; "
                 "then less memory is live than shown",
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
