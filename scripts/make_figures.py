#!/usr/bin/env python3
"""Makes the tables of docs/less.md from docs/figures/less.csv, and that by running the program.

make_figures.py                           writes the tables anew from the CSV
make_figures.py --check                   exit 1 where a table is not the one that the CSV gives
make_figures.py --measure CORPUS [NAME…]  plans models of a corpus in every way, into the CSV first

The program is build/release/app/cli/highwater, or HIGHWATER. A run that takes more than two minutes
of processor time is left out, and so are models with fewer than ten tensors.
"""
import csv
import json
import math
import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "docs/figures/less.csv"
PAGE = ROOT / "docs/less.md"
SECONDS = 120
FEWEST = 10

# Every way of planning: its column, and the options after `plan MODEL --align 1`.
LEAST = "--alias all --order least-peak"
KERNELS = LEAST + " --overlap kernels --l2 unlimited --platform generic-npu:kernels="
PARTS = "--alias all --tile "
WAYS = {
    "as it is": "--alias none",
    "least peak": "--alias none --order least-peak",
    "views": "--alias views",
    "in place": "--alias all",
    "in place, least peak": LEAST,
    "again": LEAST + " --recompute cheap",
    "forwards": KERNELS + "forward",
    "both ways": KERNELS + "both",
    "channels last": KERNELS + "both --layout nhwc",
    "lines": PARTS + "lines",
    "lines by rows": PARTS + "lines --inputs rows",
    "channels": PARTS + "channels",
    "any 0 %": PARTS + "any --extra-work 0%",
    "any 0 % by rows": PARTS + "any --extra-work 0% --inputs rows",
    "any 10 %": PARTS + "any --extra-work 10%",
    "any 10 % by rows": PARTS + "any --extra-work 10% --inputs rows",
    "all": KERNELS + "both --recompute cheap --tile any",
    "all by rows": KERNELS + "both --recompute cheap --tile any --inputs rows",
}

# Tables: which columns, whether some models only, and the two columns whose ratio orders the rows.
TABLES = {
    "order": (["as it is", "least peak", "in place", "in place, least peak"], "",
              ("as it is", "least peak")),
    "in place": (["as it is", "views", "in place"], "", ("views", "in place")),
    "parts": (["as it is", "lines", "channels", "any 0 %", "any 10 %", "lines by rows",
               "any 10 % by rows"], "", ("as it is", "lines")),
    "again": (["in place, least peak", "again"], "", ("in place, least peak", "again")),
    "overlap": (["in place, least peak", "forwards", "both ways"], "tflite",
                ("in place, least peak", "both ways")),
    "layout": (["both ways", "channels last"], "onnx", ("both ways", "channels last")),
}
ROWS = 8
END = "<!-- end -->"


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def planned(program, model, options):
    """Bytes of the plan, over all pools, and its document; None where there is none in time."""
    command = [program, "plan", model, "--align", "1", "--threads", "1", *options.split(), "-q",
               "--format", "json"]
    done = subprocess.run(command, capture_output=True, preexec_fn=limits, check=False)
    try:
        plan = json.loads(done.stdout)
    except ValueError:
        return None, {}
    return sum(pool["peak"] for pool in plan["pools"]), plan


def measure(corpus, names):
    """One row for each model that has something to plan: written as soon as it is known."""
    program = os.environ.get("HIGHWATER", ROOT / "build/release/app/cli/highwater")
    rows = {row["model"]: row for row in read()} if names else {}
    models = [*corpus.glob("onnx/*.onnx"), *corpus.glob("tflite/*.tflite")]
    for model in sorted(models, key=lambda file: file.stem):
        known = (corpus / f"problems/{model.stem}.csv").exists()
        if not known or names and model.stem not in names:
            continue
        size, plan = planned(program, model, WAYS["as it is"])
        if size is None or len(plan["placements"]) < FEWEST:
            continue
        row = {"model": model.stem, "kind": model.suffix[1:], "bound": plan["lower_bound"]}
        for way, options in WAYS.items():
            row[way] = planned(program, model, options)[0] or ""
        rows[model.stem] = row
        print(row, flush=True)
        DATA.parent.mkdir(exist_ok=True)
        with open(DATA, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["model", "kind", "bound", *WAYS], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[name] for name in sorted(rows))


def read():
    with open(DATA, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def mean(rows, way, base="bound"):
    """The geometric mean of a column over another, in three digits."""
    logs = [math.log(int(row[way]) / int(row[base])) for row in rows]
    return f"{math.exp(sum(logs) / len(logs)):.3f}"


def lines_of(cells):
    return ["| " + " | ".join(cells) + " |"]


def known(rows, ways):
    """The ways that some model was planned in, and the models that were planned in all of these."""
    ways = [way for way in ways if any(row[way] for row in rows)]
    return ways, [row for row in rows if all(row[way] for way in ways)]


def table(name, rows):
    """Bytes of the models that gain most, and means over all that were planned in these ways."""
    ways, kind, (before, after) = TABLES[name]
    ways, rows = known([row for row in rows if row["kind"].startswith(kind)], ways)
    gain = {row["model"]: int(row[after]) / int(row[before]) for row in rows}
    best = sorted((row for row in rows if gain[row["model"]] < 1),
                  key=lambda row: (gain[row["model"]], row["model"]))[:ROWS]
    lines = lines_of(["model", *ways]) + ["|---" * (len(ways) + 1) + "|"]
    for row in best:
        lines += lines_of([row["model"], *(f"{int(row[way]):,}" for way in ways)])
    means = [mean(rows, way, ways[0]) for way in ways]
    count = sum(value < 1 for value in gain.values())
    lines += lines_of([f"mean of {len(rows)}, {count} smaller", *means])
    return lines


def together(rows):
    """Means of the plan over the lower bound of the model as it is, by kind of model."""
    ways = ["in place", "in place, least peak", "forwards", "both ways", "channels last", "lines",
            "any 0 %", "any 10 %", "all", "all by rows"]
    ways, rows = known(rows, ways)
    cut = [row for row in rows if int(row["lines"]) < int(row["in place"])]
    lines = lines_of(["models", "", *ways]) + ["|---" * (len(ways) + 2) + "|"]
    for title, some in (("all", rows), ("TFLite", [row for row in rows if row["kind"] == "tflite"]),
                        ("ONNX", [row for row in rows if row["kind"] == "onnx"]),
                        ("smaller line by line", cut)):
        lines += lines_of([title, str(len(some)), *(mean(some, way) for way in ways)])
    return lines


def ways_of(rows):
    """The options of each column that was measured."""
    lines = lines_of(["column", "options"]) + ["|---|---|"]
    for way in known(rows, WAYS)[0]:
        lines += lines_of([way, f"`{WAYS[way]}`"])
    return lines


def made(text):
    """The page with every table between its two comments made anew."""
    rows = read()
    makers = {name: lambda name=name: table(name, rows) for name in TABLES}
    makers |= {"together": lambda: together(rows), "ways": lambda: ways_of(rows)}
    for name, make in makers.items():
        before, rest = text.split(f"<!-- table: {name} -->\n")
        lines = [before + f"<!-- table: {name} -->", *make(), END + rest.split(END, 1)[1]]
        text = "\n".join(lines)
    return text


def main(arguments):
    if arguments[:1] == ["--measure"] and len(arguments) > 1:
        measure(pathlib.Path(arguments[1]), set(arguments[2:]))
    elif arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    text = PAGE.read_text(encoding="utf-8")
    new = made(text)
    if arguments == ["--check"]:
        if new != text:
            print("docs/less.md: a table is not that of docs/figures/less.csv: run make_figures.py")
        return int(new != text)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
