#!/usr/bin/env bash
# The tracer's own part in attaching: a program loads it and attaches it to itself, with a stand-in for the recorder.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

late=$subjects/libsubject-late_library.so

program=subject-attaches_itself

attaches() { # attaches NAME CASE [ARGUMENT]: the case says "ok" at its end
    local name=$1
    shift
    timeout 120 "$subjects/$program" "$BUILD/libmemoir.so" "$@" >"$name.out" 2>"$name.err"
    local status=$?
    if [ $status = 0 ] && [ "$(tail -n 1 "$name.out")" = ok ]; then
        ok "$name"
    else
        not_ok "$name" "status $status: $(tail -n 3 "$name.out" "$name.err" | tr '\n' ' ')"
    fi
}

attaches errors errors
attaches exact exact
attaches inside-libc libc
attaches late-library late-library "$late"
equal late-constructor "" "$(grep missing late-library.out)"
attaches thread-in-allocator blocked "$late"
attaches dead-recorder dead-recorder
attaches fork fork

attaches own-allocator own-allocator "$subjects/libsubject-own_allocator_user.so"

attaches follow-children follow "$subjects/subject-temporary_blocks"

# Programs that were linked in other ways, and one whose allocator is not libc's.
for way in fixed now; do
    program=subject-attaches_itself_$way
    attaches "exact-$way" exact
    attaches "libc-$way" libc
    attaches "cycles-$way" cycles 5
done
program=subject-attaches_itself
jemalloc=$(ldconfig -p | awk '/libjemalloc.so.2 / { print $NF; exit }')
if [ -n "$jemalloc" ]; then
    export LD_PRELOAD=$jemalloc
    attaches exact-jemalloc exact
    attaches late-library-jemalloc late-library "$late"
    attaches cycles-jemalloc cycles 5
    unset LD_PRELOAD
else
    skip exact-jemalloc "there is no libjemalloc.so.2; install libjemalloc2"
fi

# It may be there already, from the start, or in another copy.
cp "$BUILD/libmemoir.so" other.so
for before in "$BUILD/libmemoir.so" "$PWD/other.so"; do
    name=$(basename "$before" .so)
    export LD_PRELOAD=$before
    attaches "exact-after-$name" exact
    attaches "errors-after-$name" errors
    attaches "cycles-after-$name" cycles 5
    unset LD_PRELOAD
done

# What is there after the first time is all there ever is.
attaches cycles cycles 200
equal cycles-leave-nothing "$(sed -n 's/^after cycle 1: //p' cycles.out)" "$(sed -n 's/^after cycle 200: //p' cycles.out)"

# Neither a child nor what the process becomes finds anything of ours in its environment.
timeout 60 "$subjects/subject-attaches_itself" "$BUILD/libmemoir.so" exec >exec.out 2>exec.err
equal exec-status 0 $?
equal exec-environment 2 "$(grep -c '^PATH=' exec.out)"
equal exec-clean "" "$(grep -E 'MEMOIR_ARENA|LD_PRELOAD|libmemoir' exec.out exec.err)"

# A library with thread storage of this kind can come late only if there is little of it.
at_most thread-storage 256 $(($(readelf -lW "$BUILD/libmemoir.so" | awk '$1 == "TLS" { print $6 }')))
GLIBC_TUNABLES=glibc.rtld.nns=1:glibc.rtld.optional_static_tls=0 attaches little-thread-storage exact
