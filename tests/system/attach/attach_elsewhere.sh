#!/usr/bin/env bash
# Processes in other namespaces, in a chroot with and without /proc, in containers; found by name, and at their start.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

if [ "$(id -u)" != 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
    skip elsewhere "only root can make namespaces here"
    exit 0
fi

# A root folder with the subject and its libraries and nothing else.
root=$PWD/root
mkdir -p "$root/proc" "$root/dev" "$root/tmp"
for file in "$subjects/subject-obeys" $(ldd "$subjects/subject-obeys" | grep -o '/[^ ]*'); do
    mkdir -p "$root/$(dirname "$file")"
    cp "$file" "$root/$file"
done
cp "$subjects/subject-obeys" "$root/obeys"

# The process itself, which unshare and chroot have started.
inner() { # inner PID
    descendants "$1" | tail -n 1
}

# Records the subject that was started as $target or beneath it.
record_it() { # record_it NAME
    local name=$1 pid
    exec 9>"$name.in"
    wait_until 10 has_line "$name.out" ready || not_ok "$name-begins" "$(cat "$name.out")"
    pid=$(inner "$target")
    [ -n "$pid" ] || pid=$target
    tell "$name" "a 10 1000"
    attach "$name.memoir" "$pid" || return
    tell "$name" "a 5 100"
    tell "$name" "f 12"
    end_attach
    equal "$name-status" 0 "$status"
    equal "$name-exact" "300 3" "$(site "$name.memoir" heap.leaked allocate_blocks main)"
    equal "$name-freed-before" 10 "$(fact "$name.memoir" .before.freed_calls)"
    equal "$name-pid" "$pid" "$(fact "$name.memoir" .recording.pid)"
    at_least "$name-rss" 100000 "$(fact "$name.memoir" .summary.rss_peak_bytes)"
    equal "$name-thread" "$pid" "$(jq -r '.rows[0].thread.tid' "$(report_of "$name.memoir" threads --metric heap.calls --by thread)")"
    equal "$name-nothing-left" 0 "$(find "$root" -name '*memoir*' | wc -l)"
    attach "$name.memoir" "$pid" || return
    end_attach
    equal "$name-again" 0 "$status"
    equal "$name-loaded-once" 1 "$(grep -c 'r-xp.*memoir' "/proc/$pid/maps")"
    tell "$name" "f 3"
    echo "c 0" >&9
    wait "$target"
    equal "$name-unharmed" 0 $?
}

start_in() { # start_in NAME COMMAND…: the subject beneath that command
    rm -f "$1.in"
    mkfifo "$1.in"
    "${@:2}" <"$1.in" >"$1.out" 2>&1 &
    target=$!
    started+=("$target")
}

start_in namespaces unshare --mount --pid --fork --mount-proc "$subjects/subject-obeys"
record_it namespaces
start_in chroot chroot "$root" /obeys
record_it chroot
start_in jail unshare --mount --pid --fork chroot "$root" /obeys
record_it jail
start_in house unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /obeys
record_it house

# Containers are known by their cgroup and by their host name.
id=$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')
cgroup=
for folder in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/pids; do
    if [ -w "$folder/cgroup.procs" ] && mkdir "$folder/docker-$id.scope" 2>/dev/null; then
        cgroup=$folder/docker-$id.scope
        break
    fi
done
start_in container sh -c "${cgroup:+echo \$\$ >$cgroup/cgroup.procs;} exec unshare --uts --pid --fork sh -c 'hostname memoir-$$; $subjects/subject-obeys; :'"
exec 9>container.in
wait_until 10 has_line container.out ready
pid=$(inner "$target")
by() { # by CASE OPTIONS…
    local name=$1
    shift
    "$MEMOIR" attach --for 100ms -o "$name.memoir" "$@" 2>"$name.said"
    equal "$name-status" 0 $?
    equal "$name-pid" "$pid" "$(fact "$name.memoir" .recording.pid)"
    rm -f "$name.memoir"*
}
tell container "a 1 1"
(while sleep 0.02; do echo "a 1 1"; done >container.in) 2>/dev/null &
feeder=$!
started+=("$feeder")
if [ -n "$cgroup" ]; then
    by by-id --container "${id:0:12}" --name subject-obeys
else
    skip by-id "no cgroup can be made here"
fi
by by-host-name --container "memoir-$$"
by by-name --container "memoir-$$" --name subject-obeys
"$MEMOIR" attach --container "no-such-$$" 2>none.said
equal no-container 1 $?
one_sentence no-container-sentence none.said "container no-such-$$"
kill "$feeder" 2>/dev/null
echo "c 0" >&9
exec 9>&-
kill -9 "$target" "$pid" 2>/dev/null
wait "$target" 2>/dev/null
[ -z "$cgroup" ] || wait_until 10 rmdir "$cgroup"

# The next start of a program, by whomever.
cp "$subjects/subject-works_for_seconds" "./starts-$$"
"$MEMOIR" attach --wait-exec "starts-$$" -o starts.memoir 2>starts.said &
recorder=$!
started+=("$recorder")
wait_until 10 said starts.said "waiting for starts-$$"
sleep 0.5
begin starts "./starts-$$" 2
wait "$recorder"
equal wait-exec-status 0 $?
wait "$target"
equal wait-exec-unharmed 0 $?
at_least wait-exec-calls 1000 "$(summary starts.memoir calls)"
equal wait-exec-pid "$target" "$(fact starts.memoir .recording.pid)"

# Two of a name: it is said which.
cp "$(command -v sleep)" "./twice-$$"
begin twice-1 "./twice-$$" 60
begin twice-2 "./twice-$$" 60
wait_until 10 test "$(pgrep -c "twice-$$")" = 2
"$MEMOIR" attach --name "twice-$$" 2>twice.said
equal twice-status 1 $?
one_sentence twice-sentence twice.said "2 processes are named twice-$$: .*$target"
