#!/usr/bin/env python3
"""Installs a build into an empty folder and checks what is there.

usage: install_test.py CMAKE BUILD [gui]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EXPECTED = ["bin/highwater", "bin/minimalloc", "share/highwater/python/highwater.py",
            "share/highwater/samples/chain.graph.json",
            "share/man/man1/highwater.1", "share/bash-completion/completions/highwater",
            "share/zsh/site-functions/_highwater", "share/fish/vendor_completions.d/highwater.fish"]
EXPECTED_GUI = ["bin/highwater-studio", "share/man/man1/highwater-studio.1",
                "share/applications/highwater-studio.desktop",
                "share/metainfo/highwater-studio.metainfo.xml",
                "share/mime/packages/highwater.xml",
                "share/icons/hicolor/scalable/apps/highwater-studio.svg"]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        words = " ".join(map(str, command))
        sys.exit(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def complete(script, line):
    """What bash offers for `line`."""
    words = line.split(" ")
    asking = ('source "$1"; COMP_LINE=$2; COMP_POINT=${#2}; shift 2; COMP_WORDS=("$@"); '
              'COMP_CWORD=$(($#-1)); _highwater; printf "%s\\n" "${COMPREPLY[@]}"')
    text = run("bash", "-c", asking, "bash", script, line, *words)
    return text.split()


def check_completion(prefix):
    script = prefix / "share/bash-completion/completions/highwater"
    for line, offered in [("highwater pl", "plan"), ("highwater plan --ali", "--alias"),
                          ("highwater plan --alias ", "views"),
                          ("highwater plan -a free", "free-list"),
                          ("highwater plan samples:cha", "chain"),
                          ("highwater list sam", "samples"),
                          ("highwater plan --format j", "json"),
                          ("highwater plan sam", "samples:")]:
        found = complete(script, line)
        if offered not in found:
            sys.exit(f"completion of '{line}' offers {found}, not {offered}")


def check_manual(prefix, name):
    """Every long option that --help tells is in the manual page, which groff takes as it is."""
    page = prefix / f"share/man/man1/{name}.1"
    program = prefix / f"bin/{name}"
    helps = run(program, "--help", env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    for command in re.findall(r"^  ([a-z]+) {4,}", helps.split("Subcommands:")[-1], re.M):
        helps += run(program, command, "--help") if name == "highwater" else ""
    text = page.read_text(encoding="utf-8").replace("\\-", "-")
    for option in set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", helps, re.M)):
        if f"\\fB{option}\\fR" not in text:
            sys.exit(f"{page.name} does not have {option}")
    if shutil.which("groff"):
        complaints = run("groff", "-man", "-Tutf8", "-ww", "-z", page)
        if complaints:
            sys.exit(f"groff: {complaints}")


def check_python(prefix):
    """The module finds the program that it was installed with, and both are of one version."""
    asking = ("import highwater; print(highwater.program_version() == highwater.__version__,"
              " highwater.open('samples:chain').plan().fits)")
    folder = prefix / "share/highwater/python"
    hidden = {name: text for name, text in os.environ.items() if name != "HIGHWATER"}
    said = run(sys.executable, "-B", "-c", asking, env={**hidden, "PYTHONPATH": str(folder)})
    if said.split() != ["True", "True"]:
        sys.exit(f"the Python module says {said}")


def check_minimalloc(prefix):
    problem = prefix / "problem.csv"
    problem.write_text("id,lower,upper,size\na,0,1,4\nb,1,2,4\n", encoding="utf-8")
    run(prefix / "bin/minimalloc", "--capacity=4", f"--input={problem}",
        f"--output={prefix / 'plan.csv'}")
    plan = (prefix / "plan.csv").read_text(encoding="utf-8")
    if not plan.startswith("id,lower,upper,size,offset"):
        sys.exit("minimalloc wrote no plan")


def check_desktop(prefix):
    if shutil.which("desktop-file-validate"):
        run("desktop-file-validate", prefix / "share/applications/highwater-studio.desktop")
    if shutil.which("appstreamcli"):
        run("appstreamcli", "validate", "--no-net",
            prefix / "share/metainfo/highwater-studio.metainfo.xml")
    if shutil.which("xmllint"):
        run("xmllint", "--noout", prefix / "share/mime/packages/highwater.xml")


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    cmake, build = sys.argv[1:3]
    gui = sys.argv[3:] == ["gui"]
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "a prefix"
        run(cmake, "--install", build, "--prefix", prefix)
        for name in EXPECTED + (EXPECTED_GUI if gui else []):
            if not (prefix / name).is_file():
                sys.exit(f"{name} was not installed")
        run(prefix / "bin/highwater", "info", "samples:chain")
        check_completion(prefix)
        check_manual(prefix, "highwater")
        check_python(prefix)
        check_minimalloc(prefix)
        if gui:
            check_manual(prefix, "highwater-studio")
            check_desktop(prefix)


if __name__ == "__main__":
    main()
