#!/usr/bin/env bash
# Started by root, memoir run reads what the program writes without any rights; what takes rights is done by processes that read
# nothing of it.  They end together.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

if [ "$(id -u)" != 0 ]; then
    skip separated "only root has rights to give up"
    exit 0
fi

started=()
trap 'for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null' EXIT

of() { # of PID KEY: a line of its status
    sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" | tr '\t' ' '
}

keepers_of() { # keepers_of FILE: those of the recording that is made there
    local pid
    for pid in $(pgrep -x memoir-keeper); do
        ! grep -qzx -- "$1" "/proc/$pid/cmdline" 2>/dev/null || echo "$pid"
    done
}

is_confined() { # is_confined CASE PID
    local own=$((0x70000000 + $2))
    equal "$1-user" "$own $own $own $own" "$(of "$2" Uid)"
    equal "$1-group" "$own $own $own $own" "$(of "$2" Gid)"
    equal "$1-groups" "" "$(of "$2" Groups | tr -d ' ')"
    equal "$1-capabilities" "0000000000000000 0000000000000000 0000000000000000" \
        "$(of "$2" CapEff) $(of "$2" CapPrm) $(of "$2" CapBnd)"
    equal "$1-no-new-rights" 1 "$(of "$2" NoNewPrivs)"
    equal "$1-filter" 2 "$(of "$2" Seccomp)"
}

# The recorder, as a parent and as nobody's child.
for way in parent exec; do
    flags=()
    [ $way = parent ] || flags=(--exec)
    "$MEMOIR" run "${flags[@]}" --quiet -o $way.memoir -- "$subjects/subject-works_for_seconds" 4 >$way.out 2>$way.err &
    running=$!
    started+=("$running")
    wait_until 20 has_line $way.out working || not_ok $way-begins "it did not begin"
    wait_until 20 test -s $way.memoir || not_ok $way-writes "nothing was written"
    recorder=$running
    [ $way = parent ] || recorder=$(pgrep -x memoir-record | while read -r pid; do
        ! grep -qzx -- exec.memoir "/proc/$pid/cmdline" 2>/dev/null || echo "$pid"
    done | head -n 1)
    is_confined $way "$recorder"
    keepers=$(keepers_of $way.memoir)
    equal $way-keepers 2 "$(echo "$keepers" | grep -c .)"
    # Signals of the terminal are for the recorder; the kernel's shares of time are for the session.
    session=$(ps -o sid= -p "$recorder")
    equal $way-keepers-in-session "${session// /}" "$(for pid in $keepers; do ps -o sid= -p "$pid"; done | tr -d ' ' | sort -u)"
    equal $way-keepers-in-groups "" "$(for pid in $keepers; do ps -o pgid= -p "$pid"; done | grep -x " *$(ps -o pgid= -p "$recorder" | tr -d ' ')")"
    equal $way-keeps-no-arena "" "$(for pid in $keepers; do grep -h memfd:memoir "/proc/$pid/maps"; done)"
    # shellcheck disable=SC2086 # a list
    equal $way-keepers-are-no-children "" "$(for pid in $keepers; do pgrep -P $running | grep -x "$pid"; done)"
    wait $running
    equal $way-status 0 $?
    wait_until 20 test -z "$(keepers_of $way.memoir)" || not_ok $way-keepers-end "they stay"
    equal $way-owner "0 600" "$(stat -c '%u %a' $way.memoir)"
    equal $way-is-whole true "$(quality $way.memoir complete)"
    at_least $way-names 1 "$("$MEMOIR" report $way.memoir --json | jq '[.. | .function? // empty | select(test("^work|main"))] | length')"
done

beside_of() { # beside_of NAME FILE: the process of that name of the recording that is made there
    local pid
    for pid in $(pgrep -x "$1"); do
        ! grep -qzx -- "$2" "/proc/$pid/cmdline" 2>/dev/null || echo "$pid"
    done
}

# A program that stays until it hears a line.
mkfifo in
exec 9<>in
waits=(bash -c 'echo working; read -r line; echo unharmed')

# With alerts, a history and a server: others do that, and who reads what the program wrote has no more rights than without.
cat >tell.sh <<'END'
#!/bin/sh
{ grep -E '^(Uid|CapEff|NoNewPrivs|Seccomp):' /proc/self/status | cut -f 2 | xargs; readlink /proc/self/fd/* | grep -c 'socket:\|memfd:'; } >told
exit 0
END
chmod +x tell.sh
"$MEMOIR" run --quiet -o beside.memoir --alert 'heap.live>1' --alert-exec ./tell.sh --history beside.db --history-every 1s \
    --serve --listen 127.0.0.1:0 -- "${waits[@]}" <&9 >beside.out 2>beside.err &
running=$!
started+=("$running")
wait_until 20 has_line beside.out working || not_ok beside-begins "it did not begin"
wait_until 20 test -s told || not_ok beside-alert-runs "the program of the alert was not started: $(cat beside.err)"
is_confined beside "$running"
alerts=$(beside_of memoir-alerts beside.memoir)
writer=$(beside_of memoir-history beside.memoir)
equal beside-processes "1 1" "$(echo "$alerts" | grep -c .) $(echo "$writer" | grep -c .)"
equal beside-no-children "" "$(pgrep -P $running '^memoir-[ah]')"
equal beside-no-arena "" "$(grep -h memfd:memoir "/proc/$alerts/maps" "/proc/$writer/maps" 2>&1)"
equal beside-alerts-has-one-line 1 "$(readlink "/proc/$alerts/fd/"* | grep -c socket:)"
equal beside-writer-rights "0000000000000000 1 2" "$(of "$writer" CapEff) $(of "$writer" NoNewPrivs) $(of "$writer" Seccomp)"
# What the user named runs as whoever started memoir, with nothing of ours.
equal beside-program-rights "0 $(of $$ CapEff) 0 0|0" "$(paste -sd '|' told)"
wait_until 20 pgrep -P $running -x memoir-serve >/dev/null || not_ok beside-serves "nothing serves: $(cat beside.err)"
echo go >&9
wait $running
equal beside-status 3 $?
equal beside-said 1 "$(grep -c 'alert heap.live>1' beside.err)"
equal beside-output "working unharmed" "$(tr '\n' ' ' <beside.out | sed 's/ $//')"
equal beside-nothing-fails "" "$(grep -E 'failed|left out|missing' beside.err)"
equal beside-is-whole true "$(quality beside.memoir complete)"
at_least beside-history 1 "$("$MEMOIR" history beside.db --json | jq '.services[0].runs[0].snapshots')"
equal beside-ends "" "$(beside_of memoir-alerts beside.memoir)$(beside_of memoir-history beside.memoir)$(keepers_of beside.memoir)"

# A program that runs already: who reaches into it is a keeper, too.
"$subjects/subject-works_for_seconds" 8 >target.out &
target=$!
started+=("$target")
wait_until 20 has_line target.out working || not_ok attach-begins "it did not begin"
"$MEMOIR" attach --quiet -o attach.memoir "$target" 2>attach.err &
running=$!
started+=("$running")
wait_until 20 test -s attach.memoir || not_ok attach-writes "nothing was written"
is_confined attach "$running"
equal attach-keepers 3 "$(keepers_of attach.memoir | grep -c .)"
"$MEMOIR" detach "$target" 2>detach.err
wait $running
equal attach-status 0 $?
equal attach-keepers-end "" "$(keepers_of attach.memoir)"
equal attach-is-whole true "$(quality attach.memoir complete)"
wait "$target"
equal attach-output "working unharmed" "$(tr '\n' ' ' <target.out | sed 's/ $//')"

# Either side is killed: the program goes on, the recording can be read, and nobody is left.
for who in recorder keepers; do
    "$MEMOIR" run --quiet -o $who.memoir -- "$subjects/subject-works_for_seconds" 5 >$who.out 2>$who.err &
    running=$!
    started+=("$running")
    wait_until 20 has_line $who.out working || not_ok $who-begins "it did not begin"
    wait_until 20 test -s $who.memoir || not_ok $who-writes "nothing was written"
    sleep 1
    keepers=$(keepers_of $who.memoir)
    # shellcheck disable=SC2086 # a list
    if [ $who = recorder ]; then kill -9 "$running"; else kill -9 $keepers; fi
    wait $running 2>/dev/null
    status=$?
    if [ $who = recorder ]; then
        equal $who-status 137 $status
        for pid in $keepers; do wait_until 20 is_gone "$pid" || not_ok $who-keeper-ends "$pid stays"; done
        wait_until 60 has_line $who.out unharmed || not_ok $who-unharmed "the program did not end"
    else
        equal $who-status 0 $status
        equal $who-is-whole true "$(quality $who.memoir complete)"
    fi
    equal $who-output "working unharmed" "$(tr '\n' ' ' <$who.out | sed 's/ $//')"
    at_least $who-opens 1 "$(summary $who.memoir calls)"
done

# An ordinary user has no other user to become; the rest is as for root.
open_house
as_nobody "$house/memoir" run --quiet -o user.memoir -- "${waits[@]}" <&9 >user.out 2>user.err &
started+=("$!")
running=$!
wait_until 20 has_line user.out working || not_ok user-begins "it did not begin"
recorder=$(pgrep -u 65534 -x memoir-record | while read -r pid; do
    ! grep -qzx -- user.memoir "/proc/$pid/cmdline" 2>/dev/null || echo "$pid"
done | head -n 1)
if [ -e /proc/sys/kernel/yama/ptrace_scope ] && [ "$(cat /proc/sys/kernel/yama/ptrace_scope)" != 0 ]; then
    equal user-keeps-its-rights "0 0" "$(of "$recorder" NoNewPrivs) $(of "$recorder" Seccomp)"
else
    equal user-is-confined "1 2" "$(of "$recorder" NoNewPrivs) $(of "$recorder" Seccomp)"
    equal user-keepers 2 "$(keepers_of user.memoir | grep -c .)"
fi
equal user-stays "65534 0000000000000000" "$(of "$recorder" Uid | cut -d ' ' -f 2) $(of "$recorder" CapEff)"
echo go >&9
wait $running
equal user-status 0 $?
equal user-is-whole true "$(quality "$house/own/user.memoir" complete)"
equal user-keepers-end "" "$(keepers_of user.memoir)"
exec 9>&-

# What it asks of its keepers does not depend on how busy the program is.
if command -v strace >/dev/null; then
    "$MEMOIR" run --quiet -o busy.memoir -- "$subjects/subject-works_for_seconds" 8 >busy.out 2>busy.err &
    running=$!
    started+=("$running")
    wait_until 20 has_line busy.out working
    sleep 1
    keeper=$(keepers_of busy.memoir | head -n 1)
    timeout 3 strace -qq -f -e trace=recvmsg -o busy.calls -p "$keeper"
    at_most requests-in-3-seconds 600 "$(grep -c recvmsg busy.calls)"
    wait $running
else
    skip requests "no strace"
fi
