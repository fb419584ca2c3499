/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "check.h"
#include "resolve.h"
#include "scratch.h"
#include "symbols/elf/elf_image.h"
#include "symbols/elf/elf_view.h"

static const char *const chain[] = {"deep program.c:4", "middle program.c:10", "outer program.c:17",
                                    NULL};
static const char *const no_id = "-Wl,--build-id=none";

/* "stripped", with its debug information in "stripped.debug", both from "program". */
static void build_and_strip(const char *build_id)
{
    scratch_run("cc", "-O2", "-g", build_id, "-rdynamic", "-o", "program", "program.c");
    scratch_run("objcopy", "--only-keep-debug", "program", "stripped.debug");
    scratch_run("objcopy", "--strip-all", "--add-gnu-debuglink=stripped.debug", "program",
                "stripped");
}

static bool resolves(const struct resolver_module *module, const char *const *wanted)
{
    struct resolver *resolver = resolver_create();
    bool found = finds_chain(resolver, module, "program", "outer", wanted);
    resolver_destroy(resolver);
    return found;
}

static size_t frames_at_outer(const struct resolver_module *module, struct resolved *frames)
{
    static struct resolver *resolver;
    uint64_t begin, size;

    resolver_destroy(resolver); /* kept until the next call, for the texts */
    resolver = resolver_create();
    scratch_symbol("program", "outer", &begin, &size);
    return module ? resolver_lookup(resolver, module, begin, frames) : 0;
}

static void a_debuglink_is_followed_to_its_three_places(void **state)
{
    struct resolver_module module = {scratch_path("stripped"), "", ""};

    (void)state;
    build_and_strip(no_id);
    CHECK(resolves(&module, chain));

    scratch_run("mkdir", ".debug");
    scratch_run("mv", "stripped.debug", ".debug/stripped.debug");
    CHECK(resolves(&module, chain));

    struct resolver_module inside = {"/app/stripped", scratch_path(""), ""};
    scratch_run("mkdir", "-p", "app", "usr/lib/debug/app");
    scratch_run("mv", "stripped", "app/stripped");
    scratch_run("mv", ".debug/stripped.debug", "usr/lib/debug/app/stripped.debug");
    CHECK(resolves(&inside, chain));
}

static void a_debug_file_with_another_crc_is_not_used(void **state)
{
    struct resolver_module module = {scratch_path("stripped"), "", ""};
    struct resolved frames[RESOLVED_MAX];

    (void)state;
    build_and_strip(no_id);
    FILE *debug = fopen(scratch_path("stripped.debug"), "a");
    CHECK(debug && fputc('x', debug) == 'x' && fclose(debug) == 0);
    CHECK(!resolves(&module, chain));
    CHECK(frames_at_outer(&module, frames) == 1); /* the dynamic symbol is still there */
    assert_string_equal(frames[0].function, "outer");
    assert_string_equal(frames[0].file, "");
    frames_at_outer(NULL, NULL);
}

static void debug_files_are_found_by_build_id_below_the_root(void **state)
{
    struct resolver_module module = {"/stripped", scratch_path(""), ""};
    char place[256];

    (void)state;
    build_and_strip("-Wl,--build-id");
    char *id = scratch_build_id("program");
    snprintf(place, sizeof(place), "usr/lib/debug/.build-id/%.2s", id);
    scratch_run("mkdir", "-p", place);
    snprintf(place, sizeof(place), "usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
    scratch_run("mv", "stripped.debug", place);
    CHECK(resolves(&module, chain));
    module.build_id = id;
    CHECK(resolves(&module, chain));

    scratch_run("rm", "stripped"); /* the module itself is gone: the debug file suffices */
    CHECK(resolves(&module, chain));
    free(id);
}

/* Processes come and go, each with a root of its own; what they share is read once, and is known
 * after a rest. */
static void an_open_file_is_the_one_of_its_build_id(void **state)
{
    struct resolver *resolver = resolver_create();

    (void)state;
    scratch_run("cc", "-O2", "-g", "-Wl,--build-id", "-o", "program", "program.c");
    scratch_run("cp", "program", "oracle");
    char *id = scratch_build_id("program");
    struct resolver_module const first = {scratch_path("program"), "", id};
    struct resolver_module const gone = {"/program", "/proc/0/root", id};
    struct resolver_module const nameless = {"/program", "/proc/0/root", ""};
    CHECK(!finds_chain(resolver, &gone, "oracle", "outer", chain));
    CHECK(finds_chain(resolver, &first, "oracle", "outer", chain));
    CHECK(finds_chain(resolver, &gone, "oracle", "outer", chain));
    scratch_run("rm", "program");
    resolver_rest(resolver);
    CHECK(finds_chain(resolver, &first, "oracle", "outer", chain));
    CHECK(!finds_chain(resolver, &nameless, "oracle", "outer", chain));
    resolver_destroy(resolver);
    free(id);
}

static void a_module_with_another_build_id_names_nothing(void **state)
{
    struct resolver_module module = {scratch_path("program"), "", ""};
    struct resolved frames[RESOLVED_MAX];

    (void)state;
    scratch_run("cc", "-O2", "-g", "-Wl,--build-id", "-o", "program", "program.c");
    CHECK(frames_at_outer(&module, frames) == 1);
    char *id = scratch_build_id("program");
    module.build_id = id;
    CHECK(frames_at_outer(&module, frames) == 1);
    id[0] = id[0] == '0' ? '1' : '0';
    CHECK(frames_at_outer(&module, frames) == 0);
    frames_at_outer(NULL, NULL);

    scratch_run("cc", "-O2", "-g", no_id, "-o", "program", "program.c");
    CHECK(frames_at_outer(&module, frames) == 0); /* none is another one, too */
    frames_at_outer(NULL, NULL);
    free(id);
}

static void links_stay_inside_the_root(void **state)
{
    struct resolver_module module = {"/app/current", scratch_path("root"), ""};
    struct resolved frames[RESOLVED_MAX];

    (void)state;
    scratch_run("cc", "-O2", "-g", "-o", "program", "program.c");
    scratch_run("mkdir", "-p", "root/app");
    scratch_run("ln", "-s", "/app/real", "root/app/current");
    CHECK(frames_at_outer(&module, frames) == 0);
    scratch_run("cp", "program", "root/app/real");
    CHECK(frames_at_outer(&module, frames) == 1);
    frames_at_outer(NULL, NULL);
}

static void a_deleted_file_is_used_when_its_successor_is_equal(void **state)
{
    char path[512];
    struct resolver_module module = {path, "", ""};
    struct resolved frames[RESOLVED_MAX];

    (void)state;
    scratch_run("cc", "-O2", "-g", "-Wl,--build-id", "-o", "program", "program.c");
    snprintf(path, sizeof(path), "%s (deleted)", scratch_path("program"));
    CHECK(frames_at_outer(&module, frames) == 0); /* who knows what it was */
    char *id = scratch_build_id("program");
    module.build_id = id;
    CHECK(frames_at_outer(&module, frames) == 1);
    frames_at_outer(NULL, NULL);
    free(id);
}

static void local_functions_come_from_minidebuginfo(void **state)
{
    static const char source[] = "static __attribute__((noinline,noclone)) int hidden(int x)\n"
                                 "{ __asm__ volatile(\"\"); return x + 1; }\n"
                                 "int visible(int x) { return hidden(x) * 2; }\n";
    struct resolver_module module = {scratch_path("lib.so"), "", ""};
    struct resolved frames[RESOLVED_MAX];
    uint64_t hidden, visible, size;

    (void)state;
    if (!scratch_has("xz"))
        skip();
    struct resolver *resolver = resolver_create();
    scratch_write("lib.c", source, strlen(source));
    scratch_run("cc", "-O1", "-fPIC", "-shared", "-o", "full.so", "lib.c");
    scratch_symbol("full.so", "hidden", &hidden, &size);
    scratch_symbol("full.so", "visible", &visible, &size);
    scratch_run("objcopy", "-S", "--keep-symbol=hidden", "full.so", "mini");
    scratch_run("xz", "-k", "mini");
    scratch_run("strip", "-o", "bare.so", "full.so");
    scratch_run("objcopy", "--add-section", ".gnu_debugdata=mini.xz", "bare.so", "lib.so");
    CHECK(resolver_lookup(resolver, &module, hidden, frames) == 1);
    assert_string_equal(frames[0].function, "hidden");
    CHECK(resolver_lookup(resolver, &module, visible, frames) == 1);
    assert_string_equal(frames[0].function, "visible");

    module.path = scratch_path("bare.so");
    CHECK(resolver_lookup(resolver, &module, hidden, frames) == 0);
    CHECK(resolver_lookup(resolver, &module, visible, frames) == 1);
    resolver_destroy(resolver);
}

static void debug_files_come_from_a_server_only_when_one_is_named(void **state)
{
    struct resolver_module module = {scratch_path("stripped"), "", ""};
    char place[256], url[512];
    void *client = dlopen("libdebuginfod.so.1", RTLD_NOW);

    (void)state;
    if (!client) {
        print_message("needs libdebuginfod1, which is not installed: skipped\n");
        skip();
    }
    build_and_strip("-Wl,--build-id");
    char *id = scratch_build_id("program");
    snprintf(place, sizeof(place), "server/buildid/%s", id);
    scratch_run("mkdir", "-p", place);
    snprintf(place, sizeof(place), "server/buildid/%s/debuginfo", id);
    scratch_run("mv", "stripped.debug", place);
    snprintf(url, sizeof(url), "file://%s", scratch_path("server"));
    setenv("DEBUGINFOD_CACHE_PATH", scratch_path("cache"), 1);
    unsetenv("DEBUGINFOD_URLS");
    CHECK(!resolves(&module, chain));
    setenv("DEBUGINFOD_URLS", url, 1);
    CHECK(resolves(&module, chain));
    unsetenv("DEBUGINFOD_URLS");
    free(id);
}

static void the_vdso_names_its_functions(void **state)
{
    struct resolver_module module = {"[vdso]", "", ""};
    struct resolved frames[RESOLVED_MAX];
    struct elf_image image;
    struct elf_view view;
    struct elf_section symbols, names;
    char build_id[ELF_BUILD_ID_HEX];
    size_t named = 0;

    (void)state;
    if (getauxval(AT_SYSINFO_EHDR) == 0)
        skip();
    struct resolver *resolver = resolver_create();
    CHECK(elf_image_open_vdso(&image) == 0 && elf_view_init(&view, image.bytes) == 0);
    elf_view_build_id(&view, build_id);
    CHECK(build_id[0] != '\0' && elf_view_find_type(&view, SHT_DYNSYM, &symbols));
    CHECK(elf_view_section(&view, symbols.header.sh_link, &names));
    module.build_id = build_id;
    for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.bytes.size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, symbols.bytes.data + at, sizeof(symbol));
        if (strstr(names.bytes.data + symbol.st_name, "clock_gettime")) {
            CHECK(resolver_lookup(resolver, &module, symbol.st_value, frames) == 1);
            CHECK(strstr(frames[0].function, "clock_gettime") != NULL);
            named++;
        }
    }
    CHECK(named > 0);
    module.path = "linux-vdso.so.1";
    build_id[0] = build_id[0] == '0' ? '1' : '0'; /* of another kernel */
    for (uint64_t address = 0; address < image.bytes.size; address += 16)
        CHECK(resolver_lookup(resolver, &module, address, frames) == 0);
    elf_image_close(&image);
    resolver_destroy(resolver);
}

static void a_file_cut_under_us_is_not_touched_again(void **state)
{
    struct resolver *resolver = resolver_create();
    struct resolver_module module = {scratch_path("program"), "", ""};
    struct resolved frames[RESOLVED_MAX];
    uint64_t begin, size;

    (void)state;
    scratch_run("cc", "-O2", "-g", "-static", "-o", "program", "program.c");
    scratch_symbol("program", "outer", &begin, &size);
    CHECK(resolver_lookup(resolver, &module, begin, frames) == 1);
    CHECK(truncate(module.path, 100) == 0);
    for (int i = 0; i < 100; i++)
        CHECK(resolver_lookup(resolver, &module, begin + i * 4096, frames) == 0);
    resolver_destroy(resolver);
}

/* Between two looks whether it is intact. */
static void a_file_cut_while_it_is_read_has_zeroes(void **state)
{
    struct elf_image image;
    unsigned sum = 0;

    (void)state;
    scratch_run("cc", "-O2", "-g", "-static", "-o", "program", "program.c");
    CHECK(elf_image_open(&image, "", scratch_path("program")) == 0);
    CHECK(truncate(scratch_path("program"), 0) == 0);
    for (size_t i = 0; i < image.bytes.size; i += 100)
        sum |= (unsigned char)image.bytes.data[i];
    CHECK(sum == 0 && !elf_image_is_intact(&image));
    elf_image_close(&image);
}

/* Every cut and many a flipped byte of a real file: any answer, but no fault (run with ASan). */
static void damaged_files_do_no_harm(void **state)
{
    struct resolved frames[RESOLVED_MAX];
    uint64_t begin, length;
    size_t size;

    (void)state;
    scratch_run("cc", "-O2", "-g", "-o", "program", "program.c");
    scratch_symbol("program", "outer", &begin, &length);
    char *bytes = scratch_read("program", &size);
    for (unsigned round = 0; round < 600; round++) {
        struct resolver *resolver = resolver_create();
        struct resolver_module module = {scratch_path("damaged"), "", ""};
        size_t at = round * 2654435761u % size, kept = round % 3 == 0 ? at : size;
        char old = bytes[at];
        bytes[at] = (char)(round % 3 == 1 ? 0xff : old ^ 0x15);
        scratch_write("damaged", bytes, kept);
        bytes[at] = old;
        for (uint64_t address = begin; address < begin + length; address += 7)
            (void)resolver_lookup(resolver, &module, address, frames);
        resolver_destroy(resolver);
    }
    free(bytes);
}

static int open_folder(void **state)
{
    (void)state;
    scratch_open();
    write_c_program();
    return 0;
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_folder, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(a_debuglink_is_followed_to_its_three_places),
        WITH_FOLDER(a_debug_file_with_another_crc_is_not_used),
        WITH_FOLDER(debug_files_are_found_by_build_id_below_the_root),
        WITH_FOLDER(an_open_file_is_the_one_of_its_build_id),
        WITH_FOLDER(a_module_with_another_build_id_names_nothing),
        WITH_FOLDER(links_stay_inside_the_root),
        WITH_FOLDER(a_deleted_file_is_used_when_its_successor_is_equal),
        WITH_FOLDER(local_functions_come_from_minidebuginfo),
        WITH_FOLDER(debug_files_come_from_a_server_only_when_one_is_named),
        WITH_FOLDER(the_vdso_names_its_functions),
        WITH_FOLDER(a_file_cut_under_us_is_not_touched_again),
        WITH_FOLDER(a_file_cut_while_it_is_read_has_zeroes),
        WITH_FOLDER(damaged_files_do_no_harm),
    };
    unsetenv("DEBUGINFOD_URLS");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
