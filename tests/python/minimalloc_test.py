"""The program under the name minimalloc: flags, files and exit codes of that solver."""
import csv
import os
import pathlib
import random
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["HIGHWATER"]


class MinimallocTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.link = self.folder / "minimalloc"
        self.link.symlink_to(PROGRAM)
        self.input = self.folder / "problem.csv"
        self.output = self.folder / "plan.csv"

    def run_it(self, *words, problem=None):
        if problem is not None:
            self.input.write_text(problem, encoding="utf-8")
        return subprocess.run([str(self.link), f"--input={self.input}", f"--output={self.output}",
                               *words], capture_output=True, encoding="utf-8", check=False)

    def plan(self):
        return list(csv.DictReader(self.output.read_text(encoding="utf-8").splitlines()))

    def check_plan(self, capacity):
        rows = [{key: value if key in ("id", "gaps") else int(value) for key, value in row.items()}
                for row in self.plan()]
        for i, one in enumerate(rows):
            self.assertEqual(one["offset"] % one.get("alignment", 1), 0)
            self.assertLessEqual(one["offset"] + one["size"], capacity)
            for other in rows[:i]:
                together = one["lower"] < other["upper"] and other["lower"] < one["upper"]
                shared = one["offset"] < other["offset"] + other["size"] and \
                    other["offset"] < one["offset"] + one["size"]
                self.assertFalse(together and shared and not (one.get("gaps") or other.get("gaps")))
        return rows

    SMALL = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n"

    def test_a_plan_that_fits_is_written_with_offsets(self):
        done = self.run_it("--capacity=12", problem=self.SMALL)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertRegex(done.stderr, r"^\d+\.\d{3}\n$")
        self.assertEqual(self.output.read_text().splitlines()[0], "id,lower,upper,size,offset")
        rows = self.check_plan(12)
        self.assertEqual([row["id"] for row in rows], ["b1", "b2", "b3", "b4", "b5"])

    def test_what_does_not_fit_is_exit_code_one_and_no_plan(self):
        for words in (["--capacity=11"], ["--capacity", "11"], ["--capacity=0"], [],
                      ["--capacity=11", "--minimize_capacity"], ["--capacity=11", "--timeout=5s"]):
            with self.subTest(words):
                done = self.run_it(*words, problem=self.SMALL)
                self.assertEqual(done.returncode, 1)
                self.assertFalse(self.output.exists())

    def test_flags_are_taken_as_that_program_takes_them(self):
        for words in (["-capacity=12"], ["--capacity", "12"], ["--capacity=12", "--timeout=1m30s"],
                      ["--capacity=12", "--timeout=inf", "--nocanonical_only"],
                      ["--capacity=12", "--timeout", "500ms", "--validate=false"],
                      ["--capacity=12", "--dynamic_ordering=no", "--preordering_heuristics=WAT"],
                      ["--minimize_capacity"], ["--capacity=99", "--minimize_capacity=true"]):
            with self.subTest(words):
                self.output.unlink(missing_ok=True)
                done = self.run_it(*words, problem=self.SMALL)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check_plan(12)

    def test_validating_says_so(self):
        self.assertTrue(self.run_it("--capacity=12", "--validate",
                                    problem=self.SMALL).stderr.endswith("PASS\n"))
        self.assertNotIn("PASS", self.run_it("--capacity=12", "--novalidate").stderr)

    def test_a_solution_is_printed_for_latex(self):
        done = self.run_it("--capacity=12", "--print_solution", problem=self.SMALL)
        self.assertEqual(done.stdout.count("\\filldraw"), 5)
        self.assertIn("\\end{document}", done.stdout)
        self.assertTrue(self.output.exists())

    def test_older_columns_and_inclusive_ends(self):
        done = self.run_it("--capacity=4",
                           problem="buffer_id,start,end,size\na,0,2,4\nb,3,5,4\n\nignored")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(row["lower"], row["upper"]) for row in self.plan()],
                         [("0", "3"), ("3", "6")])
        self.assertEqual(self.run_it("--capacity=4", problem="buffer,begin,upper,size\n"
                                     "a,0,3,4\nb,3,5,4\n").returncode, 0)
        self.output.unlink()
        # By the last step both live at step 3, so they need twice the bytes.
        self.assertEqual(self.run_it("--capacity=4", problem="id,lower,end,size\n"
                                     "a,0,3,4\nb,3,5,4\n").returncode, 1)

    def test_alignment_and_gaps_are_kept(self):
        done = self.run_it("--capacity=64", problem="id,lower,upper,size,alignment,gaps\n"
                           "a,0,9,16,16,3-5\nb,3,5,16,1,\nc,0,9,16,32,\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.check_plan(64)
        self.assertEqual((rows[0]["alignment"], rows[0]["gaps"]), (16, "3-5"))

    def test_random_problems_fit_wherever_all_lives_side_by_side(self):
        for seed in range(8):
            dice = random.Random(seed)
            lines = ["id,lower,upper,size"]
            for i in range(dice.randint(1, 60)):
                lower = dice.randint(0, 40)
                lines.append(f"b{i},{lower},{lower + dice.randint(1, 20)},{dice.randint(1, 999)}")
            rows = [[int(word) for word in line.split(",")[1:]] for line in lines[1:]]
            live = max(sum(size for lower, upper, size in rows if lower <= step < upper)
                       for step in range(70))
            with self.subTest(seed=seed):
                self.output.unlink(missing_ok=True)
                done = self.run_it("--capacity", str(live - 1), problem="\n".join(lines) + "\n")
                self.assertEqual((done.returncode, self.output.exists()), (1, False))
                self.assertEqual(self.run_it(f"--capacity={live * 2}").returncode, 0)
                self.check_plan(live * 2)

    def test_bad_input_is_one_sentence_and_exit_code_one(self):
        for words, problem, says in [
                (["--capcity=1"], self.SMALL, "unknown flag '--capcity=1'"),
                (["12"], self.SMALL, "unexpected argument '12'"),
                (["--capacity=x"], self.SMALL, "--capacity is 'x'"),
                (["--capacity=-1"], self.SMALL, "--capacity is '-1'"),
                (["--capacity"], self.SMALL, "needs a value"),
                (["--timeout=soon"], self.SMALL, "--timeout is 'soon'"),
                (["--timeout=5"], self.SMALL, "--timeout is '5'"),
                (["--validate=perhaps"], self.SMALL, "--validate is 'perhaps'"),
                (["--capacity=1"], "id,lower,upper,size\na,3,1,4\n", "line 2"),
                (["--capacity=1"], "id,lower,upper\na,3,1\n", "problem.csv"),
                (["--capacity=1"], "", "problem.csv")]:
            with self.subTest(words + [problem]):
                done = self.run_it(*words, problem=problem)
                self.assertEqual(done.returncode, 1)
                message = [line for line in done.stderr.splitlines()
                           if line.startswith("highwater: ")]
                self.assertEqual(len(message), 1, done.stderr)
                self.assertIn(says, message[0])
                self.assertFalse(self.output.exists())
        bare = subprocess.run([str(self.link)], capture_output=True, check=False)
        self.assertEqual(bare.returncode, 1)

    def test_the_hard_set_fits_its_mebibyte(self):
        corpus = pathlib.Path(os.environ.get("HIGHWATER_CORPUS", "")) / "csv"
        files = [file for file in sorted(corpus.glob("*.csv"))
                 if re.fullmatch(r"minimalloc_[A-K]\.1048576", file.stem)]
        if not files:
            self.skipTest("no corpus of problems (set HIGHWATER_CORPUS to its folder)")
        for file in files:
            with self.subTest(file.stem):
                self.output.unlink(missing_ok=True)
                done = self.run_it("--capacity=1048576", "--validate",
                                   problem=file.read_text(encoding="utf-8"))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check_plan(1048576)


if __name__ == "__main__":
    unittest.main()
