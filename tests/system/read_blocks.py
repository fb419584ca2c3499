# Decodes a history of blocks without memoir: height, hash (or tc), what it replaces; a line each.
import base64
import struct
import sys


def read(data, at=0):
    form = data[at]
    at += 1

    def number(width):
        return int.from_bytes(data[at:at + width], 'big'), at + width

    def container(count, at, is_map):
        items = []
        for _ in range(count * (2 if is_map else 1)):
            item, at = read(data, at)
            items.append(item)
        return (dict(zip(map(str, items[::2]), items[1::2])) if is_map else items), at
    if form < 0x80:
        return form, at
    if form >= 0xe0:
        return form - 256, at
    if form < 0x90:
        return container(form & 15, at, True)
    if form < 0xa0:
        return container(form & 15, at, False)
    if form < 0xc0:
        size = form & 31
        return data[at:at + size].decode(), at + size
    if form in (0xc2, 0xc3):
        return form == 0xc3, at
    if 0xc4 <= form <= 0xc6:
        size, at = number(1 << form - 0xc4)
        return base64.b64encode(data[at:at + size]).decode(), at + size
    if form == 0xcb:
        return struct.unpack('>d', data[at:at + 8])[0], at + 8
    if 0xcc <= form <= 0xcf:
        return number(1 << form - 0xcc)
    if 0xd9 <= form <= 0xdb:
        size, at = number(1 << form - 0xd9)
        return data[at:at + size].decode(), at + size
    if form in (0xdc, 0xdd, 0xde, 0xdf):
        count, at = number(4 if form & 1 else 2)
        return container(count, at, form >= 0xde)
    raise ValueError(hex(form))


for line in open(sys.argv[1]):
    if not line.strip() or line.startswith('#'):
        continue
    data = base64.b64decode(line.strip(), validate=True)
    record, end = read(data)
    assert end == len(data) and isinstance(record['_time'], float) and 'cert' not in record
    block = record['block']
    assert 'txns' not in block
    print(block.get('rnd', 0), block.get('hash', block.get('tc', 0)), record.get('_replaces', '-'), record.get('_within', '-'))
