#!/usr/bin/env python3
"""Writes the sample models of sample_graphs/, or proves that they are what this script writes.

    make_samples.py             write all files
    make_samples.py --check     write nothing; exit 1 and say so if a file differs, byte for byte
    make_samples.py --figures   print sizes, lower bounds and MACs

Needs Python 3.9 and its standard library. Nothing is downloaded: every layer is built in
scripts/samples, which works out the shapes by itself.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from samples.catalog import SAMPLES

FOLDER = Path(__file__).resolve().parent.parent / "sample_graphs"
BEGIN, END = "<!-- figures: written by scripts/make_samples.py -->", "<!-- end -->"


def index_text():
    """index.json: the catalogue the program reads, and the figures its tests compare with."""
    records = []
    for sample in SAMPLES:
        entry = {"name": sample.name, "file": sample.file, "summary": sample.summary}
        if sample.options:
            entry["options"] = sample.options
        records.append("  " + json.dumps(entry | {"figures": asdict(sample.figures())}))
    return '{"samples": [\n' + ",\n".join(records) + "]}\n"


def figures_table():
    """Markdown, for the README."""
    rows = ["| sample | format | ops | tensors | sum of sizes (B) | lower bound (B) | weights (B) "
            "| MACs |", "|---|---|--:|--:|--:|--:|--:|--:|"]
    for sample in SAMPLES:
        f = sample.figures()
        numbers = (f.ops, f.tensors, f.total, f.lower_bound, f.weights, f.macs)
        cells = " | ".join(f"{number:,}" if number else "–" for number in numbers)
        rows.append(f"| `{sample.name}` | {sample.ending.split('.')[-1]} | {cells} |")
    return "\n".join(rows)


def with_table(readme):
    before, rest = readme.split(BEGIN)
    return f"{before}{BEGIN}\n{figures_table()}\n{END}{rest.split(END)[1]}"


def expected_files():
    """Name -> bytes of everything in the folder."""
    files = {sample.file: sample.content() for sample in SAMPLES}
    files["index.json"] = index_text().encode()
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    files["README.md"] = with_table(readme).encode()
    return files


def complaints(files):
    """Files of the folder that differ from what this script writes."""
    present = {path.name for path in FOLDER.iterdir()}
    found = [f"{name}: not written by this script" for name in sorted(present - files.keys())]
    for name, content in sorted(files.items()):
        if name not in present:
            found.append(f"{name}: missing")
        elif (FOLDER / name).read_bytes() != content:
            found.append(f"{name}: differs from what this script writes")
    return found


def write(files):
    for name, content in files.items():
        unfinished = FOLDER / (name + ".part")
        unfinished.write_bytes(content)
        os.replace(unfinished, FOLDER / name)
        print(f"{len(content):>9,}  {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="compare the files, write nothing")
    mode.add_argument("--figures", action="store_true", help="print what the models amount to")
    options = parser.parse_args()
    if options.figures:
        print(figures_table())
        return 0
    if not options.check:
        write(expected_files())
        return 0
    found = complaints(expected_files())
    for line in found:
        print(f"sample_graphs/{line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
