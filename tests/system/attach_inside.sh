#!/usr/bin/env bash
# The tracer's own part in attaching: a program loads it and attaches it to itself, with a stand-in for the recorder.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

late=$subjects/libsubject-late_library.so

attaches() { # attaches NAME CASE [ARGUMENT]: the case says "ok" at its end
    local name=$1
    shift
    timeout 120 "$subjects/subject-attaches_itself" "$BUILD/libmemoir.so" "$@" >"$name.out" 2>"$name.err"
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
