#!/usr/bin/env bash
# Public test suites, without us, recorded, recorded with all their children, and while we attach to them and leave again and
# again: the same results, test by test.
# Python's own modules for threads, processes, signals, foreign functions and mappings; stress-ng, verifying.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

modules=(test_threading test_thread test_subprocess test_signal test_ctypes test_mmap)
# What mostly waits, or asks how long something took.
left_out=('test_siginterrupt_*' test_without_siginterrupt '*timeout*' 'test_itimer_*' 'test_setitimer_*' '*NoPoll*'
    'test_*_dead' 'test_communicate_repeated*' 'test_sigwait*' 'test_wakeup_fd_*' 'test_join_nondaemon*' 'StressTest*')

cat >results.py <<'END'
# The result of each test in a report of regrtest.
import sys
import xml.etree.ElementTree

for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase"):
    marks = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
    print(case.get("name"), case.get("result"), *marks)
END

python_tests() { # python_tests NAME COMMAND…: the command runs Python's tests; results in NAME.results
    local name=$1 pattern options=()
    shift
    for pattern in "${left_out[@]}"; do options+=(-i "$pattern"); done
    mkdir -p "$name"
    (cd "$name" && "$@" -m test --junit-xml report.xml "${options[@]}" "${modules[@]}" >log 2>&1 </dev/null)
    /usr/bin/python3 results.py "$name/report.xml" | sort >"$name.results"
}

# A test that ended otherwise gets a second chance, both ways: some depend on how busy the machine is.
compare() { # compare NAME COMMAND…
    local name=$1 test others
    shift
    others=$(diff native.results "$name.results" | sed -n 's/^[<>] \([^ ]*\) .*/\1/p' | sort -u)
    for test in $others; do
        (cd "$name" && "$@" -m test -m "$test" "${modules[@]}" >again.log 2>&1 </dev/null)
        local recorded=$?
        /usr/bin/python3 -m test -m "$test" "${modules[@]}" >again.log 2>&1 </dev/null
        [ $recorded = $? ] || not_ok "python-$name" "$test ends otherwise: $(tail -n 3 "$name/again.log" | tr '\n' ' ')"
    done
    at_least "python-$name-tests" 800 "$(wc -l <"$name.results")"
}

# Runs a command, and attaches to it and leaves it until it ends.
cycling() { # cycling COMMAND…
    env --default-signal=INT,QUIT "$@" & # a shell has them ignored behind an ampersand
    local program=$!
    while ! is_gone $program; do
        "$MEMOIR" attach --for 200ms -o attached.memoir $program >>attach.log 2>&1
        echo "attach $?" >>attach.log
    done
    wait $program
}

if [ -f /usr/lib/python3.11/test/test_threading.py ]; then
    recorded=("$MEMOIR" run -o python.memoir -- /usr/bin/python3)
    children=("$MEMOIR" run --children -o python.memoir -- /usr/bin/python3)
    python_tests native /usr/bin/python3 &
    python_tests recorded "${recorded[@]}" &
    python_tests children "${children[@]}" &
    python_tests attached cycling /usr/bin/python3 &
    wait
    compare recorded "${recorded[@]}"
    compare children "${children[@]}"
    compare attached cycling /usr/bin/python3
    at_least python-attached-times 5 "$(grep -c 'recorded attached.memoir' attached/attach.log)"
    at_least python-recorded-calls 10000 "$(summary recorded/python.memoir calls)"
    at_least python-children-recorded 100 "$(find children -name '*.memoir' | wc -l)"
else
    skip python "no libpython3.11-testsuite"
fi

if command -v stress-ng >/dev/null; then
    stress=(stress-ng --verify --seed 7 --timeout 60 --temp-path . --malloc 2 --malloc-ops 20000 --malloc-bytes 4M
        --fork 1 --fork-ops 200 --pthread 1 --pthread-ops 200)
    stress_ng() { # stress_ng NAME COMMAND…
        mkdir -p "$1"
        (cd "$1" && shift && "$@" >log 2>&1 </dev/null)
        equal "stress-ng-$1-status" 0 $?
        equal "stress-ng-$1-completed" 1 "$(grep -c 'successful run completed' "$1/log")"
        equal "stress-ng-$1-nothing-failed" "" "$(grep -E 'fail|error|abort' "$1/log")"
    }
    stress_ng stress-native "${stress[@]}"
    stress_ng stress-recorded "$MEMOIR" run -o stress.memoir -- "${stress[@]}"
    stress_ng stress-children "$MEMOIR" run --children -o stress.memoir -- "${stress[@]}"
    stress_ng stress-attached cycling "${stress[@]}"
    at_least stress-ng-children-calls 5000 \
        "$(for file in stress-children/*.memoir; do summary "$file" calls; done | sort -n | tail -n 1)"
else
    skip stress-ng "not installed"
fi
