#!/usr/bin/env bash
# memoir pages finds the names of functions however a program was linked, and when its file is gone.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_linkers
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"

# touches CASE COMMAND…: one that is named touches what its name says.
touches() {
    local name=$1
    shift
    begin_subject "$MEMOIR" pages --quiet --agent "$socket" --every 200ms -o "$name.memoir" -- "$@"
    step anon
    step move
    quiet "$name" "$name.memoir" "$(pgrep -P "$subject" | head -n 1)"
    end_subject
    equal "$name-status" 0 $?
    equal "$name-anon" $((64 * mib)) "$(inside "$name.memoir" pages.anon touch_64_mib)"
    equal "$name-move" $((32 * mib)) "$(inside "$name.memoir" pages.anon grow_4_to_32_mib)"
    equal "$name-main" $((96 * mib)) "$(inside "$name.memoir" pages.anon main | awk -v m=$mib '{ print int($1 / m) * m }')"
    at_least "$name-complete" 0.99 "$("$MEMOIR" report "$name.memoir" --json | jq .quality.complete_stacks_share)"
}

for linker in bfd gold lld; do
    if ! command -v ld.$linker >/dev/null; then
        skip $linker "ld.$linker is not installed"
        continue
    fi
    for kind in pie no-pie static; do
        how=(-pie)
        [ $kind = no-pie ] && how=(-no-pie)
        [ $kind = static ] && how=(-static)
        gcc -D_GNU_SOURCE -O2 -fPIE -fomit-frame-pointer -fuse-ld=$linker "${how[@]}" -o "$linker-$kind" "$TOP/tests/subjects/touches_pages.c" ||
            not_ok "$linker-$kind-built" "gcc failed"
        touches "$linker-$kind" "./$linker-$kind"
    done
done

# A program whose file is replaced while it runs, before anybody asks for the names in it.
gcc -D_GNU_SOURCE -O2 -fomit-frame-pointer -o gone "$TOP/tests/subjects/touches_pages.c"
begin_subject ./gone
cp "$subjects/subject-many_stacks" newer
mv newer gone # as an upgrade does
step share
"$MEMOIR" pages --quiet --agent "$socket" --every 200ms -o gone.memoir "$subject" &
recorder=$!
started+=("$recorder")
wait_until 10 test -s gone.memoir
sleep 0.5
step anon
quiet gone gone.memoir "$subject"
kill -INT "$recorder"
wait "$recorder"
equal gone-status 0 $?
equal gone-anon $((64 * mib)) "$(inside gone.memoir pages.anon touch_64_mib)"
end_subject

# And one whose file is removed.
cp bfd-pie removed
begin_subject "$MEMOIR" pages --quiet --agent "$socket" --every 200ms -o removed.memoir -- ./removed
step share
rm removed
step anon
quiet removed removed.memoir "$(pgrep -P "$subject" | head -n 1)"
end_subject
equal removed-anon $((64 * mib)) "$(inside removed.memoir pages.anon touch_64_mib)"
end_agent
equal agent-ends 0 $?
