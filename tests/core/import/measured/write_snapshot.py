#!/usr/bin/env python3
"""Writes a snapshot of PyTorch's allocator, as torch.cuda.memory._dump_snapshot would, of any size.

usage: write_snapshot.py FILE [--bytes N] [--frames N] [--seed N]

What it writes loads with pickle.load. It is put together instruction by instruction, so that a
gigabyte of it takes no more memory than a kilobyte.
"""

import argparse
import random
import struct


class Writer:
    """Instructions of a pickle of protocol 4, as the C pickler gives them."""

    def __init__(self, file):
        self.file = file
        self.memo = {}
        self.count = 0
        self.written = 0
        self.put(b"\x80\x04")

    def put(self, data):
        self.file.write(data)
        self.written += len(data)

    def memoize(self, name=None):
        if name is not None:
            self.memo[name] = self.count
        self.count += 1
        self.put(b"\x94")

    def get(self, name):
        place = self.memo[name]
        self.put(b"h" + bytes([place]) if place < 256 else b"j" + struct.pack("<I", place))

    def text(self, word):
        if word in self.memo:
            self.get(word)
            return
        data = word.encode()
        self.put(b"\x8c" + bytes([len(data)]) + data)
        self.memoize(word)

    def whole(self, value):
        if 0 <= value < 256:
            self.put(b"K" + bytes([value]))
        elif 0 <= value < 65536:
            self.put(b"M" + struct.pack("<H", value))
        elif -(2**31) <= value < 2**31:
            self.put(b"J" + struct.pack("<i", value))
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            self.put(b"\x8a" + bytes([len(data)]) + data)

    def open_dict(self, name=None):
        self.put(b"}")
        self.memoize(name)
        self.put(b"(")

    def close_dict(self):
        self.put(b"u")

    def entries(self, **values):
        for key, value in values.items():
            self.text(key)
            self.text(value) if isinstance(value, str) else self.whole(value)

    def open_list(self):
        self.put(b"]")
        self.memoize()


class Batches:
    """A list whose items come a thousand at a time, as the C pickler's do."""

    def __init__(self, writer):
        self.writer = writer
        self.count = 0

    def item(self):
        if self.count % 1000 == 0:
            self.writer.put(b"e(" if self.count else b"(")
        self.count += 1

    def close(self):
        if self.count:
            self.writer.put(b"e")


class Allocator:
    """Blocks of 512 bytes and multiples of it, in segments of 20 MiB; freed ones are used again."""

    SEGMENT = 20 << 20

    def __init__(self):
        self.segments = []
        self.idle = {}
        self.room = 0
        self.next = 0

    def take(self, rounded):
        """Where, and whether a segment had to be taken for it."""
        if self.idle.get(rounded):
            return self.idle[rounded].pop(), False
        fresh = self.room < rounded
        if fresh:
            self.next = 0x7F0000000000 + 2 * self.SEGMENT * len(self.segments)
            self.segments.append(self.next)
            self.room = self.SEGMENT
        address = self.next
        self.next += rounded
        self.room -= rounded
        return address, fresh

    def give(self, address, rounded):
        self.idle.setdefault(rounded, []).append(address)


def write_frames(writer, rng, frames):
    """A list of frames; each frame is written once and remembered."""
    writer.text("frames")
    writer.open_list()
    if frames == 0:
        return
    writer.put(b"(")
    top = rng.randrange(200)
    for depth in range(frames):
        line = top if depth == 0 else depth
        name = ("frame", depth, line)
        if name in writer.memo:
            writer.get(name)
            continue
        writer.open_dict(name)
        writer.entries(filename=f"/site/torch/layer{depth}.py", name=f"forward{depth}", line=line)
        writer.close_dict()
    writer.put(b"e")


def write_event(writer, rng, frames, action, address, size, time):
    writer.open_dict()
    writer.entries(action=action, addr=address, size=size, stream=0, time_us=time)
    write_frames(writer, rng, frames)
    writer.close_dict()


def write(path, size, frames, seed):
    rng = random.Random(seed)
    allocator = Allocator()
    live = []
    allocations = 0
    most = now = 0
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.open_dict()
        writer.text("device_traces")
        writer.open_list()
        writer.open_list()
        events = Batches(writer)
        time = 1_700_000_000_000_000
        while writer.written < size or allocations == 0:
            time += rng.randrange(1, 50)
            if live and (len(live) >= 500 or rng.random() < 0.45):
                address, asked, rounded = live.pop(rng.randrange(len(live)))
                for action in ("free_requested", "free_completed"):
                    events.item()
                    write_event(writer, rng, frames, action, address, asked, time)
                allocator.give(address, rounded)
                now -= asked
                continue
            asked = rng.choice((400, 4096, 60_000, 262_144)) * rng.randrange(1, 5)
            rounded = (asked + 511) // 512 * 512
            address, fresh = allocator.take(rounded)
            if fresh:
                events.item()
                start = allocator.segments[-1]
                write_event(writer, rng, frames, "segment_alloc", start, Allocator.SEGMENT, time)
            events.item()
            write_event(writer, rng, frames, "alloc", address, asked, time)
            live.append((address, asked, rounded))
            allocations += 1
            now += asked
            most = max(most, now)
        events.close()
        # The list of events into that of devices.
        writer.put(b"a")
        writer.text("segments")
        writer.open_list()
        segments = Batches(writer)
        for start in allocator.segments:
            segments.item()
            writer.open_dict()
            writer.entries(device=0, address=start, total_size=Allocator.SEGMENT, stream=0)
            writer.text("blocks")
            writer.open_list()
            blocks = Batches(writer)
            for address, asked, rounded in sorted(live):
                if start <= address < start + Allocator.SEGMENT:
                    blocks.item()
                    writer.open_dict()
                    writer.entries(address=address, size=rounded, requested_size=asked,
                                   state="active_allocated")
                    writer.close_dict()
            blocks.close()
            writer.close_dict()
        segments.close()
        writer.put(b"u.")
    print(f"allocations {allocations}, live at the end {len(live)}, most bytes {most}, "
          f"segments {len(allocator.segments)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file")
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write(options.file, options.bytes, options.frames, options.seed)


if __name__ == "__main__":
    main()
