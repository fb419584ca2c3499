#!/usr/bin/env bash
# ./dev: what it says where it cannot work, before it installs or builds anything.
# Runs beside others.
# shellcheck source=/dev/null
. "$TOP/tests/system/common.bash"

"$TOP/dev" no-such-job >out 2>err
equal no-such-job-status 2 $?
equal no-such-job 1 "$(grep -c "there is no job 'no-such-job'" err)"

# Nothing of it can be preloaded from such a folder.
for folder in 'with space' with:colon; do
    mkdir "$folder"
    cp "$TOP/dev" "$folder"
    for job in demo test; do
        timeout 60 "$folder/dev" $job >out 2>err
        equal "$job-in-$folder-status" 1 $?
        one_sentence "$job-in-$folder" err "$folder has a space or a colon.*move"
    done
    equal "test-in-$folder-counts" "0 passed, 1 failed" "$(tail -n 1 out)"
    equal "nothing-is-made-in-$folder" dev "$(ls "$folder")"
done
