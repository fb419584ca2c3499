#!/usr/bin/env bash
# Programs that attack their recorder through the memory that they share with it (tests/hostile), started by root and attached to by root as
# another user's.  Whatever they write there, memoir ends by itself, stays small, leaves a recording that can be read, and does nothing to others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
hostile=$BUILD/tests/hostile/hostile
control=$'[\001-\010\013-\037\177]'
seconds=100 # until it is taken for hung
peak=500    # MiB

judge() { # judge CASE WORDS: of what bounded has said of a case
    local name=$1
    equal "$name-said" "$2" "$(head -n -2 "$name.out" | tr '\n' ' ' | sed 's/ $//')"
    equal "$name-ends" "status 0" "$(tail -n 2 "$name.out" | head -n 1)"
    at_most "$name-is-small" $peak "$(sed -n 's/^peak //p' "$name.out")"
    equal "$name-can-be-read" 0 "$("$MEMOIR" report "$name.memoir" >"$name.report" 2>&1 || echo "$?: $(head -c 300 "$name.report")")$([ -s "$name.report" ] && echo 0)"
    if LC_ALL=C grep -q "$control" "$name.err" "$name.report"; then
        not_ok "$name-is-harmless-to-terminals" "$(cat -v "$name.err")"
    else
        ok "$name-is-harmless-to-terminals"
    fi
}

run_case() { # run_case WORDS ATTACK…: recorded from its start
    local said=$1 name
    shift
    name=run-$(tr ' ' - <<<"$1${2:+ ${2%%[0-9]*}}" | sed 's/-$//')
    "$hostile-bounded" $seconds "$MEMOIR" run --children -o "$name.memoir" -- "$hostile-$1" "${@:2}" >"$name.out" 2>"$name.err"
    judge "$name" "$said"
}

attach_case() { # attach_case WORDS ATTACK…: it runs already, as somebody else
    local said=$1 name pid
    shift
    name=attach-$(tr ' ' - <<<"$1${2:+ ${2%%[0-9]*}}" | sed 's/-$//')
    (cd "$house/own" && exec "${nobody[@]}" "$house/hostile-$1" "${@:2}") >"$name.said" 2>&1 &
    pid=$!
    wait_until 10 grep -q hostile- "/proc/$pid/comm" 2>/dev/null
    "$hostile-bounded" $seconds "$MEMOIR" attach --for 4s -o "$name.memoir" "$pid" >"$name.out" 2>"$name.err"
    wait "$pid"
    equal "$name-said" "$said" "$(tr '\n' ' ' <"$name.said" | sed 's/ $//')"
    equal "$name-does-not-hang" "" "$(grep 'does not end' "$name.out")"
    at_most "$name-is-small" $peak "$(sed -n 's/^peak //p' "$name.out")"
    if LC_ALL=C grep -q "$control" "$name.err"; then not_ok "$name-harmless" "$(cat -v "$name.err")"; else ok "$name-harmless"; fi
}

objects_case() { # objects_case SEED: its ELF tables in memory are no tables any more; SEED 0: they are
    local name=objects-$1 pid status
    (cd "${house:-.}" && exec "${nobody[@]}" "${house:-$BUILD/tests/hostile}/hostile-spoils_objects" "$1") >"$name.said" 2>&1 &
    pid=$!
    wait_until 10 grep -q spoiled "$name.said"
    "$hostile-bounded" $seconds "$MEMOIR" attach --for 0.5s -o "$name.memoir" "$pid" >"$name.out" 2>"$name.err"
    status=$(sed -n 's/^status //p' "$name.out")
    equal "$name-ends" "${1/#[1-9]*/1}" "$status"
    at_most "$name-is-small" $peak "$(sed -n 's/^peak //p' "$name.out")"
    if [ "$1" != 0 ]; then equal "$name-is-one-sentence" "1 memoir" "$(wc -l <"$name.err") $(cut -d: -f1 "$name.err")"; fi
    if LC_ALL=C grep -q "$control" "$name.err"; then not_ok "$name-harmless" "$(cat -v "$name.err")"; else ok "$name-harmless"; fi
    equal "$name-lives" "sleeping" "$(sed -n 's/^State:.*(\(.*\))/\1/p' "/proc/$pid/status")"
    kill "$pid"
}

# An exec, while memoir has its thread, of a program that is root's and crashes: nothing is written into that.
setuid_case() {
    local pid status
    cp "$house/hostile-turns_setuid" "$house/roots"
    chmod 4755 "$house/roots"
    ("${nobody[@]}" "$house/hostile-turns_setuid" "$house/roots"; echo "died of $?") >setuid.said 2>&1 &
    wait_until 10 grep -q ready setuid.said
    pid=$(pgrep -f "^$house/hostile-turns_setuid $house/roots")
    "$hostile-bounded" $seconds "$MEMOIR" attach --for 0.5s -o setuid.memoir "$pid" >setuid.out 2>setuid.err
    status=$(sed -n 's/^status //p' setuid.out)
    equal setuid-status 1 "$status"
    equal setuid-sentence "1 memoir" "$(wc -l <setuid.err) $(cut -d: -f1 setuid.err)"
    wait_until 10 grep -q died setuid.said
    equal setuid-crashes-by-itself "ready died of 139" "$(grep -v Segmentation setuid.said | tr '\n' ' ' | sed 's/ $//')"
}

victim_is_whole() { # victim_is_whole CASE: nothing has been done to it, and nobody has recorded it
    cp "/proc/$victim/maps" victim.after
    same_text "$1-victim-has-its-memory" victim.before victim.after
    equal "$1-victim-runs-untraced" "S (sleeping) 0" "$(sed -n 's/^State:\t//p; s/^TracerPid:\t//p' "/proc/$victim/status" | tr '\n' ' ' | sed 's/ $//')"
    equal "$1-victim-is-not-recorded" "" "$(find . "${house:-.}" -name "*.$victim*.memoir" -o -name '*sleep*.memoir' | head -n 1)"
}

sleep 1000 &
victim=$!
trap 'kill $victim; leave_house' EXIT
wait_until 10 grep -q '^sleep' "/proc/$victim/cmdline"
sleep 0.2 # its loader
cp "/proc/$victim/maps" victim.before

"$MEMOIR" run --quiet -o pointers.memoir -- sleep 3 &
runner=$!
for recorder in $(wait_until 10 pgrep -P $runner >/dev/null; pgrep -f "^[^ ]*memoir.* -o pointers.memoir"); do
    found=$("$hostile-finds_pointers" "$recorder" 2>/dev/null) && break
done
equal no-pointers-are-shared "0 pointers" "${found:-nobody has the memory}"

run_case "flipped words" flips_words &
run_case "forged pids" forges_pids $victim 1 &
run_case "forged numbers" forges_numbers &
run_case "shorter refused longer refused sealed refused" spoils_memory &
run_case "held seats" holds_seats &
for what in processes blocks pools marks names; do
    run_case "flooded" floods $what &
done
# All but the victim.
for job in $(jobs -p); do [ "$job" = "$victim" ] || wait "$job"; done
victim_is_whole run

if [ "$(id -u)" = 0 ]; then
    open_house
    for name in flips_words forges_pids forges_numbers spoils_memory holds_seats floods spoils_objects turns_setuid; do cp "$hostile-$name" "$house"; done
    chmod -R a+rX "$house"
    attach_case "flipped words" flips_words &
    attach_case "forged pids" forges_pids $victim 1 &
    attach_case "forged numbers" forges_numbers &
    attach_case "shorter refused longer refused sealed refused" spoils_memory &
    attach_case "held seats" holds_seats &
    attach_case "flooded" floods blocks &
    for job in $(jobs -p); do [ "$job" = "$victim" ] || wait "$job"; done
    victim_is_whole attach
    if findmnt -no OPTIONS -T "$house" | grep -q nosuid; then
        skip setuid "no set-user-ID programs in $house: it is mounted nosuid"
    else
        setuid_case
    fi
    for seed in 0 1 2 5 10; do objects_case $seed & done
    for job in $(jobs -p); do [ "$job" = "$victim" ] || wait "$job"; done
else
    skip attach "only root attaches to programs of others"
fi
