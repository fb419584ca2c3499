# SPDX-License-Identifier: Apache-2.0
# Words in dictionaries, in threads: 600000 numbers that live at once.  Python says how many arenas it had.
import sys
import threading


def build(words):
    made = {}
    for i in range(words):
        made.setdefault("word %d" % (i % 1000), []).append(1000 * (i + 1))
    return made


kept = []
threads = [threading.Thread(target=lambda: kept.append(build(200000))) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(kept), "tables,", sum(len(numbers) for made in kept for numbers in made.values()), "numbers")
sys.stdout.flush()
sys._debugmallocstats()
sys.exit(9)
