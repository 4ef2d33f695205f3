#!/usr/bin/env python3
"""Makes the fonts of the studio from Inter and JetBrains Mono (SIL Open Font License).

Digits get the same width, contextual alternates and ligatures go (b7x7 and 0x00 stay what they
are), and only Latin, Greek, punctuation and signs stay. The result has a name of its own, as the
licence asks of changed versions. Needs python3-fonttools, fonts-inter, fonts-jetbrains-mono; run
when one of these changes, and commit what it writes.

Usage: scripts/freeze_fonts.py
"""

import pathlib

from fontTools import subset, ttLib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "widgets" / "fonts"
SHARE = pathlib.Path("/usr/share/fonts")
INTER = SHARE / "opentype" / "inter"
SOURCES = {
    "HighwaterSans-Regular.otf": (INTER / "Inter-Regular.otf", "Highwater Sans", "Regular"),
    "HighwaterSans-Medium.otf": (INTER / "Inter-Medium.otf", "Highwater Sans", "Medium"),
    "HighwaterSans-SemiBold.otf": (INTER / "Inter-SemiBold.otf", "Highwater Sans", "SemiBold"),
    "HighwaterMono-Regular.ttf": (
        SHARE / "truetype" / "jetbrains-mono" / "JetBrainsMono-Regular.ttf",
        "Highwater Mono",
        "Regular",
    ),
}
RANGES = [
    (0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x2010, 0x2027), (0x2030, 0x203A),
    (0x2070, 0x209C), (0x20AC, 0x20AC), (0x2122, 0x2122), (0x2190, 0x2199), (0x21E7, 0x21E7),
    (0x2205, 0x2265), (0x22C5, 0x22C5), (0x22EF, 0x22EF), (0x25A0, 0x25FF), (0x2605, 0x2606),
    (0x2713, 0x2717),
]  # fmt: skip


def tabular(font):
    """Glyph by glyph, what the feature `tnum` puts in its place."""
    table = font["GSUB"].table
    swaps = {}
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag != "tnum":
            continue
        for index in record.Feature.LookupListIndex:
            for part in table.LookupList.Lookup[index].SubTable:
                swaps.update(getattr(getattr(part, "ExtSubTable", part), "mapping", {}))
    return swaps


def rename(font, family, weight):
    full = f"{family} {weight}"
    name = full.replace(" ", "-")
    texts = {1: full if weight != "Regular" else family, 2: "Regular", 3: name, 4: full, 6: name,
             16: family, 17: weight}  # fmt: skip
    for record in list(font["name"].names):
        if record.nameID in texts:
            record.string = texts[record.nameID]
    for number in (16, 17):
        font["name"].setName(texts[number], number, 3, 1, 0x409)
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames[0] = name
        top = cff.topDictIndex[0]
        top.FamilyName, top.FullName = family, full


def freeze(target, source, family, weight):
    font = ttLib.TTFont(source)
    swaps = tabular(font) if "GSUB" in font else {}
    for table in font["cmap"].tables:
        for code, glyph in list(table.cmap.items()):
            table.cmap[code] = swaps.get(glyph, glyph)
    options = subset.Options()
    options.layout_features = ["kern", "mark", "mkmk", "ccmp"]
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.hinting = False
    if weight == "SemiBold":  # It is the only bold there is, and nothing is to fake another.
        font["OS/2"].usWeightClass = 700
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)])
    cutter.subset(font)
    rename(font, family, weight)
    font.save(FOLDER / target)
    print(f"{target}: {(FOLDER / target).stat().st_size:,} bytes")


def main():
    for target, (source, family, weight) in SOURCES.items():
        freeze(target, source, family, weight)


if __name__ == "__main__":
    main()
