#!/usr/bin/env bash
# A process that does nothing while we are attached: its recording begins all the same, and every view has something to say.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

says() { # says PATTERN COMMAND…
    local pattern=$1
    shift
    "$@" 2>&1 | grep -Eq -- "$pattern"
}

# While it is attached, as soon as the file is there.
expect() { # expect CASE PATTERN COMMAND…
    local name=$1 pattern=$2
    shift 2
    if wait_until 20 says "$pattern" "$@"; then ok "$name"; else not_ok "$name" "'$pattern' is not in: $("$@" 2>&1 | head -n 20)"; fi
}

begin idle sleep 1000
program=$target
attach idle.memoir "$program" || exit 0
expect report-says-attached 'before  .* allocated before the recording .*; attached, no event yet' "$MEMOIR" report idle.memoir
expect report-says-at-rest 'doubt .*while attached: the program was at rest' "$MEMOIR" report idle.memoir
expect info-says-attached 'attached .* were resident then' "$MEMOIR" info idle.memoir
expect explain-has-owners 'before .* older than the recording' "$MEMOIR" explain idle.memoir
expect top-shows-it 'sleep.*' "$MEMOIR" top --once idle.memoir
"$MEMOIR" flame idle.memoir -o idle.svg >flame.out 2>&1
equal flame-does-not-fail 0 $?
"$MEMOIR" mark "$program" "still idle" 2>mark.err
equal mark-is-taken "0 " "$? $(cat mark.err)"
end_attach
equal detached 0 "$status"
expect report-says-nothing-came 'attached, no event since' "$MEMOIR" report idle.memoir
equal no-event 0 "$(quality idle.memoir events)"
at_least resident-before 100000 "$(fact idle.memoir .before.rss_bytes)"
equal mark-is-kept 1 "$("$MEMOIR" report idle.memoir --by phase 2>&1 | grep -c 'still idle')"
lives goes-on "$program"
