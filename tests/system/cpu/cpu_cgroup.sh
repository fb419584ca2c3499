#!/usr/bin/env bash
# memoir cpu --cgroup: the kernel picks out what runs in it, also programs too short for any list of processes.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

# Version 1: a cgroup of one tree alone.  Its processes, and those below it, are looked up now and then.
one=$(awk '$3 == "cgroup" && $4 ~ /(^|,)(cpu|pids|freezer)(,|$)/ { print $2; exit }' /proc/mounts)
group=memoir-test-v1-$$
if [ "$(id -u)" = 0 ] && [ -n "$one" ] && mkdir -p "$one/$group/inner" 2>/dev/null; then
    for where in "$group" "$group/inner"; do
        timeout 60 bash -c "echo \$\$ >'$one/$where/cgroup.procs'; exec awk 'BEGIN { while (1) x++ }'" &
    done
    wait_until 30 bash -c "[ \$(cat '$one/$group/cgroup.procs' '$one/$group/inner/cgroup.procs' | wc -l) = 2 ]"
    "$MEMOIR" cpu --cgroup "$group" --for 2s -o one.memoir 2>err
    equal v1-status 0 $?
    equal v1-processes 2 "$("$MEMOIR" export one.memoir --to folded --metric cpu.on 2>/dev/null | awk -F';' '{ print $1 }' | sort -u | grep -c awk)"
    xargs kill <"$one/$group/cgroup.procs"
    xargs kill <"$one/$group/inner/cgroup.procs"
    wait
    rmdir "$one/$group/inner" "$one/$group"
else
    skip v1 "needs root and a cgroup file system of version 1 that is mounted writable"
fi

unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=memoir-test-$$
if [ "$(id -u)" != 0 ] || [ -z "$unified" ] || ! mkdir "$unified/$group" 2>/dev/null; then
    skip cpu_cgroup "needs root and a cgroup2 file system that is mounted writable"
    exit 0
fi
mkdir "$unified/$group/inner"
cat >short.sh <<'EOF'
echo $$ >"$1/cgroup.procs"
for i in $(seq 40); do awk 'BEGIN { for (i = 0; i < 300000; i++) x += i }'; done
sleep 1
EOF
"$MEMOIR" cpu --cgroup "$group" --off-cpu --hz 997 -o group.memoir --for 60s 2>err &
recorder=$!
for _ in $(seq 100); do
    [ ! -s group.memoir ] || break
    sleep 0.1
done
bash short.sh "$unified/$group/inner" & # below it, and so in it
inside=$!
timeout 10 bash -c 'while :; do :; done' & # not in it
outside=$!
wait $inside
used=$(($(awk '$1 == "usage_usec" { print $2 }' "$unified/$group/cpu.stat") * 1000))
sleep 1.5
kill -INT $recorder
wait $recorder
equal status 0 $?
kill $outside
wait $outside 2>/dev/null
on=$("$MEMOIR" export group.memoir --to folded --metric cpu.on 2>/dev/null | awk '{ sum += $NF } END { printf "%.0f\n", sum }')
at_least used-least $((used * 80 / 100)) "$on"
at_most used-most $((used * 120 / 100 + 20000000)) "$on"
told=$("$MEMOIR" report group.memoir --json | jq .quality.time.cpu_ns)
at_least kernel-account-least $((used * 95 / 100)) "$told"
at_most kernel-account-most $((used * 105 / 100 + 20000000)) "$told"
programs=$("$MEMOIR" export group.memoir --to folded --metric cpu.on 2>/dev/null | awk -F';' '{ print $1 }' | sort -u | grep -c '^awk ')
at_least short-programs 25 "$programs"
slept=$("$MEMOIR" export group.memoir --to folded --metric cpu.off 2>/dev/null |
    awk '/^sleep / && /\[waits: sleep\]/ { sum += $NF } END { printf "%.0f\n", sum }')
at_least sleep-least 950000000 "$slept"
at_most sleep-most 1500000000 "$slept"
rmdir "$unified/$group/inner" "$unified/$group"

"$MEMOIR" cpu --cgroup no-such-group --for 1s -o none.memoir 2>err
equal unknown-status 1 $?
grep -q "there is no cgroup no-such-group: give a folder below /sys/fs/cgroup" err
equal unknown-sentence 0 $?
