#!/usr/bin/env bash
# Allocators inside the program, where a preloaded malloc is never called: jemalloc, mimalloc and tcmalloc, linked in or
# as a library, in C, C++ and Rust.  Every block is recorded, to the byte and the count, and programs do as without memoir.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/books.bash"
. "$TOP/tests/system/prefixed.bash"

sources=$TOP/tests/subjects/inside
flags=(-O1 -g -fno-inline -D_GNU_SOURCE -w)
unknown=0 # frees of blocks that were never seen

has_archive() { # has_archive NAME: is there a libNAME.a?
    case $(gcc -print-file-name="lib$1.a") in /*) return 0 ;; esac
    return 1
}

statically() { # statically LIBRARY: words for the linker
    printf '%s ' -Wl,-Bstatic "-l$1" -Wl,-Bdynamic -lstdc++ -lm -lpthread -ldl
}

# What the program printed of itself against what was recorded below do_everything.
as_in_books() { # as_in_books CASE [RECORD OPTIONS] -- PROGRAM
    local name=$1 calls bytes frees freed slack
    shift
    record "$name.memoir" "$@"
    equal "$name-status" 0 "$status"
    read -r calls bytes frees freed slack < <(awk '{ print $2 }' "$name.memoir.out" | tr '\n' ' ')
    equal "$name-allocated" "$bytes $calls" "$(site "$name.memoir" heap.allocated do_everything)"
    equal "$name-freed" "$freed $frees" "$(site "$name.memoir" heap.freed do_everything)"
    equal "$name-live" "$((bytes - freed)) $((calls - frees))" "$(site "$name.memoir" heap.live do_everything)"
    if [ "$(summary "$name.memoir" calls)" = "$calls" ]; then
        equal "$name-usable" "$slack" "$(summary "$name.memoir" slack_bytes)"
    fi
    whole "$name"
    equal "$name-no-doubt" 0 "$(quality "$name.memoir" 'doubts | length')"
}

# Samples of it: within 5 % of the books, which is many times the error to be expected.
sampled() { # sampled CASE PROGRAM
    local bytes
    record "$1-sampled.memoir" --heap sample=4096 -- "$2"
    bytes=$(awk '$1 == "bytes" { print $2 }' "$1-sampled.memoir.out")
    at_most "$1-sampled" 0.05 "$(site "$1-sampled.memoir" heap.allocated do_everything |
        awk -v books="$bytes" '{ d = ($1 - books) / books; print d < 0 ? -d : d }')"
}

# Nothing was missed: a block that appears where another is live, or is freed and was never seen, would be counted.
whole() { # whole CASE
    equal "$1-no-free-missed" 0 "$(quality "$1.memoir" implied_frees)"
    equal "$1-no-block-missed" "$unknown" "$(quality "$1.memoir" unknown_frees)"
    equal "$1-nothing-lost" 0 "$(quality "$1.memoir" lost_events)"
}

says() { # says CASE PATTERN: a note of the recording
    if quality "$1.memoir" 'notes[]' | grep -Eq "$2"; then
        ok "$1-says-so"
    else
        not_ok "$1-says-so" "no note says '$2': $(quality "$1.memoir" 'notes')"
    fi
}

# The generator with whatever allocator: eight threads and every hazard.
generate() { # generate CASE LIBRARY
    local name=$1
    # shellcheck disable=SC2046
    gcc "${flags[@]}" "$TOP"/tests/subjects/generator*.c "$sources/pvalloc.c" -o "$name" $(statically "$2") || {
        not_ok "$name" "it does not link"
        return
    }
    # shellcheck disable=SC2034
    generator=./$name
    compare "$name-sharp" --sharp --ops 200000 --paths 64 --coroutines --deep --longjmp
    compare "$name-threads" --threads 8 --ops 400000 --seed 6 --paths 64 --fork --signals --churn
    says "$name-threads" "inside $name is recorded"
}

if has_archive jemalloc; then
    # shellcheck disable=SC2046
    gcc "${flags[@]}" "$sources/all_of_jemalloc.c" -o all_of_jemalloc $(statically jemalloc)
    as_in_books jemalloc -- ./all_of_jemalloc
    sampled jemalloc ./all_of_jemalloc
    says jemalloc 'jemalloc inside all_of_jemalloc is recorded through 1[0-9] functions'
    prefix_jemalloc
    # shellcheck disable=SC2046
    gcc "${flags[@]}" -DPREFIX=_rjem_ "$sources/all_of_jemalloc.c" -o prefixed $(link_prefixed)
    as_in_books jemalloc-with-prefix -- ./prefixed
    # Linkers leave out what nobody calls, and then nobody tells what a block can hold.
    objcopy --redefine-sym _rjem_sallocx=tell --redefine-sym _rjem_malloc_usable_size=tell2 libprefixed.a libuntold.a
    # shellcheck disable=SC2046
    gcc "${flags[@]}" -DPREFIX=_rjem_ -DSALLOCX=tell "$sources/all_of_jemalloc.c" -o untold -L. $(statically untold)
    as_in_books jemalloc-sizes-computed -- ./untold
    gcc "${flags[@]}" "$sources/all_of_jemalloc.c" -o linked_jemalloc -ljemalloc
    as_in_books jemalloc-as-library -- ./linked_jemalloc
    # shellcheck disable=SC2046
    g++ "${flags[@]}" "$sources/all_operators.cc" -o operators_jemalloc $(statically jemalloc)
    unknown=100 # exceptions, which the C++ library makes while the allocator is at work
    as_in_books jemalloc-operators -- ./operators_jemalloc
    unknown=0
    generate generator-jemalloc jemalloc
    # A followed process that has given up its rights writes to all that it can reach, and names processes that are not its own.
    if [ "$(id -u)" = 0 ]; then
        sleep 300 &
        stranger=$!
        wait_until 10 grep -q vdso "/proc/$stranger/maps" && wait_until 10 grep -q '^sleep' "/proc/$stranger/cmdline"
        sleep 0.2 # its loader
        cp "/proc/$stranger/maps" stranger.before
        "$MEMOIR" run --quiet --children -o ringer.memoir -- "$subjects/subject-rings_for_others" ./all_of_jemalloc $stranger >ringer.out
        equal ringer-status 0 $?
        equal ringer-does-no-harm "arena there, 10 of 10 went well" "$(cat ringer.out)"
        cp "/proc/$stranger/maps" stranger.after
        same_text ringer-leaves-strangers-alone stranger.before stranger.after
        kill $stranger
        wait $stranger 2>/dev/null
    else
        skip ringer "only root can give up its rights"
    fi
    # By way of a shell that becomes it, and in a child.
    as_in_books after-exec -- sh -c 'exec ./prefixed'
else
    skip jemalloc "libjemalloc-dev is not installed"
fi

if [ -e "$(gcc -print-file-name=libmimalloc.so)" ]; then
    gcc "${flags[@]}" "$sources/all_of_mimalloc.c" -o all_of_mimalloc -lmimalloc
    as_in_books mimalloc -- ./all_of_mimalloc
    sampled mimalloc ./all_of_mimalloc
    says mimalloc 'mimalloc inside libmimalloc.* is recorded through [0-9]+ functions$'
    g++ "${flags[@]}" -DNO_THROW "$sources/all_operators.cc" -o operators_mimalloc -lmimalloc
    as_in_books mimalloc-operators -- ./operators_mimalloc
else
    skip mimalloc "libmimalloc-dev is not installed"
fi

if has_archive tcmalloc_minimal; then
    # shellcheck disable=SC2046
    g++ "${flags[@]}" "$sources/all_operators.cc" -o operators_tcmalloc $(statically tcmalloc_minimal)
    unknown=100
    as_in_books tcmalloc-operators -- ./operators_tcmalloc
    unknown=0
    says tcmalloc-operators 'tcmalloc inside operators_tcmalloc is recorded'
    generate generator-tcmalloc tcmalloc_minimal
else
    skip tcmalloc "libgoogle-perftools-dev is not installed"
fi

if command -v rustc >/dev/null && [ -e libprefixed.a ]; then
    rustc -g -O "$sources/global_alloc.rs" -o global_alloc -L . -l static=prefixed -l stdc++ -l m 2>rustc.err ||
        not_ok rust "it does not build: $(head -n 3 rustc.err)"
    ./global_alloc >global_alloc.native
    record rust.memoir -- ./global_alloc
    equal rust-status 0 "$status"
    equal rust-output "$(head -n 1 global_alloc.native)" "$(head -n 1 rust.memoir.out)"
    says rust 'jemalloc inside global_alloc is recorded'
    # What the program's own code asked for: its thousand blocks of libc's, and what went through its allocator.
    equal rust-books "$(awk '$1 == "bytes" { b = $2 } $1 == "calls" { c = $2 } END { print b + 777000, c + 1000 }' rust.memoir.out)" \
        "$(jq -r '[.rows[] | select((.stack[0].module | endswith("/global_alloc")) and
            (.stack[0].function | test("alloc::System") | not))] |
            "\(map(.value) | add) \(map(.count) | add)"' "$(json_of rust.memoir heap.allocated)")"
    whole rust
else
    skip rust "rustc is not installed"
fi

# An allocator that only its prefix tells.
gcc "${flags[@]}" "$sources/named_prefix.c" -o named_prefix
as_in_books named --allocator own_ -- ./named_prefix
record unnamed.memoir --allocator ohn_ -- ./named_prefix
equal unnamed-status 0 "$status"

at_least unnamed-sentence 1 "$(grep -c 'allocator ohn_: no program' unnamed.memoir.err)"

# One that cannot be hooked runs as ever, and the recording says what it misses.
gcc "${flags[@]}" "$sources/stubborn.c" -o stubborn
record stubborn.memoir -- ./stubborn
equal stubborn-status 0 "$status"
equal stubborn-output "done" "$(cat stubborn.memoir.out)"
says stubborn 'not through 1 others \(free: it branches back to its beginning\)'
