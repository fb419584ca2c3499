#!/usr/bin/env bash
# Programs with another allocator: linked, preloaded, or inside the executable.  Calls, frees and usable sizes are what the
# program counted, and what is live is what the allocator itself says it has given out.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
program=$TOP/tests/runtimes/blocks.c

close_to() { # close_to CASE EXPECTED ACTUAL MORE: not less, and not so much more
    at_least "$1" "$2" "$3"
    at_most "$1-not-more" $(($2 + $4)) "$3"
}

# The allocator's own threads, and libc before main, make a few more.
judge() { # judge CASE
    local file=$1.memoir calls frees bytes given
    read -r calls _ frees _ bytes _ <"$file.out"
    close_to "$1-calls" "$calls" "$(summary "$file" calls)" 30
    close_to "$1-frees" "$frees" "$(summary "$file" freed_calls)" 30
    close_to "$1-bytes" "$bytes" "$(summary "$file" allocated_bytes)" 200000
    close_to "$1-usable-sizes" "$(told "$1" slack)" "$(summary "$file" slack_bytes)" 100000
    given=$(told "$1" given)
    if [ "$given" != 0 ]; then # at its peak, which is at its end
        local live=$(($(summary "$file" peak_bytes) + $(summary "$file" peak_slack_bytes)))
        at_least "$1-given-out" $((live * 98 / 100)) "$given"
        at_most "$1-given-out-not-more" $((live * 105 / 100)) "$given"
    fi
    equal "$1-complete-stacks" 1 "$(quality "$file" complete_stacks_share)"
    hardly_lost "$1-hardly-lost" "$file"
    equal "$1-no-doubts" "[]" "$(quality "$file" 'doubts | tostring')"
}

has_library() { # has_library NAME
    echo 'int main(void) { return 0; }' | gcc -x c -o nothing - -l"$1" 2>/dev/null
}

gcc -g -O1 -pthread -o blocks "$program" || not_ok built "gcc failed"
for library in jemalloc tcmalloc tcmalloc_minimal mimalloc; do
    if ! has_library $library; then
        skip $library "not installed"
        continue
    fi
    gcc -g -O1 -pthread -o "blocks_$library" "$program" -Wl,--no-as-needed -l$library
    same_as_native "$library-linked" "./blocks_$library"
    judge "$library-linked"
    file=$(ldd "./blocks_$library" | awk -v name="lib$library" 'index($1, name ".so") == 1 { print $3 }')
    LD_PRELOAD=$file same_as_native "$library-preloaded" ./blocks
    judge "$library-preloaded"
    equal "$library-known" "${library%_minimal} false true" \
        "$(fact "$library-preloaded.memoir" '.recording.has[] | "\(.kind) \(.in_executable) \(.seen)"')"
done

# Inside the executable it is the program's malloc before ours is looked for.
inside() { # inside CASE KIND
    same_as_native "$1" "./$1"
    if [ -e "$1.memoir" ] && [ "$(fact "$1.memoir" '.recording.has[] | select(.in_executable).seen')" = true ]; then
        judge "$1"
    elif [ -e "$1.memoir" ]; then
        equal "$1-said" "runtime $2" "$(quality "$1.memoir" 'doubts[] | "\(.kind) \(.has)"')"
    else
        equal "$1-said" 1 "$(grep -c "nothing was recorded.*$2" "$1.memoir.err")"
    fi
}
if gcc -g -O1 -pthread -o jemalloc-inside "$program" -Wl,-Bstatic -ljemalloc -Wl,-Bdynamic -lstdc++ -lm 2>/dev/null; then
    inside jemalloc-inside jemalloc
    strip -o jemalloc-stripped jemalloc-inside
    inside jemalloc-stripped jemalloc
else
    skip jemalloc-inside "no libjemalloc.a"
fi
gcc -g -O1 -c -o blocks.o "$program"
if g++ -pthread -o tcmalloc-inside blocks.o -Wl,-Bstatic -ltcmalloc_minimal -Wl,-Bdynamic 2>/dev/null; then
    inside tcmalloc-inside tcmalloc
else
    skip tcmalloc-inside "no libtcmalloc_minimal.a"
fi
