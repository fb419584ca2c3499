"""busy.py - an interpreter that recurses, sorts with callbacks, hashes, and has threads."""
import hashlib
import json
import re
import threading


def dig(depth):
    return [depth] if depth == 0 else dig(depth - 1) + [depth]


def work():
    while True:
        words = [str(i * 7919 % 1009) for i in range(2000)]
        words.sort(key=lambda word: dig(len(word) + 20)[0] or len(word))
        text = json.dumps(words)
        hashlib.sha256(text.encode()).hexdigest()
        re.findall(r"(\d)\1", text)
        json.loads(text)


for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
work()
