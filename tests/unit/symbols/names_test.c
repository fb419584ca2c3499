/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "resolve.h"
#include "scratch.h"
#include "symbols/dwarf/demangle.h"
#include "symbols/lookup/text_pool.h"

static void check_demangled(const char *symbol, const char *readable)
{
    char *text = demangle(symbol);
    if (readable)
        assert_string_equal(text, readable);
    else
        CHECK(text == NULL);
    free(text);
}

static void mangled_names_become_readable(void **state)
{
    (void)state;
    check_demangled("_ZN3foo3barEi", "foo::bar(int)");
    check_demangled("_ZNSt6vectorIiSaIiEE9push_backERKi",
                    "std::vector<int, std::allocator<int> >::push_back(int const&)");
    check_demangled("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
    check_demangled("_ZN4core3fmt5write17h0123456789abcdefE.llvm.42", "core::fmt::write");
    check_demangled("_RNvC6_123foo3bar", "123foo::bar");
    check_demangled("_RNvCsh1A2bC3_5hello4main", "hello::main");
    check_demangled("_D3std5stdio7writelnFAyaZv", "std.stdio.writeln(immutable(char)[])");
    check_demangled("camlDune__exe__Main__loop_271", "Dune.exe.Main.loop");
    check_demangled("camlStdlib__List.map_12", "Stdlib.List.map");
    check_demangled("camlLoad__$2b$2b_80", "Load.++");
    check_demangled("camlLoad__entry", "Load.entry");
    check_demangled("main", NULL);
    check_demangled("_start", NULL);
    check_demangled("_Zebra", NULL);
    check_demangled("", NULL);
}

/* pair<A,A>, then a pair of two such pairs, and so on: each level doubles the readable form, so
 * that 40 levels, 700 bytes, would fill a disk. */
static void a_name_that_unfolds_without_end_is_refused(void **state)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    (void)state;
    for (int levels = 3; levels <= 40; levels += 37) {
        char symbol[1024] = "_Z1fI1ASt4pairIS0_S0_E", piece[64];
        for (int level = 1; level < levels; level++) {
            int last = 2 * level; /* number of the pair before this one */
            char number[3] = {digits[last / 36], digits[last % 36], 0};
            const char *short_number = number + (last < 36);
            snprintf(piece, sizeof(piece), "St4pairIS%s_S%s_E", short_number, short_number);
            strcat(symbol, piece);
        }
        strcat(symbol, "EvT_");
        char *text = demangle(symbol);
        CHECK((text != NULL) == (levels == 3));
        free(text);
    }
}

static void equal_texts_are_kept_once_and_control_characters_never(void **state)
{
    struct text_pool *pool = text_pool_create();
    const char *kept = text_pool_keep(pool, "name", 4);

    (void)state;
    CHECK(text_pool_keep(pool, "name of", 4) == kept);
    CHECK(text_pool_readable(pool, kept) == kept);
    const char *hostile = text_pool_keep(pool, "a\n\033[2Jb", 7);
    assert_string_equal(hostile, "a??[2Jb");
    CHECK(text_pool_keep(pool, "a\n\033[2Jb", 7) == hostile);
    for (int i = 0; i < 20000; i++) {
        char name[32];
        int size = snprintf(name, sizeof(name), "name %d", i % 10000);
        assert_string_equal(text_pool_keep(pool, name, (size_t)size), name);
    }
    CHECK(text_pool_keep(pool, "name", 4) == kept);
    assert_string_equal(text_pool_readable(pool, text_pool_keep(pool, "_Z1fv", 5)), "f()");
    assert_string_equal(text_pool_readable(pool, text_pool_keep(pool, "", 0)), "");
    text_pool_destroy(pool);
}

/* Looks up the address nm gives for `symbol` plus `offset`; "" when nothing is known. */
static const char *name_at(const char *file, const char *symbol, uint64_t offset,
                           struct resolved *frame)
{
    static struct resolver *resolver;
    struct resolver_module module = {scratch_path(file ? file : ""), "", ""};
    struct resolved frames[RESOLVED_MAX];
    uint64_t begin, size;

    resolver_destroy(resolver); /* kept until the next call, for the texts */
    resolver = NULL;
    if (!symbol)
        return "";
    resolver = resolver_create();
    scratch_symbol(file, symbol, &begin, &size);
    size_t count = resolver_lookup(resolver, &module, begin + offset, frames);
    if (frame && count > 0)
        *frame = frames[count - 1];
    return count > 0 ? frames[count - 1].function : "";
}

static void cplusplus_functions_have_their_parameters(void **state)
{
    static const char source[] =
        "#include <string>\n"
        "namespace shop {\n"
        "struct Cart { std::string name; int total(const char *unit, int n) const; };\n"
        "int Cart::total(const char *unit, int n) const { return (int)name.size() + *unit + n; }\n"
        "template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }\n"
        "}\n"
        "template int shop::twice<int>(int);\n"
        "int main(int argc, char **argv)\n"
        "{ shop::Cart c{argv[0]}; return c.total(\"x\", argc) + shop::twice(argc); }\n";
    const char *total = "_ZNK4shop4Cart5totalEPKci";
    struct resolved frame;

    (void)state;
    scratch_write("shop.cc", source, strlen(source));
    for (int debug = 0; debug < 2; debug++) {
        scratch_run("g++", "-O1", debug ? "-g" : "-g0", "-o", "shop", "shop.cc");
        assert_string_equal(name_at("shop", total, 0, &frame),
                            "shop::Cart::total(char const*, int) const");
        assert_string_equal(frame.symbol, total);
        assert_int_equal(frame.line, debug ? 4 : 0);
        assert_string_equal(name_at("shop", "_ZN4shop5twiceIiEET_S1_", 0, NULL),
                            "int shop::twice<int>(int)");
        assert_string_equal(name_at("shop", "main", 0, NULL), "main");
    }
    name_at(NULL, NULL, 0, NULL);
}

static void rust_names_lose_their_hash(void **state)
{
    static const char source[] = "mod shop { pub struct Cart(pub u64);\n"
                                 "impl Cart {\n"
                                 "#[inline(never)] pub fn total(&self, n: u64) -> u64 { unsafe { "
                                 "std::ptr::read_volatile(&(self.0 + n)) } }\n"
                                 "} }\n"
                                 "fn main() { let n = std::env::args().count() as u64;\n"
                                 "std::process::exit(shop::Cart(n).total(n) as i32 & 1) }\n";

    (void)state;
    if (!scratch_has("rustc"))
        skip();
    scratch_write("shop.rs", source, strlen(source));
    for (int variant = 0; variant < 4; variant++) {
        bool v0 = variant & 1, debug = variant & 2;
        scratch_run("rustc", "-O", "--edition=2021",
                    v0 ? "-Csymbol-mangling-version=v0" : "-Cdebug-assertions=off",
                    debug ? "-Cdebuginfo=2" : "-Cdebuginfo=0", "-o", "shop", "shop.rs");
        char *symbols = scratch_output("nm", "shop"), *at = strstr(symbols, "4Cart5total");
        CHECK(at != NULL);
        while (at > symbols && at[-1] != ' ')
            at--;
        char *name = strndup(at, strcspn(at, "\n"));
        struct resolved frame;
        assert_string_equal(name_at("shop", name, 0, &frame), strncmp(name, "_R", 2) == 0
                                                                  ? "<shop::shop::Cart>::total"
                                                                  : "shop::shop::Cart::total");
        assert_string_equal(frame.symbol, name);
        CHECK((frame.line == 3) == debug);
        free(name);
        free(symbols);
    }
    name_at(NULL, NULL, 0, NULL);
}

static void assembler_aliases_and_ifuncs_have_sensible_names(void **state)
{
    static const char assembler[] = ".text\n"
                                    ".globl unsized\n"
                                    "unsized: nop; nop; nop; nop\n"
                                    ".Llabel: nop\n"
                                    "next_unsized: nop; nop; ret\n"
                                    ".globl sized\n"
                                    ".type sized,@function\n"
                                    "sized: nop\n"
                                    "inner_label: nop; nop; ret\n"
                                    ".size sized, . - sized\n"
                                    "nop; nop; nop; nop\n"
                                    ".balign 16\n"
                                    ".type _local_alias,@function\n"
                                    ".globl __wide_alias, alias\n"
                                    ".type __wide_alias,@function\n"
                                    ".type alias,@function\n"
                                    "_local_alias: __wide_alias: alias: nop; nop; ret\n"
                                    ".size _local_alias, . - alias\n"
                                    ".size __wide_alias, . - alias\n"
                                    ".size alias, . - alias\n"
                                    ".section .note.GNU-stack,\"\",@progbits\n";
    static const char source[] = "static int chosen(void) { return 1; }\n"
                                 "static int (*choose(void))(void) { return chosen; }\n"
                                 "int picked(void) __attribute__((ifunc(\"choose\")));\n"
                                 "int main(void) { return picked(); }\n";

    (void)state;
    scratch_write("code.s", assembler, strlen(assembler));
    scratch_write("main.c", source, strlen(source));
    scratch_run("cc", "-o", "program", "main.c", "code.s");
    uint64_t sized, sized_bytes;
    scratch_symbol("program", "sized", &sized, &sized_bytes);
    assert_string_equal(name_at("program", "sized", 0, NULL), "sized");
    assert_string_equal(name_at("program", "sized", 2, NULL), "sized"); /* not inner_label */
    assert_string_equal(name_at("program", "sized", sized_bytes + 1, NULL), "");
    assert_string_equal(name_at("program", "sized", (uint64_t)-3, NULL), "next_unsized");
    assert_string_equal(name_at("program", "sized", (uint64_t)-4, NULL), "unsized");
    assert_string_equal(name_at("program", "sized", (uint64_t)-8, NULL), "unsized");
    assert_string_equal(name_at("program", "alias", 1, NULL), "alias");
    assert_string_equal(name_at("program", "picked", 0, NULL), "picked"); /* not "choose" */
    name_at(NULL, NULL, 0, NULL);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mangled_names_become_readable),
        cmocka_unit_test(a_name_that_unfolds_without_end_is_refused),
        cmocka_unit_test(equal_texts_are_kept_once_and_control_characters_never),
        WITH_FOLDER(cplusplus_functions_have_their_parameters),
        WITH_FOLDER(rust_names_lose_their_hash),
        WITH_FOLDER(assembler_aliases_and_ifuncs_have_sensible_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
