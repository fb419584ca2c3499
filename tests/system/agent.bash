# What tests of memoir agent share.
# shellcheck shell=bash disable=SC2154
socket=$PWD/agent.sock

tidy_up() {
    [ ${#started[@]} = 0 ] || kill -9 "${started[@]}" 2>/dev/null
    leave_house
}
started=("${started[@]}") # what the test began before
trap tidy_up EXIT

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
    : >agent.err
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
    before=$(grep -c "^$1\$" steps.out 2>/dev/null)
    before=${before:-0} # it may not be there yet
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

# touched CASE EXPECTED ACTUAL: to the byte, unless events were lost, or may be unknown to us ($may_lose), which perf's rings do where
# nobody gets to read them in time; then nothing may be more than it was.
may_lose=
touched() {
    if [ "$lost" = 0 ] && [ -z "$may_lose" ]; then equal "$@"; else at_most "$1-with-losses" "$2" "$3"; fi
}

kernel_tells_locks() {
    printf '6.14\n%s\n' "$(uname -r)" | sort -VC
}

# touches_all NAME OPTIONS…: memoir pages on all that the subject does; NAME.memoir against what it did and what the kernel counts.
touches_all() {
    local name=$1 part mib=1048576
    shift
    begin_subject "$MEMOIR" pages "$@" --every 200ms -o "$name.memoir" -- "$subjects/subject-touches_pages"
    for part in anon populate move fix touch huge write map share drop replace; do
        step $part || not_ok "$name-step-$part" "it did not end"
    done
    quiet "$name-quiet" "$name.memoir" "$(pgrep -P "$subject" -x subject-touches | head -n 1)"
    end_subject
    equal "$name-exit-status" 0 $?
    lost=$("$MEMOIR" report "$name.memoir" --json | jq .quality.lost_events)
    touched "$name-anon" $((48 * mib)) "$(inside "$name.memoir" pages.anon touch_64_mib)"
    touched "$name-populate" $((8 * mib)) "$(inside "$name.memoir" pages.anon populate_8_mib)"
    touched "$name-move" $((32 * mib)) "$(inside "$name.memoir" pages.anon grow_4_to_32_mib)"
    if [ "$name" = agent ] && ! kernel_tells_locks; then
        skip "$name-fixed" "before 6.14 the kernel does not tell the agent of addresses that a program names"
    else
        touched "$name-fixed-move" $((9 * mib)) "$(inside "$name.memoir" pages.anon move_9_mib)"
        touched "$name-replaced" $((1 * mib)) "$(inside "$name.memoir" pages.anon touch_7_mib)"
        touched "$name-replaced-by" $((6 * mib)) "$(inside "$name.memoir" pages.anon replace_6_mib)"
    fi
    touched "$name-huge" $((20 * mib)) "$(inside "$name.memoir" pages.anon huge_20_mib)"
    touched "$name-shared" $((6 * mib)) "$(inside "$name.memoir" pages.shmem share_6_mib)"
    touched "$name-mapped-file" $((12 * mib)) "$(inside "$name.memoir" pages.file map_file_12_mib)"
}

# quiet CASE FILE PID: what a recording has of each kind is what the kernel counts, once the process stands still.  A look
# may have been before that, and looks are rarer where they are costly.
quiet() {
    wait_until 15 same_as_kernel "$2" "$3"
    for pair in anon:RssAnon file:RssFile shmem:RssShmem resident:VmRSS; do
        equal "$1-${pair%:*}-is-the-kernels" "$(status_bytes "$3" "${pair#*:}")" "$(total "$2" "pages.${pair%:*}")"
    done
}
same_as_kernel() {
    [ "$(total "$1" pages.resident)" = "$(status_bytes "$2" VmRSS)" ]
}

# waits_in_vain COMMAND: memoir COMMAND --wait-exec says so when nobody comes; nor can two wait for the same.
waits_in_vain() {
    "$MEMOIR" "$1" --agent "$socket" --wait-exec no-such-program -o none.memoir 2>none.err &
    recorder=$!
    started+=("$recorder")
    wait_until 20 grep -q waiting none.err
    "$MEMOIR" "$1" --agent "$socket" --wait-exec no-such-program 2>second.err
    equal second-status 1 $?
    one_sentence second second.err 'another recorder waits for no-such-program'
    kill -INT "$recorder"
    wait "$recorder"
    equal nobody-status 1 $?
    equal nobody-is-told 1 "$(grep -c 'no program no-such-program started' none.err)"
}
