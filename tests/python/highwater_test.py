"""The Python module on the real program: $HIGHWATER, given by ctest."""
import os
import pathlib
import random
import sys
import tempfile
import threading
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import highwater  # noqa: E402  pylint: disable=wrong-import-position


def overlapping(first, second):
    return first[0] < second[1] and second[0] < first[1]


class ModelTest(unittest.TestCase):
    def test_it_is_of_the_version_of_the_program(self):
        self.assertEqual(highwater.program_version(), highwater.__version__)

    def test_a_plan_tells_where_tensors_lie(self):
        model = highwater.open("samples:chain")
        self.assertEqual((model.name, model.info["ops"]), ("chain", 4))
        plan = model.plan(allocator="greedy-by-size", align=1)
        self.assertEqual(plan.peak(), plan.peak("L2"))
        self.assertEqual(plan.peak(), 26)
        self.assertTrue(plan.fits)
        self.assertEqual(len(plan), 5)
        placed = list(plan)
        self.assertEqual({each.tensor for each in placed}, {"x", "t0", "t1", "t2", "y"})
        for i, one in enumerate(placed):
            for other in placed[:i]:
                self.assertFalse(
                    overlapping((one.first, one.last + 1), (other.first, other.last + 1)) and
                    overlapping((one.offset, one.offset + one.size),
                                (other.offset, other.offset + other.size)), (one, other))
        with self.assertRaises(highwater.HighwaterError):
            plan.peak("L9")

    def test_a_plan_that_does_not_fit_is_an_answer(self):
        plan = highwater.open("samples:chain").plan(l2=16, l3=1, align=1,
                                                    allocator="greedy-by-size")
        self.assertFalse(plan.fits)

    def test_comparisons_simulations_and_shrinking_have_rows(self):
        model = highwater.open("samples:resnet8")
        comparison = model.compare(["best", "fast", "none"])
        self.assertEqual({row["allocator"] for row in comparison}, {"best", "fast", "none"})
        self.assertTrue(comparison.best["best"])
        simulation = model.simulate(platform="gap8")
        self.assertEqual(len(simulation), model.info["ops"])
        self.assertGreater(simulation.seconds, 0)
        self.assertEqual([row["step"] for row in simulation], list(range(len(simulation))))
        shrunk = model.shrink(allow="order,in-place")
        self.assertIsNotNone(shrunk.chosen)
        self.assertLessEqual(shrunk.chosen["peak"], shrunk["peak"])

    def test_events_come_one_by_one_and_in_time(self):
        events = list(highwater.open("samples:chain").events(align=1))
        self.assertEqual([event["seq"] for event in events], list(range(len(events))))
        times = [event["time_ps"] for event in events]
        self.assertEqual(times, sorted(times))
        self.assertIn("op-start", {event["event"] for event in events})
        first = next(highwater.open("samples:chain").events())  # Stopping early leaves nothing.
        self.assertEqual(first["seq"], 0)

    def test_files_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            model = highwater.open("samples:chain")
            for name in ("plan.csv", "plan.json", "plan.h"):
                model.save(pathlib.Path(folder) / name)
            for name in ("a.trace.json", "b.trace.json"):
                model.trace(pathlib.Path(folder) / name)
            self.assertEqual(len(os.listdir(folder)), 5)

    def test_what_the_program_refuses_is_an_error_with_its_words(self):
        chain = highwater.open("samples:chain")
        for words, code, call in [
                ("did you mean 'chain'", 2, lambda: highwater.open("samples:chian")),
                ("--no-such", 2, lambda: chain.plan(no_such="x")),
                ("gibberish", 2, lambda: chain.plan(allocator="gibberish")),
                ("No such file", 3, lambda: highwater.open("/no/such/model"))]:
            with self.subTest(words), self.assertRaises(highwater.HighwaterError) as caught:
                call()
            self.assertEqual(caught.exception.exit_code, code)
            self.assertIn(words, str(caught.exception))

    def test_nothing_but_its_own_error_is_raised(self):
        chain = highwater.open("samples:chain")
        with tempfile.TemporaryDirectory() as folder:
            plain = pathlib.Path(folder) / "plain"
            plain.write_text("no program")
            closed = highwater.Session()
            closed.close()
            calls = {
                "no such program": lambda: highwater.open("samples:chain", program="/no/program"),
                "not a program": lambda: highwater.Session(program=str(plain)),
                "another program": lambda: highwater.open("samples:chain", program="/bin/echo"),
                "another server": lambda: highwater.Session(program="/bin/echo"),
                "nul": lambda: highwater.open("a\0b"),
                "no path": lambda: highwater.open(5),
                "standard input": lambda: highwater.open("-"),
                "an option": lambda: highwater.open("--help"),
                "no list": lambda: chain.plan(dim=object()),
                "no such folder": lambda: chain.save("/no/such/folder/plan.json"),
                "events": lambda: list(chain.events(no_such="x")),
                "closed": lambda: closed.plan(),
                "pool": lambda: chain.plan().peak("L9"),
            }
            for name, call in calls.items():
                with self.subTest(name), self.assertRaises(highwater.HighwaterError):
                    call()

    def test_a_path_may_begin_with_a_dash(self):
        with tempfile.TemporaryDirectory() as folder:
            highwater.open("samples:chain").save(os.path.join(folder, "-plan.csv"))
            before = os.getcwd()
            os.chdir(folder)
            try:
                self.assertEqual(highwater.open("-plan.csv").info["tensors"], 5)
            finally:
                os.chdir(before)


class SessionTest(unittest.TestCase):
    def test_a_session_says_what_the_command_line_says(self):
        model = highwater.open("samples:squeezenet")
        with highwater.Session() as session:
            self.assertEqual(session.server["version"], highwater.__version__)
            self.assertEqual(session.open("samples:squeezenet")["ops"], model.info["ops"])
            self.assertEqual(session.plan(l2="2MiB").json, model.plan(l2="2MiB").json)
            self.assertEqual(session.simulate(platform="gap8").json,
                             model.simulate(platform="gap8").json)
            rows = session.compare("best,fast")
            self.assertEqual({row["allocator"] for row in rows}, {"best", "fast"})
            session.simulate()
            events = list(session.rows("events", page=7))
            self.assertEqual(events, list(session.rows("events")))
            told = list(model.events())
            self.assertEqual([each["event"] for each in events], [each["event"] for each in told])
            self.assertIn("moments", session.explain())

    def test_errors_leave_it_alive(self):
        with highwater.Session() as session:
            with self.assertRaises(highwater.HighwaterError) as caught:
                session.plan()
            self.assertIn("open", str(caught.exception))
            with self.assertRaises(highwater.HighwaterError):
                session.open("samples:nothing")
            session.open("samples:chain")
            self.assertEqual(session.plan(align=1).peak(), 26)

    def test_a_call_can_be_cancelled_and_tells_how_far_it_is(self):
        with highwater.Session() as session:
            session.open("samples:inception_v3")
            heard = []

            def listen(part, what):
                heard.append((part, what))
                session.cancel()
            # Searches for hours, were it not for the first word about it.
            timer = threading.Timer(2, session.cancel)
            timer.start()
            try:
                session.plan(progress=listen, allocator="placement-search:sequences=0,seconds=0",
                             alias="none", align=1)
            except highwater.HighwaterError as error:
                self.assertEqual(error.exit_code, -32800)
            finally:
                timer.cancel()
            self.assertEqual(session.plan(allocator="fast").status in ("complete", "optimal"), True)


class Spec:
    """As ExecuTorch's TensorSpec, as far as a planner looks."""

    def __init__(self, size, lifetime, mem_id=None):
        self.allocated_memory = size
        self.lifetime = lifetime
        self.mem_id = mem_id

    def realign(self, alignment):
        self.allocated_memory = -(-self.allocated_memory // alignment) * alignment


class ExecuTorchTest(unittest.TestCase):
    """With stand-ins: ExecuTorch itself is not installed here."""

    def setUp(self):
        module = types.ModuleType("executorch.exir.memory_planning")
        module.MemoryAlgoResult = lambda spec_dict, bufsizes: types.SimpleNamespace(
            spec_dict=spec_dict, bufsizes=bufsizes)
        module.SpecAllocResult = lambda mem_id, mem_obj_id, mem_offset: types.SimpleNamespace(
            mem_id=mem_id, mem_obj_id=mem_obj_id, mem_offset=mem_offset)
        for name in ("executorch", "executorch.exir"):
            sys.modules[name] = types.ModuleType(name)
        sys.modules["executorch.exir.memory_planning"] = module

    def tearDown(self):
        for name in [name for name in sys.modules if name.startswith("executorch")]:
            del sys.modules[name]

    def plan(self, specs, graph=None, padding=0):
        graph = graph or types.SimpleNamespace()
        result = highwater.memory_planning_algo(16, specs, graph, None, padding)
        self.assertEqual(set(result.spec_dict), set(specs))
        for one in specs:
            place = result.spec_dict[one]
            self.assertEqual(place.mem_id, 1 if one.mem_id is None else one.mem_id)
            self.assertEqual(place.mem_offset % 16, 0)
            self.assertLessEqual(place.mem_offset + one.allocated_memory + padding,
                                 result.bufsizes[place.mem_id])
            for other in specs:
                theirs = result.spec_dict[other]
                if other is one or theirs.mem_id != place.mem_id:
                    continue
                both = overlapping((one.lifetime[0], one.lifetime[1] + 1),
                                   (other.lifetime[0], other.lifetime[1] + 1))
                self.assertFalse(both and overlapping(
                    (place.mem_offset, place.mem_offset + one.allocated_memory),
                    (theirs.mem_offset, theirs.mem_offset + other.allocated_memory)))
        return result

    def test_random_specs_share_no_bytes_while_they_live(self):
        for seed in range(6):
            dice = random.Random(seed)
            specs = set()
            for _ in range(dice.randint(1, 40)):
                first = dice.randint(0, 20)
                specs.add(Spec(dice.choice([0, 1, 16, 100, 4000]), [first, dice.randint(first, 25)],
                               dice.choice([None, 1, 2])))
            with self.subTest(seed=seed):
                self.plan(specs)

    def test_lifetimes_are_inclusive_and_padding_is_added(self):
        apart = self.plan({Spec(32, [0, 1]), Spec(32, [2, 3])}, padding=64)
        self.assertEqual(apart.bufsizes, [0, 32 + 64])
        touching = self.plan({Spec(32, [0, 1]), Spec(32, [1, 3])})
        self.assertEqual(touching.bufsizes, [0, 64])

    def test_submodules_lie_above_what_is_taken(self):
        graph = types.SimpleNamespace(input_mem_buffer_sizes=[0, 40])
        spec = Spec(16, [0, 1])
        result = self.plan({spec}, graph)
        self.assertEqual(result.spec_dict[spec].mem_offset, 48)
        self.assertEqual(result.bufsizes, [0, 64])

    def test_nothing_to_plan_takes_nothing(self):
        self.assertEqual(self.plan(set()).bufsizes, [0, 0])

    def test_views_are_refused(self):
        spec = Spec(16, [0, 1])
        spec.storage_base = Spec(16, [0, 1])
        with self.assertRaises(highwater.HighwaterError):
            highwater.memory_planning_algo(16, {spec}, types.SimpleNamespace())


if __name__ == "__main__":
    unittest.main()
