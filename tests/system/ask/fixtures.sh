#!/usr/bin/env bash
# Recordings that earlier versions wrote (tests/fixtures) give the answers that they gave then: every number, name and sentence of
# the JSON, which may only have more; the CSV to the letter.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/fixtures/questions.bash"
# Alone, without the programs beside it: names that a killed recorder left out are not looked up in files of this machine.
# shellcheck disable=SC2153 # the surroundings have it
cp "$MEMOIR" alone
# shellcheck disable=SC2034 # for questions.bash
memoir=$PWD/alone
fixtures=$TOP/tests/fixtures

cat >lacks.py <<'END'
import json, sys

def lacks(then, now, path):
    """What of the answer of then is not in that of now."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            if key not in now:
                yield f"{path}.{key} is gone"
            else:
                yield from lacks(value, now[key], f"{path}.{key}")
    elif isinstance(then, list) and all(isinstance(one, str) for one in then + now):
        for one in then:
            if one not in now:
                yield f"{path} lacks {json.dumps(one)}"
    elif path == ".contents.strings":
        if now < then:
            yield f"{path} is {now} instead of {then} or more"
    elif isinstance(then, list) and isinstance(now, list):
        if len(then) != len(now):
            yield f"{path} has {len(now)} entries instead of {len(then)}"
        for i, (one, other) in enumerate(zip(then, now)):
            yield from lacks(one, other, f"{path}[{i}]")
    elif then != now or type(then) is not type(now):
        yield f"{path} is {json.dumps(now)} instead of {json.dumps(then)}"

then, now = (json.load(open(name)) for name in sys.argv[1:])
found = list(lacks(then, now, ""))
print("; ".join(found[:5]))
END

compare() { # compare CASE RECORDING EXPECTED QUESTION
    if ! ask "$2" "$4" >answer 2>said; then
        not_ok "$1" "$(head -n 1 said)"
        return
    fi
    case $4 in
        *.json) equal "$1" "" "$(python3 lacks.py "$3" answer)" ;;
        *) same_text "$1" "$3" answer ;;
    esac
}

count=0
for folder in "$fixtures"/*/; do
    name=$(basename "$folder")
    mkdir "$name"
    cp "$folder/recording.memoir" "$name" # whoever may not write there
    for expected in "$folder"*.json "$folder"*.csv; do
        question=$(basename "$expected")
        compare "$name-$question" "$name/recording.memoir" "$expected" "$question"
        count=$((count + 1))
    done
done
at_least all-are-asked 100 $count
at_most small 409600 "$(find "$fixtures" -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f\n", sum }')"

noticed=0
# The comparison notices: a number that differs, an entry less, something that is gone; and minds nothing that is new.
echo '{"a": 1, "b": [1, 2], "c": "x"}' >first
for now in '{"a": 2, "b": [1, 2], "c": "x"}' '{"a": 1, "b": [1], "c": "x"}' '{"a": 1, "b": [1, 2]}' '{"a": 1, "b": [1, 2], "c": null}'; do
    echo "$now" >now
    at_least "notices-$((++noticed))" 1 "$(python3 lacks.py first now | wc -w)"
done
echo '{"a": 1, "b": [1, 2], "c": "x", "d": 5}' >now
equal minds-nothing-new "" "$(python3 lacks.py first now)"
