#!/usr/bin/env bash
# memoir top, on a terminal made by tmux and in a pipe: its numbers are those of memoir report.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/grows.bash"

terminal=(tmux -S "$PWD/tmux" -f /dev/null)
trap '"${terminal[@]}" kill-server; for pid in "${started[@]}"; do kill -9 "$pid"; done 2>/dev/null' EXIT
"${terminal[@]}" new-session -d -s stays 'sleep 1000'

program_of() { # program_of PID: the subject among its descendants
    local pid
    for pid in $(descendants "$1"); do
        case $(readlink "/proc/$pid/exe") in */subject-grows_on_demand) echo "$pid" ;; esac
    done
}

show() { # show COMMAND: on a terminal of 80 by 24; its status is in ./status afterwards
    rm -f status after
    "${terminal[@]}" new-session -d -s top -x 80 -y 24 "stty -a >before; $*; echo \$? >status; stty -a >after; sleep 100"
}

screen() {
    "${terminal[@]}" capture-pane -p -t top
}

on_screen() { # on_screen PATTERN
    screen | grep -Eq -- "$1"
}

sees() { # sees CASE PATTERN
    if wait_until 30 on_screen "$2"; then ok "$1"; else not_ok "$1" "no '$2' on: $(screen | tr '\n' '|')"; fi
}

press() { # press KEY…
    "${terminal[@]}" send-keys -t top "$@"
}

close_screen() {
    "${terminal[@]}" kill-session -t top
}

# "VALUE SHARE COUNT" of grown_block as a report shows it, for people.
reported() { # reported FILE
    "$MEMOIR" report "$1" --metric heap.live --by function | awk '/grown_block/ { print $1, $2, $3, $4, $5 }'
}

shown() { # shown: the same from the screen: value, share, and no count at 80 columns
    screen | awk '/grown_block/ { print $1, $2, $3, $4 }'
}

holds() { # holds FILE|PID BYTES: of grown_block
    [ "$("$MEMOIR" top "$1" --json | jq '.rows[] | select(.function == "grown_block") | .value')" = "$2" ]
}

agrees() { # agrees FILE
    local row
    row=$(reported "$1")
    [ -n "$row" ] && [ "$(shown)" = "${row% *}" ]
}

on_a_terminal() {
    begin live "$MEMOIR" run -o live.memoir -- "$subjects/subject-grows_on_demand"
    grow_to live 100
    show "$MEMOIR" top live.memoir --every 200ms
    sees terminal-site '97.7 KiB +[0-9.]+ % .*grown_block'
    sees terminal-head '^rss [0-9.]+ [KMG]iB +heap '
    sees terminal-lives 'subject-grows_on_demand \(pid [0-9]+\) running for .*, as of [0-9.]+ .* ago'
    sees terminal-keys 'm metric +s sort .* q quit'
    at_most terminal-fits 80 "$(screen | wc -L)"
    if wait_until 30 agrees live.memoir; then ok terminal-as-report; else not_ok terminal-as-report "$(shown) / $(reported live.memoir)"; fi

    # It follows by itself; a mark makes growth begin there.
    press k
    grow_to live 200
    sees follows '195 KiB .*\+97.7 KiB .*grown_block'
    grow_to live 300
    sees follows-on '293 KiB .*\+195 KiB .*grown_block'

    # Frozen it stays; then it goes on.
    press Space
    sees freezes 'FROZEN'
    grow_to live 400
    wait_until 30 holds live.memoir 400000
    sees frozen-stays '293 KiB .*grown_block'
    press Space
    sees goes-on '391 KiB .*grown_block'

    press s
    sees sorts 'sorted by growth'
    press m
    sees metric 'heap\.allocated'
    press M b
    sees grouping 'by line'
    press b
    sees stacks 'grown_block < grow < main'
    press b b
    press / g r o w Enter
    sees filters 'in /grow/ by function'
    press / C-h C-h C-h C-h n o t h i n g Enter
    sees filters-all-away 'heap.live 0 B in /nothing/'
    press / '(' Enter
    sees filter-wrong 'no regular expression'
    press Escape h
    sees help 'growth counts from now on'
    press x

    # Any size will do.
    "${terminal[@]}" resize-window -t top -x 132 -y 50
    sees resizes-up 'per second +count +function'
    "${terminal[@]}" resize-window -t top -x 20 -y 5
    sees resizes-tiny 'too small'
    "${terminal[@]}" resize-window -t top -x 80 -y 24
    sees resizes-back 'sorted by growth'
    press q
    wait_until 30 test -s after || not_ok quits "it does not end"
    equal quits-status 0 "$(cat status)"
    same_text terminal-given-back before after
    close_screen
}

# However it is ended, the terminal is as before.
ended_by() { # ended_by SIGNAL STATUS
    local pane pid
    show "$MEMOIR" top live.memoir
    sees "$1-begins" 'grown_block'
    pane=$("${terminal[@]}" list-panes -t top -F '#{pane_pid}')
    for pid in $(descendants "$pane"); do
        case $(readlink "/proc/$pid/exe") in */memoir-top) kill "-$1" "$pid" ;; esac
    done
    wait_until 30 test -s after || not_ok "$1-ends" "it does not end"
    equal "$1-status" "$2" "$(cat status)"
    same_text "$1-terminal" before after
    # Also the other screen is back, and the cursor.
    equal "$1-screen" "0 1" "$("${terminal[@]}" display-message -t top -p '#{alternate_on} #{cursor_flag}')"
    close_screen
}

in_a_pipe() {
    local pid
    "$MEMOIR" top live.memoir >page
    equal pipe-status 0 $?
    equal pipe-plain 0 "$(grep -c $'\033' page)"
    equal pipe-as-report "$(reported live.memoir)" "$(awk '/grown_block/ { print $1, $2, $3, $4, $(NF - 2) }' page)"
    "$MEMOIR" top live.memoir --json --top 3 >page.json
    equal json-live "$("$MEMOIR" report live.memoir --json --metric heap.live | jq -c '[.total.value, .total.count]')" \
        "$(jq -c '[.heap_bytes, .heap_blocks]' page.json)"
    equal json-row '[400000,400]' "$(jq -c '[.rows[] | select(.function == "grown_block") | .value, .count]' page.json)"

    # By the number of the process; there is no need to know where its recording is.
    pid=$(program_of "$running")
    equal by-pid 400000 "$("$MEMOIR" top "$pid" --json | jq '.rows[] | select(.function == "grown_block") | .value')"

    # A process that is not recorded.
    sleep 60 &
    started+=($!)
    "$MEMOIR" top $! --once >page
    equal unrecorded-status 0 $?
    if grep -q 'not recorded' page && grep -q 'memoir run' page; then ok unrecorded; else not_ok unrecorded "$(cat page)"; fi
    at_least unrecorded-rss 1 "$("$MEMOIR" top $! --json | jq .rss_bytes)"

    "$MEMOIR" top no-such-file >out 2>err
    equal missing-status 1 $?
    one_sentence missing err 'no-such-file'
    "$MEMOIR" top /etc/passwd >out 2>err
    equal no-recording-status 1 $?
    one_sentence no-recording err 'not a memoir recording'
    "$MEMOIR" top >out 2>err
    equal nothing-status 2 $?
    one_sentence nothing err 'FILE|PID'
    "$MEMOIR" top live.memoir --metric heap.peak >out 2>err
    equal peak-status 2 $?
    one_sentence peak err 'heap.live'
    TERM=no-such-terminal script -qec "$MEMOIR top live.memoir" /dev/null </dev/null >out 2>&1
    if grep -q 'no-such-terminal' out && grep -q -- '--once' out; then ok unknown-terminal; else not_ok unknown-terminal "$(cat out)"; fi
}

the_end() {
    show "$MEMOIR" top live.memoir --every 200ms
    sees before-the-end 'running for'
    exec 9>&-
    wait "$running"
    sees after-the-end 'ran .*, ended'
    press q
    close_screen
}

# In a container of its own, by its number out here.
in_container() {
    local unshare=(unshare --mount --pid --fork --mount-proc) pid
    [ "$(id -u)" = 0 ] || unshare+=(--map-root-user)
    if ! "${unshare[@]}" true 2>/dev/null; then
        skip container "no namespaces of our own here"
        return
    fi
    mkdir inside
    # shellcheck disable=SC2016 # the dollars are for the inner shell
    begin box "${unshare[@]}" sh -c 'mount -t tmpfs tmpfs inside && cd inside && exec "$0" run -o box.memoir -- "$1"' \
        "$MEMOIR" "$subjects/subject-grows_on_demand"
    grow_to box 100
    pid=$(program_of "$running")
    wait_until 30 holds "$pid" 100000
    equal container 100000 "$("$MEMOIR" top "$pid" --json | jq '.rows[] | select(.function == "grown_block") | .value')"
    exec 9>&-
    wait "$running"
}

on_a_terminal
ended_by TERM 143
ended_by HUP 129
ended_by SEGV 139
in_a_pipe
the_end
in_container
