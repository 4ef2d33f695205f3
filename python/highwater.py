"""Highwater from Python: what the command line answers, as objects.

    import highwater

    model = highwater.open("model.tflite")
    plan = model.plan(l2="1MiB")
    for placement in plan:
        print(placement.tensor, placement.pool, placement.offset, placement.size)

One file, standard library only. It runs the program `highwater`, which is looked for in the variable
HIGHWATER, beside an installed copy of this file, and in PATH. Options are those of the command line
with "_" for "-": highwater.open(path, dim=["batch=8"]), model.plan(allocator="fast", align=16).
"""
from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import threading
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple,
                    Union)

__version__ = "0.1.0"
__all__ = ["Comparison", "HighwaterError", "Model", "Placement", "Plan", "Session", "Shrink",
           "Simulation", "memory_planning_algo", "open", "program_version"]

Option = Union[str, int, float, bool, Iterable[str]]
Json = Dict[str, Any]


class HighwaterError(RuntimeError):
    """What the program said, and its exit code: 1 no plan, 2 bad usage, 3 bad input, 4 a bug.

    Of a Session `exit_code` is the code of its error instead, such as -32602. No other exception
    leaves this module: what keeps the program from being asked or heard is one of these, too.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@contextlib.contextmanager
def _told(exit_code: int = 2) -> Iterator[None]:
    """Whatever Python says about what is done inside becomes a HighwaterError."""
    try:
        yield
    except (OSError, TypeError, ValueError, csv.Error, subprocess.SubprocessError) as error:
        raise HighwaterError(str(error) or type(error).__name__, exit_code) from error


def _parsed(text: str) -> Json:
    with _told(4):
        document = json.loads(text)
        if not isinstance(document, dict):
            raise ValueError("the program's answer is not an object")
        return document


def find_program() -> str:
    """The program: $HIGHWATER, else of the installation that this file belongs to, else in PATH."""
    named = os.environ.get("HIGHWATER")
    if named:
        return named
    here = pathlib.Path(__file__).resolve()
    if [each.name for each in here.parents[:3]] == ["python", "highwater", "share"]:
        beside = here.parents[3] / "bin" / "highwater"
        if beside.is_file():
            return str(beside)
    found = shutil.which("highwater")
    if found is None:
        raise HighwaterError("the program 'highwater' is not in PATH: set HIGHWATER to it", 2)
    return found


def _words(options: Mapping[str, Option]) -> List[str]:
    """Options as the command line has them; False and None are left out."""
    words: List[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        with _told():
            values = [value] if isinstance(value, (str, int, float)) else list(value)
        for each in values:
            words.append(f"{flag}={each}")
    return words


def _run(words: List[str], program: Optional[str], given: Optional[str] = None,
         answers: Tuple[int, ...] = (0,), timeout: Optional[float] = None) -> str:
    with _told():
        done = subprocess.run([program or find_program(), *words], input=given,
                              capture_output=True, encoding="utf-8", timeout=timeout, check=False)
    if done.returncode not in answers or (done.returncode != 0 and not done.stdout):
        message = done.stderr.strip() or f"exit code {done.returncode}"
        raise HighwaterError(message, done.returncode)
    return done.stdout


def program_version(program: Optional[str] = None) -> str:
    """The version of the program, which should be `__version__`."""
    return _run(["--version"], program).rpartition(" ")[2].strip()


@dataclasses.dataclass(frozen=True)
class Placement:
    """Where a tensor lies. Steps are inclusive; `more` has what else the plan says of it."""

    tensor: str
    pool: Optional[str]
    offset: Optional[int]
    size: int
    first: int
    last: int
    more: Mapping[str, Any]

    @classmethod
    def of(cls, row: Json) -> "Placement":
        known = {"tensor", "pool", "offset", "size", "first", "last"}
        return cls(row["tensor"], row.get("pool"), row.get("offset"), row["size"], row["first"],
                   row["last"], {key: row[key] for key in row if key not in known})


class _Document:
    """An answer of the program; `json` is all of it, as docs/formats describes."""

    def __init__(self, document: Json) -> None:
        self.json = document

    def __getitem__(self, key: str) -> Any:
        return self.json[key]


class Plan(_Document):
    """A plan; iterating gives its placements."""

    @property
    def status(self) -> str:
        return str(self.json["status"])

    @property
    def fits(self) -> bool:
        return self.status not in ("infeasible", "over-budget") and all(
            row.get("offset") is not None for row in self.json["placements"])

    @property
    def lower_bound(self) -> int:
        return int(self.json["lower_bound"])

    def peak(self, pool: Optional[str] = None) -> int:
        """Bytes to reserve: in `pool`, or in all of them."""
        pools = self.json["pools"]
        if pool is not None and all(each["name"] != pool for each in pools):
            raise HighwaterError(f"the plan has no pool '{pool}'", 2)
        return sum(each["peak"] for each in pools if pool in (None, each["name"]))

    def __iter__(self) -> Iterator[Placement]:
        return (Placement.of(row) for row in self.json["placements"])

    def __len__(self) -> int:
        return len(self.json["placements"])


class Comparison(_Document):
    """Plans by several allocators; iterating gives a row for each, the best first."""

    def __iter__(self) -> Iterator[Json]:
        return iter(self.json["rows"])

    def __len__(self) -> int:
        return len(self.json["rows"])

    @property
    def best(self) -> Optional[Json]:
        return next((row for row in self if row.get("best")), None)


class Simulation(_Document):
    """A run on a machine; iterating gives a row for each operator."""

    @property
    def seconds(self) -> Optional[float]:
        """None where no operators are known: nothing is timed then."""
        time = self.json["makespan_ps"]
        return None if time is None else int(time) / 1e12

    def __iter__(self) -> Iterator[Json]:
        return iter(self.json["ops"])

    def __len__(self) -> int:
        return len(self.json["ops"])


class Shrink(_Document):
    """What rewrites come to; iterating gives the plans that are worth having, smallest first."""

    def __iter__(self) -> Iterator[Json]:
        return iter(self.json["front"])

    def __len__(self) -> int:
        return len(self.json["front"])

    @property
    def chosen(self) -> Optional[Json]:
        return next((row for row in self if row.get("chosen")), None)


def _value(text: str) -> Union[str, int, None]:
    try:
        return int(text)
    except ValueError:
        return text or None


class Model:
    """A model by its path or name. Nothing is kept open: see Session for that."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], program: Optional[str] = None,
                 **options: Option) -> None:
        with _told():
            self.path = os.fsdecode(path)
        if self.path == "-":
            raise HighwaterError("a model is a file or samples:NAME, not standard input", 2)
        self._program = program
        self._options = options
        self.info: Json = _parsed(self._answer("info", {}, (0,)))

    def _command(self, command: str, options: Mapping[str, Option]) -> List[str]:
        # Behind "--" a path may begin with "-".
        return [command, *_words({**self._options, **options}), "--", self.path]

    def _answer(self, command: str, options: Mapping[str, Option],
                answers: Tuple[int, ...] = (0, 1)) -> str:
        return _run(self._command(command, {**options, "format": "json"}), self._program, None,
                    answers)

    @property
    def name(self) -> str:
        return str(self.info["model"]["name"])

    def plan(self, **options: Option) -> Plan:
        """An address for every tensor. A plan that does not fit is one, too: see `fits`."""
        return Plan(_parsed(self._answer("plan", options)))

    def compare(self, allocators: Iterable[str] = (), **options: Option) -> Comparison:
        """Several allocators, all if none is named."""
        names = ",".join([allocators] if isinstance(allocators, str) else allocators)
        chosen = {"allocators": names} if names else {}
        return Comparison(_parsed(self._answer("compare", {**options, **chosen})))

    def simulate(self, **options: Option) -> Simulation:
        """A run on a machine: `platform`, `l2`, `weights`, …"""
        return Simulation(_parsed(self._answer("simulate", options)))

    def shrink(self, **options: Option) -> Shrink:
        """Less memory by rewriting, and what it costs: `budget`, `allow`, …"""
        return Shrink(_parsed(self._answer("shrink", options)))

    def events(self, **options: Option) -> Iterator[Json]:
        """All that happens to memory, event by event, as it is written: millions are no matter."""
        words = self._command("simulate", {**options, "events": "-", "quiet": True})
        with _told(), subprocess.Popen([self._program or find_program(), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8") as running:
            assert running.stdout is not None and running.stderr is not None
            try:
                for row in csv.DictReader(running.stdout):
                    yield {key: value if key in ("tensor", "detail") else _value(value)
                           for key, value in row.items()}
            except GeneratorExit:
                running.kill()
                raise
            message = running.stderr.read().strip()
        if running.returncode not in (0, 1):
            raise HighwaterError(message, running.returncode)

    def save(self, path: Union[str, "os.PathLike[str]"], **options: Option) -> None:
        """Plans into a file: .json, .csv, .h, or .tflite with the plan inside."""
        with _told():
            file = os.fsdecode(path)
        _run(self._command("plan", {**options, "output": file, "quiet": True}), self._program)

    def trace(self, path: Union[str, "os.PathLike[str]"], **options: Option) -> None:
        """Simulates into a trace for viewers such as Perfetto: .json."""
        with _told():
            file = os.fsdecode(path)
        _run(self._command("simulate", {**options, "trace": file, "quiet": True}), self._program,
             None, (0, 1))


def open(path: Union[str, "os.PathLike[str]"],  # pylint: disable=redefined-builtin
         program: Optional[str] = None, **options: Option) -> Model:
    """Opens a model: a path, or samples:NAME. Fails where the program cannot read it."""
    return Model(path, program, **options)


class Session:
    """One model kept open by `highwater serve --stdio`: for notebooks, which ask again and again.

    Calls may come from several threads, one at a time; `cancel` stops the one at work. Allocators
    may be plug-ins, whose code runs, where `plugins` says so.
    """

    def __init__(self, program: Optional[str] = None, plugins: bool = False) -> None:
        words = ["serve", "--stdio", *(["--plugins=allow"] if plugins else [])]
        with _told():
            self._server = subprocess.Popen([program or find_program(), *words],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            encoding="utf-8")
        self._ids = itertools.count(1)
        self._call = threading.Lock()
        self._write = threading.Lock()
        self._current: Optional[int] = None
        try:
            self.server: Json = self.call("initialize")
        except HighwaterError:
            self.close()
            raise

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, message: Json) -> None:
        assert self._server.stdin is not None
        with self._write, _told():
            self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self._server.stdin.flush()

    def _heard(self) -> str:
        """The next line; empty: there will be none."""
        assert self._server.stdout is not None
        with _told():
            return self._server.stdout.readline()

    def call(self, method: str, params: Optional[Json] = None,
             progress: Optional[Callable[[float, str], None]] = None) -> Any:
        """One call: docs/formats/serve.md. `progress` hears how far it is and what goes on."""
        with self._call:
            number = next(self._ids)
            said = dict(params or {})
            if progress is not None:
                said["progress"] = True
            self._current = number
            try:
                self._say({"id": number, "method": method, "params": said})
                while line := self._heard():
                    message = _parsed(line)
                    if message.get("method") == "$/progress":
                        if progress is not None and message["params"]["id"] == number:
                            progress(message["params"]["part"], message["params"]["what"])
                    elif message.get("id") == number:
                        if "error" in message:
                            error = message["error"]
                            raise HighwaterError(error["message"], error["code"])
                        return message.get("result")
            finally:
                self._current = None
        raise HighwaterError("the program ended", self._server.wait())

    def cancel(self) -> None:
        """Stops the call at work, if there is one."""
        number = self._current
        if number is not None:
            self._say({"method": "$/cancel", "params": {"id": number}})

    def _asked(self, options: Mapping[str, Any]) -> Json:
        said = {name.replace("_", "-"): value for name, value in options.items()
                if value is not None}
        return {"options": said} if said else {}

    def open(self, path: Union[str, "os.PathLike[str]"], **options: Option) -> Json:
        """Opens a model instead of the one before; what `info` says of it."""
        with _told():
            file = os.fsdecode(path)
        result: Json = self.call("open", {"model": file, **self._asked(options)})
        return result

    def plan(self, progress: Optional[Callable[[float, str], None]] = None,
             **options: Option) -> Plan:
        return Plan(self.call("plan", self._asked(options), progress))

    def simulate(self, progress: Optional[Callable[[float, str], None]] = None,
                 **options: Option) -> Simulation:
        return Simulation(self.call("simulate", self._asked(options), progress))

    def compare(self, allocators: Iterable[str] = (),
                progress: Optional[Callable[[float, str], None]] = None,
                **options: Option) -> Comparison:
        names = ",".join([allocators] if isinstance(allocators, str) else allocators)
        chosen = {"allocators": names} if names else {}
        return Comparison(self.call("compare", {**self._asked(options), **chosen}, progress))

    def shrink(self, budget: Optional[str] = None, allow: Optional[str] = None,
               progress: Optional[Callable[[float, str], None]] = None,
               **options: Option) -> Shrink:
        asked = self._asked(options)
        for key, value in (("budget", budget), ("allow", allow)):
            if value is not None:
                asked[key] = str(value)
        return Shrink(self.call("shrink", asked, progress))

    def explain(self, tensor: Optional[str] = None, step: Optional[int] = None) -> Json:
        """Why a tensor lies there, or what fills memory at a step; of the last plan."""
        asked = {"tensor": tensor, "step": step}
        result: Json = self.call("explain", {key: value for key, value in asked.items()
                                             if value is not None})
        return result

    def rows(self, table: str = "events", page: int = 1000) -> Iterator[Json]:
        """Rows of the last simulation: "events" or "activities"."""
        first = 0
        while True:
            answer = self.call("rows", {"table": table, "first": first, "count": page})
            yield from answer["rows"]
            first += page
            if first >= answer["total"]:
                return

    def close(self) -> None:
        """Ends the program."""
        if self._server.poll() is None:
            with contextlib.suppress(OSError, HighwaterError):
                self.call("shutdown")
        for stream in (self._server.stdin, self._server.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._server.wait()


def _places(rows: List[Tuple[int, int, int, int]], alignment: int) -> Dict[int, int]:
    """Offsets of rows (number, first step, last step, size) by their numbers."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["id", "lower", "upper", "size", "alignment"])
    for number, first, last, size in rows:
        table.writerow([number, first, last + 1, size, alignment])
    planned = _run(["plan", "-", "--format=csv"], None, text.getvalue())
    return {int(row["id"]): int(row["offset"]) for row in csv.DictReader(io.StringIO(planned))}


def memory_planning_algo(alignment: int, specs: Iterable[Any], graph_module: Any,
                         graph_signature: Any = None, extra_padding: int = 0) -> Any:
    """Plans for ExecuTorch: hand it to MemoryPlanningPass as its `memory_planning_algo`.

    Every memory (`mem_id`, 1 where a spec has none) is planned on its own. What a submodule finds
    taken already (`input_mem_buffer_sizes`) stays below. Views of another tensor's storage are
    refused, for their place is not ours to choose.
    """
    del graph_signature
    from executorch.exir.memory_planning import (  # pylint: disable=import-outside-toplevel
        MemoryAlgoResult, SpecAllocResult)
    pools: Dict[int, List[Any]] = {}
    for spec in specs:
        for attribute in ("storage_base", "inplace_base"):
            if getattr(spec, attribute, None) is not None:
                raise HighwaterError(f"a spec has a {attribute}: views are not planned here", 3)
        if None in spec.lifetime:
            raise HighwaterError(f"{spec} has no lifetime", 3)
        spec.realign(alignment)
        pools.setdefault(1 if spec.mem_id is None else spec.mem_id, []).append(spec)
    taken = list(getattr(graph_module, "input_mem_buffer_sizes", None) or [])
    sizes = [0] * max([2, len(taken)] + [pool + 1 for pool in pools])
    sizes[:len(taken)] = taken
    chosen: Dict[Any, Any] = {}
    for pool, members in sorted(pools.items()):
        # A set has no order: equal programs give equal plans only if we choose one.
        members.sort(key=lambda spec: (spec.lifetime[0], spec.lifetime[1], spec.allocated_memory))
        start = -(-sizes[pool] // alignment) * alignment
        rows = [(number, spec.lifetime[0], spec.lifetime[1], spec.allocated_memory)
                for number, spec in enumerate(members) if spec.allocated_memory > 0]
        places = _places(rows, alignment) if rows else {}
        end = sizes[pool]
        for number, spec in enumerate(members):
            offset = start + places.get(number, 0)
            end = max(end, offset + spec.allocated_memory)
            # One object a memory: those who share bytes have to be of one.
            chosen[spec] = SpecAllocResult(pool, 0, offset)
        sizes[pool] = end + extra_padding
    return MemoryAlgoResult(chosen, sizes)
