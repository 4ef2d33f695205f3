#!/usr/bin/env python3
"""Checks sizes of files and functions, house rules and links; run as a test.

check_files.py [ROOT]         exit 1 and one line a finding
check_files.py --self-test    plants each kind of violation and sees that it is found
"""
import collections
import pathlib
import re
import sys
import tempfile

FOLDERS = ["core", "widgets", "app", "tests", "scripts", "sample_graphs", "cmake", "docs", ".ci"]
CODE = (".h", ".cpp", ".py", ".sh", ".cmake", ".txt")
MOST_LINES = 800
MOST_COLUMNS = 100
MOST_SOURCES = 36  # In one folder: more of them need folders of their own.
MOST_BYTES = 1 << 20  # Larger files belong outside the repository.
MOST_FUNCTION_LINES = 40  # From the opening brace to the closing one.
# Longer functions that are there already, by part: these numbers only fall.
MOST_LONG_FUNCTIONS = {"core": 39, "tests": 68}

TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)]*)?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)
# A path in a document; `your_…` stands for a file of the reader.
PATH = re.compile(r"`((?:core|widgets|app|tests|scripts|docs)/(?!\S*(?:your|my)_)[\w./-]+)`")
SPACE = re.compile(r"namespace ([\w:]+) \{")
TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)(?: final)?\s*(?::[^:;]*)?\{")
# Text that hides braces: raw strings, comments, strings, characters, preprocessor lines.
HIDDEN = re.compile(
    r'R"([^ ()\\]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'
    r"(?<!\w)'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
SCOPE = re.compile(r"(?:template\s*<[^{}]*>\s*)?(?:namespace|extern|struct|class|union|enum)\b")
# A member that is initialised with braces in front of the body of a constructor.
MEMBER = re.compile(r"\)[^()]*:[^:].*[\w>](?<!const)(?<!noexcept)(?<!override)(?<!final)$", re.S)
# Absolute paths of the machine that a file was written on.
MACHINE = re.compile(r"(?<![\w.])/(work|root|home)/")


def sources(root):
    """Every file of ours below `root`, in order; build trees and caches apart."""
    for name in FOLDERS:
        for file in sorted((root / name).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file
    for file in sorted(root.iterdir()):
        if file.is_file() and file.name not in ("LICENSE", ".git"):
            yield file


def check_code(path, lines):
    """Rules for program text."""
    if len(lines) > MOST_LINES:
        yield f"{path}: {len(lines)} lines, at most {MOST_LINES}: is there a second idea in it?"
    if path.endswith(".h") and "#pragma once" not in lines:
        yield f"{path}: has no #pragma once"
    for number, line in enumerate(lines, 1):
        # Output of the program may be wider.
        if len(line) > MOST_COLUMNS and not path.startswith("tests/golden/"):
            yield f"{path}:{number}: {len(line)} columns, at most {MOST_COLUMNS}"
        if "\t" in line:
            yield f"{path}:{number}: a tab"
        if not path.startswith("scripts/check_files") and TODO.search(line):
            yield f"{path}:{number}: a TODO without an issue number, as in TODO(#12)"


def check_text(path, text):
    """Rules for every text file."""
    if text and not text.endswith("\n"):
        yield f"{path}: does not end with a newline"
    for number, line in enumerate(text.splitlines(), 1):
        if line.rstrip() != line:
            yield f"{path}:{number}: trailing space"
        if not path.startswith("scripts/check_files") and MACHINE.search(line):
            yield f"{path}:{number}: an absolute path of one machine"


def anchors(page):
    """The names under which the headings of a page are linked."""
    headings = HEADING.findall(page.read_text(encoding="utf-8", errors="replace"))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root, file, text):
    """Relative links and paths of a document lead to files; decisions keep the paths of old."""
    for target in PATH.findall(text) if "adr" not in file.parts else []:
        if not (root / target).exists():
            yield f"{file.relative_to(root).as_posix()}: {target} does not exist"
    for target, anchor in LINK.findall(text):
        page = file.parent / target if target else file
        if "://" in target:
            continue
        if not page.exists():
            yield f"{file.relative_to(root).as_posix()}: link to {target}, which does not exist"
        elif anchor and page.suffix == ".md" and anchor[1:] not in anchors(page):
            yield f"{file.relative_to(root).as_posix()}: link to {target}{anchor}: no such heading"


def functions(text):
    """The first and last line of each function body in C++ text; lambdas belong to theirs."""
    text = HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    open_braces, begin, body = [], 0, None
    for match in re.finditer(r"[{};]", text):
        head = text[begin:match.start()].strip()
        if match[0] == "{":
            kind = "values"
            if body is None and SCOPE.match(head):
                kind = "scope"
            elif body is None and "(" in head and not MEMBER.search(head):
                kind, body = "function", match.start()
            open_braces.append(kind)
        elif match[0] == "}":
            kind = open_braces.pop() if open_braces else "scope"
            if kind == "function":
                yield text.count("\n", 0, body) + 1, text.count("\n", 0, match.start()) + 1
                body = None
        else:
            kind = open_braces[-1] if open_braces else "scope"
        if kind != "values":
            begin = match.end()


def check_functions(root, most):
    """Functions that are too long, where a part has more of them than it may."""
    long = collections.defaultdict(list)
    for file in sources(root):
        if file.suffix in (".h", ".cpp"):
            path = file.relative_to(root).as_posix()
            for first, last in functions(file.read_text(encoding="utf-8", errors="replace")):
                if last - first >= MOST_FUNCTION_LINES:
                    long[path.split("/")[0]].append(f"{path}:{first}: {last - first + 1}")
    for part, places in sorted(long.items()):
        if len(places) > most.get(part, 0):
            yield (f"{part}: {len(places)} functions have more than {MOST_FUNCTION_LINES} lines,"
                   f" at most {most.get(part, 0)} may")
            yield from (f"{place} lines in one function" for place in places)


def check_folders(root):
    """Folders with too many sources."""
    counts = collections.Counter(
        file.parent.relative_to(root).as_posix() for file in sources(root)
        if file.suffix in (".h", ".cpp") and file.relative_to(root).parts[0] != "tests")
    for folder, count in sorted(counts.items()):
        if count > MOST_SOURCES:
            yield f"{folder}: {count} sources, at most {MOST_SOURCES}: name its rooms"


def check_types(root):
    """Types of one name in one namespace: a program with two is wrong, and no linker says so."""
    places = {}
    for file in sources(root):
        if file.suffix != ".h":
            continue
        space, path = "", file.relative_to(root).as_posix()
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if match := SPACE.match(line):
                space = match.group(1)
            elif match := TYPE.match(line):
                first = places.setdefault((space, match.group(1)), path)
                if first != path:
                    yield f"{path}: {space}::{match.group(1)} is another type in {first}"


def findings(root, most_long=None):
    """One line per broken rule under `root`, and the number of files looked at."""
    found = [*check_folders(root), *check_types(root), *check_functions(root, most_long or {})]
    files = 0
    for file in sources(root):
        files += 1
        path = file.relative_to(root).as_posix()
        data = file.read_bytes()
        if len(data) > MOST_BYTES:
            found.append(f"{path}: {len(data)} bytes, at most {MOST_BYTES}")
        if b"\0" in data or file.suffix in (".png", ".onnx", ".json", ".svg"):
            continue
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            if file.suffix in CODE + (".md",):
                found.append(f"{path}: is not UTF-8")
            continue
        found += check_text(path, text)
        if file.suffix in CODE or "." not in file.name:
            found += check_code(path, text.splitlines())
        if file.suffix == ".md":
            found += check_links(root, file, text)
    return found, files


# (file, content, a word of the finding or None when all is well)
SELF_TEST = [
    ("core/base/a.h", "#pragma once\n", None),
    ("core/base/a.h", "int a;\n", "pragma"),
    ("core/base/a.cpp", "int a;\n" * MOST_LINES, None),
    ("core/base/a.cpp", "int a;\n" * (MOST_LINES + 1), "lines"),
    ("core/base/a.cpp", "/" * MOST_COLUMNS + "\n", None),
    ("core/base/a.cpp", "/" * (MOST_COLUMNS + 1) + "\n", "columns"),
    ("tests/golden/cli/a.txt", "/" * (MOST_COLUMNS + 1) + "\n", None),
    ("core/base/a.cpp", "\tint a;\n", "tab"),
    ("core/base/a.cpp", "int a; \n", "trailing"),
    ("core/base/a.cpp", "int a;", "newline"),
    ("core/base/a.cpp", "// TODO later\n", "issue number"),
    ("core/base/a.cpp", "// TODO(#12) later\n", None),
    ("tests/core/a.cpp", 'open("/home/someone/x");\n', "machine"),
    ("docs/a.md", "see [b](b.md)\n", "does not exist"),
    ("docs/a.md", "# In X: `Y`\n\n[a](a.md#in-x-y) [x](#in-x-y) [b](https://b.org/c#d)\n", None),
    ("docs/a.md", "# X\n\n[a](#y)\n", "no such heading"),
    ("docs/a.bin", "a" * (MOST_BYTES + 1), "bytes"),
    ("README.md", "see [b](docs/b.md)\n", "does not exist"),
    ("README.md", "see `core/base/b.h`\n", "does not exist"),
    ("README.md", "see `core/base/your_b.h` and `docs`\n", None),
    ("core/base/a.cpp", "int f() {\n" + "  f();\n" * 38 + "}\n", None),
    ("core/base/a.cpp", "int f() {\n" + "  f();\n" * 39 + "}\n", "function"),
    ("core/base/a.cpp", "A::A(int b)\n    : b_{b},\n      c_(b) {\n" + "  f();\n" * 39 + "}\n",
     "function"),
    ("core/base/a.cpp", "struct A {\n  int f() const {\n" + "    f();\n" * 39 + "  }\n};\n",
     "function"),
    ("core/base/a.cpp", "auto f() {\n  g([] {\n" + "    g();\n" * 37 + "  });\n}\n", "function"),
    ("core/base/a.cpp", "char f() {\n  return '{';  // {\n" + "  f(\"}\");\n" * 37 + "}\n", None),
    ("core/base/a.cpp", "struct A {\n" + "  int f() { return 1; }\n" * 50 + "};\n", None),
    ("core/base/a.cpp", "const int kAll[] = {\n" + "    f(1),\n" * 50 + "};\n", None),
    ("core/base/a.h", "#pragma once\n#define F(x) {\n" + "int f(int a = {});\n" * 50, None),
]


def self_test():
    failures = []
    for path, content, word in SELF_TEST:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
            found, _ = findings(pathlib.Path(folder))
        as_wanted = any(word in line for line in found) if word else not found
        if not as_wanted:
            failures.append(f"{path}: wanted {word!r}, got {found}")
    for count in (MOST_SOURCES, MOST_SOURCES + 1):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "core/a").mkdir(parents=True)
            for number in range(count):
                (pathlib.Path(folder) / f"core/a/{number}.cpp").write_text("")
            found, _ = findings(pathlib.Path(folder))
        if bool(found) != (count > MOST_SOURCES):
            failures.append(f"{count} sources in a folder: {found}")
    for space in ("hw", "hw::other"):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "core/a").mkdir(parents=True)
            for name, within in (("a.h", "hw"), ("b.h", space)):
                (pathlib.Path(folder) / "core/a" / name).write_text(
                    f"#pragma once\nnamespace {within} {{\nstruct A {{\n}};\n}}\n")
            found, _ = findings(pathlib.Path(folder))
        if bool(found) != (space == "hw"):
            failures.append(f"hw::A and {space}::A: {found}")
    return failures, len(SELF_TEST) + 4


def main(arguments):
    if arguments == ["--self-test"]:
        found, count = self_test()
        kind = "planted files"
    else:
        default = pathlib.Path(__file__).resolve().parent.parent
        root = pathlib.Path(arguments[0]) if arguments else default
        found, count = findings(root, MOST_LONG_FUNCTIONS)
        kind = "files"
        if count == 0:
            found.append("found no files: wrong folder?")
    print("\n".join(found + [f"files: {count} {kind}, {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
