#!/usr/bin/env python3
"""Checks that every #include respects the rooms of docs/ARCHITECTURE.md and their order, and that
core/README.md and the page tell the same order as this file.

check_layers.py [ROOT]         exit 1 and one line a finding when an include goes the wrong way
check_layers.py --self-test    plants each kind of violation and sees that it is found
"""
import pathlib
import re
import sys
import tempfile

# Outside a part: what it may include, and whether it may know Qt. Inside it, a room (a folder with
# all below it) includes only itself and those before it; "." is the folder of the part itself.
PARTS = {
    "core": {"includes": ["core"], "qt": False, "rooms": [
        "base", "files", "graph", "ops", "schedule", "storage", "order", "memory", "machine",
        "trace", "pairs", "plan", "rewrite", "import", "layout", "tile", "solver", "allocators", "families",
        "residency", "sim", "latency", "run", "picture", "plan_file", "insight", "check",
        "exchange", "study", "shrink", "report/text", "report/model",
        "report/check", "report/plan", "report/compare", "report/study", "report/run",
        "report/explain", "report/method",
        "report"]},
    "widgets": {"includes": ["core", "widgets"], "qt": True, "rooms": [
        "text", "base", "jobs", "state", "plot", "map", "now", "lanes", "charts", "histogram",
        "graph", "below", "form", "tables", "compare", "panels", "method", "what_if", "explain",
        "markers", "find", "transport", "frame", "study"]},
    "app/cli": {"includes": ["core", "app/cli"], "qt": False, "rooms": [
        "minimalloc", "serve", "."]},
    "app/plugin_host": {"includes": ["app/plugin_host"], "qt": False, "rooms": ["."]},
    "app/gui": {"includes": ["core", "widgets", "app/gui"], "qt": True, "rooms": [
        "request", "output", "window", "features/moving", "features/scenario", "features/panels",
        "features/compare", "features/study", "features/desk", "."]},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
QT = re.compile(r"^Q(t?[A-Z]|t[A-Z]?\w*/)")
# A search of children by type depends on another room, though nothing is included.
FOUND = re.compile(r"\bfindChild(?:ren)?<\s*(?:const\s+)?(?!Q[A-Z])([\w:]+)")
# The same by name: features ask the window for its commands and panels instead.
NAMED = re.compile(r"\bfindChild<\s*(?:const\s+)?(Q[A-Z]\w*)")
OURS = re.compile(r"^(core|widgets|app|tests)/")


def looked_for(path, line):
    """The part of a window that a line looks for, or None."""
    sought = FOUND.search(line)
    if sought:
        return f"looks for {sought[1]} by its type"
    named = path.startswith("app/gui/features/") and NAMED.search(line)
    return f"looks for a {named[1]} by its name" if named else None


def part_of(path):
    """The entry of PARTS that holds `path` (relative, with slashes), or None."""
    for part in PARTS:
        if path.startswith(part + "/"):
            return part
    return None


def room_of(part, path):
    """The room that holds `path`, and its place in the order of its part; (folder, None) if none
    does."""
    rooms = PARTS[part]["rooms"]
    inside = path[len(part) + 1:]
    folder = inside.rsplit("/", 1)[0] if "/" in inside else "."
    for place, room in enumerate(rooms):
        if (folder + "/").startswith(room + "/"):
            return room, place
    return folder, None


def unlisted(part, room):
    return f'{part}/{room} is not a room of {part}: add it to PARTS in scripts/check_layers.py'


def judge(path, quote, target):
    """The reason why `path` must not include `target`, or None."""
    part = part_of(path)
    if QT.match(target):
        return None if PARTS[part]["qt"] else f"{part} knows no Qt, but includes <{target}>"
    if not OURS.match(target):
        if quote == '"' and not target.endswith((".moc", ".pb.h")) and "/" not in target:
            return f'include from the root: "{target}" has no folder'
        return None
    if not any(target.startswith(allowed + "/") for allowed in PARTS[part]["includes"]):
        return f'{part} must not include "{target}"'
    if not target.startswith(part + "/"):
        return None
    room, place = room_of(part, path)
    other, other_place = room_of(part, target)
    if other_place is None:
        return unlisted(part, other)
    if other_place > place:
        return f'{room} comes before {other} in {part}, so it must not include "{target}"'
    return None


def core_folders():
    """The folders of core in the order of PARTS."""
    return list(dict.fromkeys(room.split("/")[0] for room in PARTS["core"]["rooms"]))


def told(root):
    """The folders of core in the order that docs/ARCHITECTURE.md tells, or None without it."""
    page = root / "docs/ARCHITECTURE.md"
    if not page.exists():
        return None
    order = re.search(r"^    base < .*(?:\n +< .*)*", page.read_text(encoding="utf-8"), re.M)
    return re.findall(r"\w+", order[0]) if order else []


def check_page(root):
    """The pages and PARTS tell one order; the rooms of a folder stand for the folder."""
    if told(root) not in (None, core_folders()):
        yield f"docs/ARCHITECTURE.md: the order of core is {' < '.join(core_folders())}"
    guide = root / "core/README.md"
    rows = guide.read_text(encoding="utf-8").splitlines() if guide.exists() else []
    listed = [row.split("`")[1].rstrip("/") for row in rows if row.startswith("| `")]
    if guide.exists() and listed != core_folders():
        yield f"core/README.md: the order of core is {' < '.join(core_folders())}"


def findings(root):
    """One line per wrong include under `root`, and the number of files looked at."""
    found, files = list(check_page(root)), 0
    for part in PARTS:
        for file in sorted((root / part).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            room, place = room_of(part, path)
            if place is None:
                found.append(f"{path}: {unlisted(part, room)}")
                continue
            text = file.read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), 1):
                match = INCLUDE.match(line)
                wrong = match and judge(path, match[1], match[2])
                if wrong:
                    found.append(f"{path}:{number}: {wrong}")
                looking = looked_for(path, line)
                if looking:
                    found.append(f"{path}:{number}: {looking}: have it handed over")
    return found, files


# (file, include, a word of the finding or None when all is well)
SELF_TEST = [
    ("core/base/a.h", '"core/base/b.h"', None),
    ("core/plan/a.h", '"core/trace/b.h"', None),
    ("core/plan/a.cpp", "<vector>", None),
    ("core/plan/a.cpp", '<onnx/shape_inference/implementation.h>', None),
    ("core/base/a.h", '"core/graph/b.h"', "comes before"),
    ("core/trace/a.cpp", '"core/plan/b.h"', "comes before"),
    ("core/import/a.cpp", '"core/run/b.h"', "comes before"),
    ("core/report/explain/a.cpp", '"core/report/plan/b.h"', None),
    ("core/report/plan/a.cpp", '"core/report/explain/b.h"', "comes before"),
    ("core/report/text/a.cpp", '"core/report/exporter.h"', "comes before"),
    ("core/report/exporter.cpp", '"core/report/run/b.h"', None),
    ("core/base/a.h", '"b.h"', "from the root"),
    ("core/base/a.h", "<QString>", "no Qt"),
    ("core/base/a.h", "<QtCore/QString>", "no Qt"),
    ("core/base/a.h", "<QtGlobal>", "no Qt"),
    ("core/run/a.cpp", '"widgets/b.h"', "must not include"),
    ("core/run/a.cpp", '"app/cli/b.h"', "must not include"),
    ("core/run/a.cpp", '"tests/support/b.h"', "must not include"),
    ("core/plan/a.cpp", '"core/nowhere/b.h"', "not a room"),
    ("core/nowhere/a.cpp", "<vector>", "not a room"),
    ("core/a.cpp", "<vector>", "not a room"),
    ("core/import/onnx/a.cpp", '"core/import/b.h"', None),
    ("widgets/map/a.cpp", "<QPainter>", None),
    ("widgets/map/a.cpp", '"core/run/run.h"', None),
    ("widgets/map/a.cpp", '"app/gui/b.h"', "must not include"),
    ("widgets/a.cpp", "<vector>", "not a room"),
    ("widgets/charts/a.cpp", '"widgets/map/b.h"', None),
    ("widgets/map/a.h", '"widgets/charts/b.h"', "comes before"),
    ("widgets/charts/a.cpp", '"widgets/compare/b.h"', "comes before"),
    ("widgets/charts/a.cpp", '"widgets/panels/b.h"', "comes before"),
    ("widgets/lanes/a.cpp", '"widgets/panels/b.h"', "comes before"),
    ("app/cli/a.cpp", '"core/run/run.h"', None),
    ("app/cli/a.cpp", "<QCoreApplication>", "no Qt"),
    ("app/cli/a.cpp", '"widgets/b.h"', "must not include"),
    ("app/plugin_host/a.cpp", '"core/plan/b.h"', "must not include"),
    ("app/gui/a.cpp", '"widgets/b.h"', None),
    ("app/gui/a.cpp", '"app/cli/b.h"', "must not include"),
    ("app/gui/a.cpp", '"app/gui/features/desk/b.h"', None),
    ("app/gui/features/desk/a.cpp", '"app/gui/window/b.h"', None),
    ("app/gui/window/a.cpp", '"app/gui/features/desk/b.h"', "comes before"),
    ("app/gui/window/a.cpp", '"app/gui/studio.h"', "comes before"),
    ("app/gui/features/panels/a.cpp", '"app/gui/features/desk/b.h"', "comes before"),
    ("app/gui/features/a.cpp", "<vector>", "not a room"),
]

# The same for a line of program text.
LOOKING = [
    ("app/gui/features/desk/a.cpp", "window->findChild<FileWatch*>();", "by its type"),
    ("app/gui/features/desk/a.cpp", "window->findChildren<hw::MapView*>();", "by its type"),
    ("app/gui/features/desk/a.cpp", "window->findChild<QAction*>(name);", "by its name"),
    ("app/gui/features/desk/a.cpp", "window->findChildren<QAction*>();", None),
    ("widgets/charts/a.cpp", "parent.findChildren<QChartView*>()", None),
]


def self_test():
    failures = []
    planted = [(path, f"#include {include}", word) for path, include, word in SELF_TEST] + LOOKING
    for path, line, word in planted:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(f"#pragma once\n\n{line}\n")
            found, _ = findings(pathlib.Path(folder))
        as_wanted = len(found) == 1 and word in found[0] if word else not found
        if not as_wanted:
            failures.append(f"{path}, {line}: wanted {word!r}, got {found}")
    for order, count in ((" < ".join(core_folders()), 0), ("base < files", 1), ("", 1)):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "docs/ARCHITECTURE.md"
            page.parent.mkdir()
            page.write_text(f"    {order}\n")
            if len(findings(pathlib.Path(folder))[0]) != count:
                failures.append(f"the order {order!r}: wanted {count} findings")
    return failures, len(planted) + 3


def main(arguments):
    if arguments == ["--self-test"]:
        found, count = self_test()
        kind = "planted lines"
    else:
        default = pathlib.Path(__file__).resolve().parent.parent
        found, count = findings(pathlib.Path(arguments[0]) if arguments else default)
        kind = "files"
        if count == 0:
            found.append("found no sources: wrong folder?")
    print("\n".join(found + [f"layers: {count} {kind}, {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
