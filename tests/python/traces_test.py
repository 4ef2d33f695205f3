"""Traces of runs, read by others: a JSON reader, Chromium. Held against --activities and
--events, which know nothing of traces."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from decimal import Decimal

PROGRAM = os.environ["HIGHWATER"]
RUNS = [["samples:squeezenet"], ["samples:chain", "--platform=gap8"],
        ["samples:mobilenet_v1_int8", "--platform=ethos-u65-512", "--weights=prefetch"],
        ["samples:two_devices", "--platform=two-devices", "--allocator=partition"],
        ["samples:mobilenet_v2", "--l2=1MiB", "--residency=belady"],
        ["samples:inception", "--overlap=kernels", "--platform=reference-kernels"],
        ["samples:three_sizes"], ["samples:eight_tensors"]]


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, check=False)
    assert done.returncode in (0, 1), (words, done.stderr)  # 1: the plan does not fit.


def generated(test):
    """Runs of graphs drawn by families and seeds, on machines that do things side by side."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    runs = []
    for seed, family in enumerate(("residual-net", "inception-net", "u-net", "transformer")):
        path = str(pathlib.Path(folder.name) / f"{family}.graph.json")
        run("generate", f"{family}:blocks=4,side=16,seed={seed}", "-o", path)
        runs.append([path, "--weights=prefetch=2", "--inputs=loaded", f"--l2={24 + 40 * seed}KiB",
                     "--residency=lru"] if seed % 2 else [path, "--tile=lines", "--alias=all"])
    return runs


def trace(words, ending):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"trace{ending}"
        run("simulate", *words, f"--trace={path}", "--quiet")
        return path.read_bytes()


def rows(words, option):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "rows.csv"
        run("simulate", *words, f"{option}={path}", "--quiet")
        return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def activities(words):
    """(name, start, end, cause) of everything that takes time, in picoseconds."""
    return [(row["name"], int(row["start_ps"]), int(row["end_ps"]), row["cause"])
            for row in rows(words, "--activities")]


def levels_told(words):
    """What is in use after each instant, by pool, from the list of events."""
    told = {}
    for row in rows(words, "--events"):
        if row["event"] in ("fresh", "reuse", "split", "extend"):
            sign = 1
        elif row["event"] == "release":
            sign = -1
        else:
            continue
        pool = told.setdefault(row["pool"], {})
        before = list(pool.values())[-1] if pool else 0
        pool[int(row["time_ps"])] = before + sign * int(row["size"])
    return told


class ChromeTest(unittest.TestCase):
    def test_activities_buffers_and_levels_are_those_of_the_run(self):
        for words in RUNS + generated(self):
            with self.subTest(words):
                self.check_run(words)

    def check_run(self, words):
        document = json.loads(trace(words, ".json"), parse_float=Decimal)
        events = document["traceEvents"]
        def of(phase):
            return [event for event in events if event["ph"] == phase]
        scale = Decimal(10) ** 6
        pairs = list(zip(of("B"), of("E")))  # Each end stands behind its begin.
        self.assertEqual(len(of("B")), len(of("E")))
        found = [(begin["name"], int(begin["ts"] * scale), int(end["ts"] * scale),
                  begin["args"].get("cause", "")) for begin, end in pairs]
        self.assertEqual(found, activities(words))
        lanes = {}
        for begin, end in pairs:
            lane = begin["pid"], begin["tid"]
            self.assertEqual((end["pid"], end["tid"], end["name"]), (*lane, begin["name"]))
            lanes.setdefault(lane, []).append((begin["ts"], end["ts"]))
        for lane in lanes.values():
            # In the order of the file, for a viewer that counts from the row's first begin and in
            # floating point: one ends before the next begins.
            first = float(lane[0][0])
            moments = [float(moment) - first for pair in lane for moment in pair]
            self.assertEqual(moments, sorted(moments))
        names = {(event["pid"], event["tid"]) for event in of("M")
                 if event["name"] == "thread_name"}
        self.assertEqual(set(lanes), names)
        begun = {event["id"]: event for event in of("b")}
        ended = {event["id"]: event for event in of("e")}
        self.assertEqual(len(begun), len(of("b")))
        self.assertEqual(set(begun), set(ended))
        self.assertTrue(begun)
        for number, event in begun.items():
            self.assertLessEqual(event["ts"], ended[number]["ts"])
        self.check_levels(words, of("C"))
        flows = {event["id"]: event for event in of("s")}
        self.assertEqual(len(flows), sum(1 for each in found if each[3]))
        for event in of("f"):
            self.assertLessEqual(flows[event["id"]]["ts"], event["ts"])

    def check_levels(self, words, counters):
        last = {}
        for event in counters:
            last.setdefault(event["name"], {})[int(event["ts"] * 10 ** 6)] = event["args"]["bytes"]
        if words[0] in ("samples:three_sizes", "samples:eight_tensors"):
            self.assertTrue(all(time % 10 ** 6 == 0 for pool in last.values() for time in pool))
            return  # There time is made of steps.
        self.assertEqual({name.removesuffix(" in use"): levels for name, levels in last.items()},
                         levels_told(words))

    def test_the_peak_of_a_problem_is_its_live_bytes(self):
        document = json.loads(trace(["samples:three_sizes"], ".json"))
        self.assertEqual(max(event["args"]["bytes"] for event in document["traceEvents"]
                             if event["ph"] == "C"), 100)
        self.assertIn("steps", document["otherData"]["clock"])

    def test_chromium_reads_it(self):
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None or not os.environ.get("HIGHWATER_CHROMIUM"):
            self.skipTest("no browser asked for (set HIGHWATER_CHROMIUM=1)")
        data = trace(["samples:squeezenet"], ".json").decode("utf-8")
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            page.write_text(
                '<!doctype html><script type="application/json" id="trace">' +
                data.replace("<", "\\u003c") + "</script><script>const events = JSON.parse("
                "document.getElementById('trace').textContent).traceEvents;"
                "document.title = 'read ' + events.filter(e => e.ph === 'B' && e.ts >= 0).length;"
                "</script>", encoding="utf-8")
            done = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                 f"--user-data-dir={folder}/profile", page.as_uri()],
                capture_output=True, timeout=300, check=False)
        title = re.search(r"<title>(.*?)</title>", done.stdout.decode("utf-8"))
        self.assertIsNotNone(title, done.stderr)
        self.assertEqual(title[1], f"read {len(activities(['samples:squeezenet']))}")


class BadUsageTest(unittest.TestCase):
    def test_an_ending_that_says_nothing_is_refused_before_anything_is_done(self):
        done = subprocess.run([PROGRAM, "simulate", "samples:chain", "--trace", "x.txt"],
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"expected .json", done.stderr)


if __name__ == "__main__":
    unittest.main()
