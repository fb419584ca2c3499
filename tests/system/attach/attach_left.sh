#!/usr/bin/env bash
# What stays in a process that could not be attached to, or not be left: nothing, or a way to take it out.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

# Too little address space, in steps: whatever fails, fails before anything is mapped.
begin_obedient space
used=$(awk '/^VmSize/ { print $2 }' "/proc/$target/status")
before=$(size_of "$target")
for more in 1000 4000 8500 10000 12000 14000; do
    prlimit --pid "$target" --as=$(((used + more) * 1024)):
    "$MEMOIR" attach --quiet --for 100ms -o space.memoir "$target" 2>space.err && continue
    one_sentence "space-$more-sentence" space.err 'limited to .*ulimit -v.*prlimit'
    equal "space-$more-untouched" "$before" "$(size_of "$target")"
    equal "space-$more-no-library" 0 "$(grep -c memoir "/proc/$target/maps")"
done
prlimit --pid "$target" --as=$(((used + 32768) * 1024)):
for i in 1 2; do
    "$MEMOIR" attach --quiet --for 100ms -o space.memoir "$target" 2>space.err
    equal "space-enough-$i" 0 $?
done
exec 9>&-

# A process that stands still cannot let us out: that is no success, and the next detach makes it good.
begin_obedient stands
attach stands.memoir "$target"
kill -STOP "$target"
"$MEMOIR" detach "$target" 2>detach.err
equal stands-detach-status 1 $?
one_sentence stands-detach-sentence detach.err "kill -CONT $target, then .*memoir detach $target"
wait "$recorder"
equal stands-recorder-status 1 $?
kill -CONT "$target"
"$MEMOIR" detach "$target" 2>again.err
equal stands-again-status 0 $?
equal stands-again-clean 0 "$(grep -c 'memfd:memoir' "/proc/$target/maps")"
tell stands "allocate 10"
exec 9>&-
