#!/usr/bin/env python3
"""Checks that every #include respects the layers of docs/ARCHITECTURE.md.

check_layers.py [ROOT]         exit 1 and one line a finding when an include goes the wrong way
check_layers.py --self-test    plants each kind of violation and sees that it is found
"""
import pathlib
import re
import sys
import tempfile

# Inside core, a layer includes only itself and those before it.
LAYERS = ["base", "graph", "schedule", "storage", "memory", "trace", "plan", "import", "solver",
          "allocators", "residency", "sim", "run", "report"]

# Outside core: what a folder may include, and whether it may know Qt.
PARTS = {
    "core": {"includes": ["core"], "qt": False},
    "widgets": {"includes": ["core", "widgets"], "qt": True},
    "app/cli": {"includes": ["core", "app/cli"], "qt": False},
    "app/plugin_host": {"includes": ["app/plugin_host"], "qt": False},
    "app/gui": {"includes": ["core", "widgets", "app/gui"], "qt": True},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
QT = re.compile(r"^Q(t?[A-Z]|t[A-Z]?\w*/)")
OURS = re.compile(r"^(core|widgets|app|tests)/")


def part_of(path):
    """The entry of PARTS that holds `path` (relative, with slashes), or None."""
    for part in PARTS:
        if path.startswith(part + "/"):
            return part
    return None


def core_layer(path):
    """("trace", 5) for core/trace/x.h; (name, None) for a folder that LAYERS does not list."""
    name = path.split("/")[1]
    return name, LAYERS.index(name) if name in LAYERS else None


def judge(path, quote, target):
    """What is wrong with `path` including `target`, or None."""
    part = part_of(path)
    if QT.match(target):
        return None if PARTS[part]["qt"] else f"{part} knows no Qt, but includes <{target}>"
    if not OURS.match(target):
        if quote == '"' and not target.endswith((".moc", ".pb.h")) and "/" not in target:
            return f'include from the root: "{target}" has no folder'
        return None
    if not any(target.startswith(allowed + "/") for allowed in PARTS[part]["includes"]):
        return f'{part} must not include "{target}"'
    if part != "core":
        return None
    name, rank = core_layer(path)
    other, other_rank = core_layer(target)
    if other_rank is None:
        return f"core/{other} is not a layer: add it to LAYERS in scripts/check_layers.py"
    if other_rank > rank:
        return f'layer {name} comes before {other}, so it must not include "{target}"'
    return None


def findings(root):
    """One line per wrong include under `root`, and the number of files looked at."""
    found, files = [], 0
    for part in PARTS:
        for file in sorted((root / part).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            if part == "core" and core_layer(path)[1] is None:
                found.append(f"{path}: core/{core_layer(path)[0]} is not a layer: "
                             "add it to LAYERS in scripts/check_layers.py")
                continue
            text = file.read_text(encoding="utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), 1):
                match = INCLUDE.match(line)
                wrong = match and judge(path, match[1], match[2])
                if wrong:
                    found.append(f"{path}:{number}: {wrong}")
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
    ("core/base/a.h", '"b.h"', "from the root"),
    ("core/base/a.h", "<QString>", "no Qt"),
    ("core/base/a.h", "<QtCore/QString>", "no Qt"),
    ("core/base/a.h", "<QtGlobal>", "no Qt"),
    ("core/run/a.cpp", '"widgets/b.h"', "must not include"),
    ("core/run/a.cpp", '"app/cli/b.h"', "must not include"),
    ("core/run/a.cpp", '"tests/support/b.h"', "must not include"),
    ("core/plan/a.cpp", '"core/nowhere/b.h"', "not a layer"),
    ("core/nowhere/a.cpp", "<vector>", "not a layer"),
    ("widgets/canvas/a.cpp", "<QPainter>", None),
    ("widgets/canvas/a.cpp", '"core/run/run.h"', None),
    ("widgets/canvas/a.cpp", '"app/gui/b.h"', "must not include"),
    ("app/cli/a.cpp", '"core/run/run.h"', None),
    ("app/cli/a.cpp", "<QCoreApplication>", "no Qt"),
    ("app/cli/a.cpp", '"widgets/b.h"', "must not include"),
    ("app/plugin_host/a.cpp", '"core/plan/b.h"', "must not include"),
    ("app/gui/a.cpp", '"widgets/b.h"', None),
    ("app/gui/a.cpp", '"app/cli/b.h"', "must not include"),
]


def self_test():
    failures = []
    for path, include, word in SELF_TEST:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(f"#pragma once\n\n#include {include}\n")
            found, _ = findings(pathlib.Path(folder))
        as_wanted = len(found) == 1 and word in found[0] if word else not found
        if not as_wanted:
            failures.append(f"{path} including {include}: wanted {word!r}, got {found}")
    return failures, len(SELF_TEST)


def main(arguments):
    if arguments == ["--self-test"]:
        found, count = self_test()
        kind = "planted includes"
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
