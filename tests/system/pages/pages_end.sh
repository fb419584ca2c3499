#!/usr/bin/env bash
# memoir pages has every page that a program had when it ended, whenever that was after the last look; what it cannot know is told.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_end
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"
cp "$subjects/subject-ends_after" ./ends_after

# recorded ARGUMENTS…: the bytes of both functions, as they are at the end.
recorded() {
    "$MEMOIR" pages --quiet --agent "$socket" --force -o end.memoir -- ./ends_after "$@"
    echo "$(inside end.memoir pages.anon early_8_mib) $(inside end.memoir pages.anon late_6_mib)"
}

# Around each time a look is due, and between.
for times in "300 0" "900 0" "980 5" "1000 0" "1010 0" "1500 3" "1990 15" "2100 0"; do
    # shellcheck disable=SC2086
    equal "all-of-${times/ /-then-}" "$((8 * mib)) $((6 * mib))" "$(recorded $times)"
done

recorded 300 0 >/dev/null
equal kinds-not-seen-are-told 1 "$("$MEMOIR" report end.memoir --json | jq '[.quality.notes[] | select(test("count as anonymous, even if they were shared memory"))] | length')"
recorded 1500 0 60 >/dev/null
equal given-back-is-told 1 "$("$MEMOIR" report end.memoir | grep -c 'gave some of them back before it ended')"
at_least early-is-kept $((8 * mib)) "$(inside end.memoir pages.anon early_8_mib)"

end_agent
equal agent-ends 0 $?
