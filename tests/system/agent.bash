# What tests of memoir agent share.
# shellcheck shell=bash disable=SC2154
socket=$PWD/agent.sock

# skip_without_agent NAME: ends the test where there can be no agent.
skip_without_agent() {
    if [ ! -x "$BUILD/memoir-agent" ]; then
        skip "$1" "memoir-agent was not built: libbpf-dev, clang or bpftool is missing"
        exit 0
    fi
    if [ "$(id -u)" != 0 ] || [ ! -r /sys/kernel/btf/vmlinux ]; then
        skip "$1" "needs root and a kernel with BTF"
        exit 0
    fi
}

# begin_agent OPTIONS…: starts one at $socket and waits until it serves.
begin_agent() {
    "$MEMOIR" agent --socket "$socket" "$@" 2>agent.err 7>&- &
    agent=$!
    started+=("$agent")
    for _ in $(seq 200); do
        grep -q ready agent.err && return 0
        sleep 0.05
    done
    cat agent.err
    return 1
}

end_agent() {
    kill "$agent" && wait "$agent"
}

# begin_subject COMMAND…: starts it with its input at descriptor 7 and its output in steps.out.
begin_subject() {
    rm -f steps.in
    mkfifo steps.in
    "$@" <steps.in >steps.out 2>steps.err &
    subject=$!
    started+=("$subject")
    exec 7>steps.in
}

# step NAME: has the subject do it, and waits until it has.
step() {
    local before
    before=$(grep -c "^$1\$" steps.out)
    echo "$1" >&7
    for _ in $(seq 400); do
        [ "$(grep -c "^$1\$" steps.out)" -gt "$before" ] && return 0
        sleep 0.02
    done
    echo "# step $1 did not come to an end"
    return 1
}

end_subject() {
    exec 7>&-
    wait "$subject"
}

# total FILE METRIC, and inside FILE METRIC FUNCTION: bytes in all, and of stacks with this function in them.
total() {
    "$MEMOIR" report "$1" --metric "$2" --json | jq .total.value
}
inside() {
    "$MEMOIR" report "$1" --metric "$2" --top 100000 --json |
        jq --arg f "$3" '[.rows[] | select(any(.stack[]; .function == $f)) | .value] | add // 0'
}
# status_bytes PID FIELD: of /proc/PID/status.
status_bytes() {
    awk -v field="$2:" '$1 == field { print $2 * 1024 }' "/proc/$1/status"
}
