#!/usr/bin/env python3
"""Writes a manual page and shell completions from what the programs say in --help.

usage: make_cli_docs.py HIGHWATER OUT [STUDIO]

OUT gets highwater.1, highwater.bash, _highwater (zsh) and highwater.fish, and with STUDIO also
highwater-studio.1. Equal programs give equal files.
"""
import json
import pathlib
import re
import subprocess
import sys

CHOICES = {"--theme": ["light", "dark", "system"]}  # The program lists the others itself.
FILE_TYPES = ("FILE", "NAME|FILE", "PLAN")
CATALOGUES = {"--allocator": "allocators", "--allocators": "allocators", "--compare": "allocators",
              "--platform": "platforms"}
LIST_SUBJECTS = ["allocators", "platforms", "options", "importers", "exporters", "ops",
                 "families", "samples"]


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


class Option:
    """One line of the options in --help."""

    def __init__(self, names, value, text):
        self.names = names
        self.value = value
        self.text = text

    @property
    def long(self):
        return next((name for name in self.names if name.startswith("--")), self.names[0])

    def choices(self):
        if self.long in CHOICES:
            return CHOICES[self.long]
        if self.long == "--format":
            return re.findall(r"\w+", self.text.split("(")[0])
        return []


class Help:
    """What one --help says, in parts."""

    def __init__(self, text):
        self.summary = ""
        self.usage = ""
        self.positionals = []
        self.options = []
        self.commands = []
        self.notes = []
        part = "summary"
        for line in text.splitlines():
            if line.startswith("Usage: "):
                self.usage = line[len("Usage: "):]
                part = "notes"
            elif line in ("Options:", "Positionals:", "Subcommands:"):
                part = line[:-1]
            elif part == "summary":
                self.summary = (self.summary + " " + line.strip()).strip()
            elif part == "notes" or not line.startswith("  "):
                part = "notes" if line.strip() or part == "notes" else part
                self.notes.append(line)
            else:
                self.add(part, line)

    def add(self, part, line):
        match = re.match(r"  (\S.*?)(?:  +(.*))?$", line)
        if not match:  # The text of the line above goes on.
            previous = self.options if part == "Options" else getattr(self, part.lower())
            self.lengthen(previous, line.strip())
            return
        head, text = match.group(1), match.group(2) or ""
        if head.startswith("-") and part == "Options":
            names, _, value = head.partition(" ")
            self.options.append(Option(names.split(","), value, text))
        elif part == "Subcommands":
            self.commands.append((head, text))
        elif part == "Positionals":
            self.positionals.append((head.split()[0], text))

    @staticmethod
    def lengthen(entries, text):
        last = entries[-1]
        if isinstance(last, Option):
            last.text = (last.text + " " + text).strip()
        else:
            entries[-1] = (last[0], (last[1] + " " + text).strip())


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return "\\&" + text if text.startswith((".", "'")) else text


def option_lines(options):
    for option in options:
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names)
        value = f" \\fI{roff(option.value)}\\fR" if option.value else ""
        yield ".TP"
        yield names + value
        yield roff(option.text)


def note_lines(notes):
    """Notes as they are: they are wrapped and indented already."""
    text = "\n".join(notes).strip("\n")
    if not text:
        return
    yield ".PP"
    yield ".nf"
    for line in text.splitlines():
        yield roff(line) if line else "\\&"
    yield ".fi"


def head(name, version, summary):
    yield f'.TH {name.upper()} 1 "" "{version}" "User Commands"'
    yield ".SH NAME"
    yield f"{roff(name)} \\- {roff(summary)}"


def tail(other):
    yield ".SH ENVIRONMENT"
    yield ".TP"
    yield "\\fBHIGHWATER_SAMPLES\\fR"
    yield "The folder that \\fIsamples:NAME\\fR is looked for in."
    yield ".TP"
    yield "\\fBNO_COLOR\\fR"
    yield "When set, text on a terminal has no emphasis."
    yield ".SH SEE ALSO"
    yield f".BR {roff(other)} (1)"


def manual(program, top, commands):
    version = run(program, "--version").strip()
    lines = list(head("highwater", version, "plans the memory of neural networks ahead of time"))
    lines += [".SH SYNOPSIS", ".B highwater", "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] ..."]
    lines += [".SH DESCRIPTION", roff(top.summary)]
    lines += note_lines(top.notes)
    lines += [".SH OPTIONS", *option_lines(top.options)]
    for name, page in commands.items():
        lines += [f'.SH "COMMAND: {name}"', roff(page.summary[:1].upper() + page.summary[1:] + ".")]
        lines += [".PP", f".B {roff(page.usage)}"]
        for positional, text in page.positionals:
            lines += [".TP", f"\\fI{roff(positional)}\\fR", roff(text)]
        lines += option_lines(page.options)
        lines += note_lines(page.notes)
    lines += tail("highwater-studio")
    return "\n".join(lines) + "\n"


def studio_manual(program):
    version = run(program, "--version").strip()
    page = Help(run(program, "--help"))
    lines = list(head("highwater-studio", version, "shows the memory of neural networks"))
    lines += [".SH SYNOPSIS", ".B highwater\\-studio", "[\\fIOPTIONS\\fR] [\\fIMODEL\\fR]"]
    lines += [".SH DESCRIPTION", roff(
        "Opens a window on a model, planned and simulated: a map of every address over every step, "
        "the curve of bytes in use, memory at any moment, and why everything lies where it lies. "
        "Without MODEL it opens what was open the last time. With --export it draws a picture "
        "without a display and exits. Help > Shortcuts (?) in the window lists all keys.")]
    lines += [".SH OPTIONS"]
    for positional, text in page.positionals:
        lines += [".TP", f"\\fI{roff(positional)}\\fR", roff(text)]
    lines += option_lines(page.options)
    lines += [".SH EXIT STATUS", roff(
        "0 done; 1 a picture was drawn of a plan that does not fit; 2 bad usage, or no display; "
        "3 bad input.")]
    lines += [".SH FILES", ".TP", "\\fI~/.config/highwater/highwater\\-studio.conf\\fR",
              "Settings, layout, keys and the last session."]
    lines += tail("highwater")
    return "\n".join(lines) + "\n"


def entries_of(program, subject):
    return json.loads(run(program, "list", subject, "--format", "json"))[subject]


def names_of(program, subject):
    return [entry["name"].removeprefix("samples:") for entry in entries_of(program, subject)]


def words(items):
    return " ".join(items)


def value_cases(options, catalogues):
    """(option names, shell words or None for files) of the options that take a value."""
    for option in options:
        if not option.value:
            continue
        if option.choices():
            yield option.names, option.choices()
        elif option.long in CATALOGUES:
            yield option.names, catalogues[CATALOGUES[option.long]]
        elif option.value in FILE_TYPES:
            yield option.names, None
        else:
            yield option.names, []


def bash(top, commands, catalogues):
    lines = ["# bash completion for highwater; written by make_cli_docs.py", "_highwater() {",
             "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}",
             "  local line=${COMP_LINE:0:COMP_POINT} options= values= files=1",
             "  COMPREPLY=()",
             "  if [[ $line =~ samples:([^[:space:]]*)$ ]]; then",
             "    # The shell parts words at colons: only what follows it is completed.",
             f"    COMPREPLY=($(compgen -W '{words(catalogues['samples'])}' -- "
             '"${BASH_REMATCH[1]}"))',
             "    return", "  fi",
             "  if ((COMP_CWORD == 1)); then",
             f"    COMPREPLY=($(compgen -W '{words([*commands, *(o.long for o in top.options)])}' "
             '-- "$cur"))',
             "    return", "  fi",
             "  case ${COMP_WORDS[1]} in"]
    for name, page in commands.items():
        lines.append(f"    {name})")
        lines.append(f"      options='{words(n for o in page.options for n in o.names)}'")
        lines.append('      case $prev in')
        for names, values in value_cases(page.options, catalogues):
            if values is None:
                lines.append(f"        {'|'.join(names)}) options= ;;")
            else:
                lines.append(f"        {'|'.join(names)}) values='{words(values)}' files=0 ;;")
        lines.append("      esac")
        if name == "list":
            lines.append(f"      [[ $files = 1 ]] && values='{words(LIST_SUBJECTS)}' files=0")
        lines.append("      ;;")
    lines += ["  esac",
              "  if [[ $cur = -* ]]; then",
              '    COMPREPLY=($(compgen -W "$options" -- "$cur"))',
              "  elif [[ $files = 0 ]]; then",
              '    COMPREPLY=($(compgen -W "$values" -- "$cur"))',
              "  else",
              "    compopt -o filenames 2>/dev/null",
              '    COMPREPLY=($(compgen -f -- "$cur"))',
              '    [[ samples: = "$cur"* && -n $cur ]] && COMPREPLY+=(samples:)',
              "  fi", "}", "complete -o nosort -F _highwater highwater"]
    return "\n".join(lines) + "\n"


def quoted(text):
    return text.replace("'", "’").replace("[", "(").replace("]", ")").replace(":", "\\:")


def zsh(top, commands, catalogues):
    lines = ["#compdef highwater", "# written by make_cli_docs.py", "_highwater() {",
             "  local -a commands models", "  commands=("]
    lines += [f"    '{name}:{quoted(page.summary)}'" for name, page in commands.items()]
    lines += ["  )", "  if ((CURRENT == 2)); then", "    _describe command commands",
              "    return", "  fi",
              "  models=(" + words(f"samples\\:{n}" for n in catalogues["samples"]) + ")",
              "  case $words[2] in"]
    for name, page in commands.items():
        lines.append(f"    {name})")
        lines.append("      _arguments \\")
        values_of = {tuple(n): v for n, v in value_cases(page.options, catalogues)}
        for option in page.options:
            action = ""
            if option.value:
                values = values_of[tuple(option.names)]
                value = quoted(option.value)
                action = f":{value}:_files" if values is None else f":{value}:({words(values)})"
            for each in option.names:
                lines.append(f"        '*{each}[{quoted(option.text)}]{action}' \\")
        if name == "list":
            lines.append(f"        '*:subject:({words(LIST_SUBJECTS)})'")
        else:
            lines.append("        '*:model:_alternative \"models:sample:compadd -a models\" "
                         "\"files:file:_files\"'")
        lines.append("      ;;")
    lines += ["  esac", "}", '_highwater "$@"']
    return "\n".join(lines) + "\n"


def fish(top, commands, catalogues):
    lines = ["# fish completion for highwater; written by make_cli_docs.py",
             f"set -l commands {words(commands)}"]
    none = "not __fish_seen_subcommand_from $commands"

    def text(value):
        return value.replace("\\", "\\\\").replace("'", "\\'")

    for name, page in commands.items():
        lines.append(f"complete -c highwater -f -n '{none}' -a {name} -d '{text(page.summary)}'")
    for name, page in commands.items():
        seen = f"__fish_seen_subcommand_from {name}"
        values_of = {tuple(n): v for n, v in value_cases(page.options, catalogues)}
        for option in page.options:
            flags = words(f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}"
                          for each in option.names)
            values = values_of.get(tuple(option.names))
            take = ""
            if option.value:
                take = " -r" if values is None else f" -x -a '{words(values)}'"
            about = text(option.text)
            lines.append(f"complete -c highwater -n '{seen}' {flags}{take} -d '{about}'")
        subjects = LIST_SUBJECTS if name == "list" else [f"samples:{n}"
                                                         for n in catalogues["samples"]]
        only = " -f" if name == "list" else ""
        lines.append(f"complete -c highwater{only} -n '{seen}' -a '{words(subjects)}'")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    top = Help(run(program, "--help"))
    commands = {name: Help(run(program, name, "--help")) for name, _ in top.commands}
    for option in entries_of(program, "options"):
        if offered := option["choices"] or option["examples"]:
            CHOICES["--" + option["name"]] = offered
    catalogues = {subject: names_of(program, subject)
                  for subject in ("allocators", "platforms", "samples")}
    files = {"highwater.1": manual(program, top, commands),
             "highwater.bash": bash(top, commands, catalogues),
             "_highwater": zsh(top, commands, catalogues),
             "highwater.fish": fish(top, commands, catalogues)}
    if len(sys.argv) == 4:
        files["highwater-studio.1"] = studio_manual(sys.argv[3])
    for name, content in files.items():
        (out / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
