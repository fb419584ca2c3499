#!/usr/bin/env bash
# Programs of languages that compile to machine code, and of other libcs: what docs/runtimes.md says about each.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
programs=$TOP/tests/runtimes

complete() { # complete CASE
    equal "$1-complete-stacks" 1 "$(quality "$1.memoir" complete_stacks_share)"
    hardly_lost "$1-hardly-lost" "$1.memoir"
}

# The kinds of doubt with what they are about, such as "runtime:nim".
doubts() { # doubts CASE
    quality "$1.memoir" 'doubts | map(.kind + ":" + (.has // "")) | join(" ")'
}

# The program counted its allocations; libc and the runtime made a few more.
counted_like_us() { # counted_like_us CASE MORE: at most so many more
    local calls frees
    read -r calls frees < <(told "$1" counted)
    at_least "$1-calls" "$calls" "$(summary "$1.memoir" calls)"
    at_most "$1-calls-not-more" $((calls + $2)) "$(summary "$1.memoir" calls)"
    at_least "$1-frees" "$frees" "$(summary "$1.memoir" freed_calls)"
    at_most "$1-frees-not-more" $((frees + $2)) "$(summary "$1.memoir" freed_calls)"
}

gcc -g -O1 -pthread -o blocks "$programs/blocks.c" || not_ok c-built "gcc failed"
same_as_native c ./blocks
complete c
equal c-doubts "" "$(doubts c)"
read -r calls _ frees _ bytes _ <c.memoir.out
at_least c-calls "$calls" "$(summary c.memoir calls)"
at_most c-calls-not-more $((calls + 20)) "$(summary c.memoir calls)"
at_least c-frees "$frees" "$(summary c.memoir freed_calls)"
at_most c-frees-not-more $((frees + 20)) "$(summary c.memoir freed_calls)"
at_least c-bytes "$bytes" "$(summary c.memoir allocated_bytes)"

g++ -std=c++17 -g -O1 -o words_cc "$programs/words.cc" || not_ok cplusplus-built "g++ failed"
same_as_native cplusplus ./words_cc
complete cplusplus
equal cplusplus-doubts "" "$(doubts cplusplus)"
counted_like_us cplusplus 1100 # a thousand exceptions are malloc's
equal cplusplus-exceptions 1000 "$(jq '[.rows[] | select(.stack[0].function == "fail(int)" or .stack[1].function == "fail(int)")
    | select(.stack | any(.function | test("main"))) | .count] | max' "$(json_of cplusplus.memoir heap.calls)")"
at_least cplusplus-leak 1000 "$(site cplusplus.memoir heap.leaked 'build(int)' main | cut -d' ' -f2)"

# /usr/bin: another rustc may come first.
if [ -x /usr/bin/rustc ]; then
    /usr/bin/rustc -O -g -o words_rs "$programs/words.rs" || not_ok rust-built "rustc failed"
    same_as_native rust ./words_rs
    complete rust
    equal rust-doubts "" "$(doubts rust)"
    equal rust-known "rust true" "$(fact rust.memoir '.recording.has[] | "\(.kind) \(.seen)"')"
    counted_like_us rust 500
    at_least rust-names 1000 "$(site rust.memoir heap.leaked words::build words::main | cut -d' ' -f2)"

    # jemalloc inside, under the prefix that Rust's crates give it: malloc is never called.
    library=$(find /usr/lib -name libjemalloc_pic.a | head -n 1)
    if [ -n "$library" ]; then
        nm -g --defined-only "$library" 2>/dev/null | awk '$2 == "T" && $3 !~ /^_?je_|^_Z/ { print $3, "_rjem_" $3 }' |
            sort -u >names
        objcopy --redefine-syms=names "$library" libprefixed.a
        /usr/bin/rustc -O -g --cfg jemalloc -L . -l static=prefixed -l m -l stdc++ -l dl -o words_rs_jemalloc \
            "$programs/words.rs" || not_ok rust-jemalloc-built "rustc failed"
        same_as_native rust-jemalloc ./words_rs_jemalloc
        equal rust-jemalloc-known true "$(fact rust-jemalloc.memoir '.recording.has | any(.kind == "jemalloc" and .in_executable)')"
        if [ "$(fact rust-jemalloc.memoir '.recording.has[] | select(.kind == "jemalloc").seen')" = true ]; then
            counted_like_us rust-jemalloc 500
            complete rust-jemalloc
        else
            equal rust-jemalloc-said "runtime:jemalloc" "$(doubts rust-jemalloc)"
        fi
    else
        skip rust-jemalloc "no libjemalloc_pic.a"
    fi
else
    skip rust "no /usr/bin/rustc"
fi

if command -v nim >/dev/null; then
    nim_build() { # nim_build NAME OPTIONS…
        local name=$1
        shift
        nim c --hints:off -d:release -g --nimcache:"cache-$name" -o:"$name" "$@" "$programs/words.nim" >"$name.log" 2>&1 ||
            not_ok "$name-built" "$(tail -n 1 "$name.log")"
    }
    nim_build nim_default
    same_as_native nim-default ./nim_default
    equal nim-default-said "runtime:nim" "$(doubts nim-default)"
    at_least nim-default-is-in-maps "$(told nim-default occupied)" "$(fact nim-default.memoir .summary.maps.peak_bytes)"
    equal nim-default-said-at-the-end 1 "$(grep -c 'memoir: warning: Nim.*useMalloc' nim-default.memoir.err)"

    nim_build nim_malloc --mm:orc -d:useMalloc -d:nimAllocStats
    same_as_native nim-malloc ./nim_malloc
    complete nim-malloc
    equal nim-malloc-doubts "" "$(doubts nim-malloc)"
    # Nim does not count what it resizes.
    calls=$(jq '[.rows[] | select(.stack[0].function | test("^alloc0?Impl")) | .count] | add' \
        "$(report_of nim-malloc.memoir functions --metric heap.calls --by function --top 1000)")
    told_calls=$(sed -n 's/^(allocCount: \([0-9]*\).*/\1/p' nim-malloc.memoir.err)
    at_least nim-malloc-calls "$told_calls" "$calls"
    at_most nim-malloc-calls-not-more $((told_calls + 20)) "$calls"
else
    skip nim "not installed"
fi

if command -v ocamlopt >/dev/null; then
    cp "$programs/words.ml" . # what it makes goes beside the source
    ocamlopt -g -o words_ml words.ml || not_ok ocaml-built "ocamlopt failed"
    same_as_native ocaml ./words_ml
    complete ocaml
    equal ocaml-said "runtime:ocaml" "$(doubts ocaml)"
    # The heap it knows of, in the chunks it asked for: each a page larger, to align it.
    read -r held chunks < <(site ocaml.memoir heap.leaked caml_alloc_for_heap)
    at_least ocaml-heap "$(told ocaml heap_bytes)" "$held"
    at_most ocaml-heap-not-more $(($(told ocaml heap_bytes) + chunks * 8192)) "$held"
    at_least ocaml-names 1 "$(jq '[.rows[] | select(any(.stack[]; .function | test("build")))] | length' \
        "$(json_of ocaml.memoir heap.leaked)")"
else
    skip ocaml "not installed"
fi

refuse() { # refuse CASE PATTERN PROGRAM
    record "$1.memoir" -- "$3"
    equal "$1-status" 126 "$status"
    one_sentence "$1-sentence" "$1.memoir.err" "$2"
    equal "$1-not-run" "" "$(cat "$1.memoir.out")"
}
gcc -static -g -O1 -pthread -o blocks_static "$programs/blocks.c"
refuse static 'static.*dynamically' ./blocks_static
if musl-gcc -g -O1 -pthread -o blocks_musl "$programs/blocks.c"; then
    refuse musl 'musl.*glibc build' ./blocks_musl
    # As a child of something recorded it runs, unrecorded.
    record musl-child.memoir --children -- sh -c './blocks_musl; exit $?'
    equal musl-child-status 3 "$status"
    ./blocks_musl >musl.native 2>/dev/null
    same_text musl-child-output musl.native musl-child.memoir.out
else
    skip musl "no musl-gcc"
fi
