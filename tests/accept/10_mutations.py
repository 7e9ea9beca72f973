#!/usr/bin/env python3
"""Two hundred sound programs, each with one mistake made by a generator: is it reported where it was made?

A mistake is one token changed, added, doubled or taken away. A changed file that is still sound is no mistake and does
not count. Reported where it was made means: the primary label of the first error covers the changed token, or, for a
token that is missing, touches the gap or names the bracket that lost its partner. The generator has a fixed seed."""

import json
import pathlib
import random
import re
import shutil
import subprocess

from kit import ROOT, SHORT, TWPC, check, need, run_script, scratch

SEED = 20
WANTED = 40 if SHORT else 200
SHARE_WANTED = 0.95

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*)
      | (?P<text>re"[^"\n]*"i?|glob"[^"\n]*"|r\#".*?"\#|r"[^"]*"|"(?:[^"\\\n]|\\.)*")
      | (?P<address>\d+\.\d+\.\d+\.\d+(?:/\d+|:\d+)?|\[[0-9a-f:]+\]:\d+|:\d+)
      | (?P<unit>\d+(?:ms|s|m|h|d|KiB|MiB|GiB)\b|\d+/(?:sec|min|hour)|\d+(?:\.\d+)?%)
      | (?P<range>\d+\.\.\d+)
      | (?P<int>\d+\b)
      | (?P<path>/[^\s,()\]]*)
      | (?P<method>\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\b)
      | (?P<host>[\w*{}-]+(?:\.[\w*-]+)+(?=[\s,]))
      | (?P<word>[A-Za-z_]\w*)
      | (?P<symbol>\?\?|==|!=|<=|>=|=>|->|.)""",
    re.X | re.S,
)

# Literals of different types, by the kind of token that may not be replaced by them.
LITERALS = {
    "text": ['7s', '3KiB', 'true', '10.9.9.9', '10/sec'],
    "address": ['7s', 'true', '5%', 're"b"', 'GET'],
    "unit": ['"x"', 'true', '10.9.9.9', '/p', 'GET'],
    "int": ['"x"', 'true', '10.9.9.9', '7s', '3KiB'],
    "method": ['7s', '3KiB', '5', '10.9.9.9'],
}
# How other languages say it.
FOREIGN = {"and": "&&", "or": "||", "not": "!", "==": "=", ":": "=", "??": "?:"}
STRAY = [";", "#", "$", "?", "@", ")", "]", "=", "|"]
# Words after which a new name stands: a misspelt new name is a mistake where it is used, not where it was made.
DECLARES = {"as", "const", "rule", "upstream", "listener", "policy", "fn", "env", "let", "secret", "table", "enum", "routes", "stream", "forward", "use", "site", "test", "invariant", "mount"}
PAIRS = {"{": "}", "[": "]", "(": ")"}


def tokens(text):
    """(kind, start, end) of every token."""
    found = []
    for match in TOKEN.finditer(text):
        if match.lastgroup != "skip":
            found.append((match.lastgroup, match.start(), match.end()))
    return found


def partner(text, parts, index):
    """The bracket that belongs to a bracket."""
    step = 1 if text[parts[index][1]] in PAIRS else -1
    depth, at = 0, index
    while 0 <= at < len(parts):
        kind, start, _ = parts[at]
        if kind == "symbol" and text[start] in PAIRS:
            depth += 1
        elif kind == "symbol" and text[start] in PAIRS.values():
            depth -= 1
        if depth == 0:
            return parts[at]
        at += step
    return parts[index]


def misspell(word, chance):
    """Two neighbouring letters exchanged."""
    places = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
    if len(word) < 4 or not places:
        return None
    at = chance.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2:]


def mutate(text, chance):
    """(kind of mistake, changed text, places that a label may cover); None when the dice fell on nothing."""
    parts = tokens(text)
    index = chance.randrange(1, len(parts))
    kind, start, end = parts[index]
    token = text[start:end]
    before = text[parts[index - 1][1]:parts[index - 1][2]]
    way = chance.choice(["misspelt", "type", "foreign", "stray", "doubled", "missing", "unit"])

    def replaced(by):
        return way, text[:start] + by + text[end:], [(start, start + len(by))]

    if way == "misspelt" and kind == "word" and before not in DECLARES:
        wrong = misspell(token, chance)
        return wrong and replaced(wrong)
    if way == "type" and kind in LITERALS and before not in DECLARES and token not in ("200", "404"):
        return replaced(chance.choice(LITERALS[kind]))
    if way == "unit" and kind == "unit":
        return replaced(re.match(r"\d+", token).group())
    if way == "foreign" and token in FOREIGN:
        return replaced(FOREIGN[token])
    if way == "stray":
        return way, text[:end] + " " + chance.choice(STRAY) + text[end:], [(end, end + 2)]
    if way == "doubled" and kind in ("word", "int", "unit", "address", "text"):
        return way, text[:end] + " " + token + text[end:], [(start, end + 1 + len(token))]
    if way == "missing" and before not in DECLARES:
        after = parts[index + 1] if index + 1 < len(parts) else (None, end, end)
        gap = (parts[index - 1][1], after[2] - (end - start))
        places = [gap]
        if kind == "symbol" and (token in PAIRS or token in PAIRS.values()):
            _, other, other_end = partner(text, parts, index)
            shift = end - start if other > start else 0
            places.append((other - shift, other_end - shift))
        return way, text[:start] + text[end:], places
    return None


def errors(file):
    """The errors of a file: (code, start, end) in bytes, in the order of the report."""
    run = subprocess.run([TWPC, "check", "--message-format", "json", str(file)], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(f"twpc ended with {run.returncode}: {run.stderr}")
    found = [json.loads(line) for line in (run.stdout or run.stderr).splitlines() if line.strip()]
    return [
        (d["code"], d["start"], d["end"], d["message"])
        for d in found
        if d["level"] == "error" and pathlib.Path(d["file"]).name == file.name
    ], run.returncode


def covers(error, places):
    """Whether the place of an error and one of the places have something in common, or touch."""
    return any(error[1] <= end and start <= error[2] for start, end in places)


def main():
    need(TWPC)
    folder = scratch() / "programs"
    shutil.copytree(ROOT / "examples", folder)
    shutil.copytree(ROOT / "lang" / "tests" / "corpus", folder, dirs_exist_ok=True)
    sound = [file for file in sorted(folder.glob("*.twp")) if errors(file)[1] == 0]
    print(f"  {len(sound)} sound programs, seed {SEED}")
    chance = random.Random(SEED)
    counts, missed, n_errors, n_still_sound = {}, [], 0, 0
    while sum(all for all, _ in counts.values()) < WANTED:
        source = chance.choice(sound)
        text = source.read_text()
        if not text.isascii():
            text = text.encode("ascii", "replace").decode()
        mutation = mutate(text, chance)
        if not mutation:
            continue
        way, changed, places = mutation
        file = folder / "mutant.twp"
        file.write_text(changed)
        found, status = errors(file)
        file.unlink()
        if status == 0:
            n_still_sound += 1
            continue
        hit = bool(found) and covers(found[0], places)
        total, hits = counts.get(way, (0, 0))
        counts[way] = (total + 1, hits + hit)
        n_errors += len(found)
        if not hit:
            line = changed.count("\n", 0, places[0][0]) + 1
            missed.append(f"{source.name}:{line} {way} `{changed[places[0][0]:places[0][1]]}`: {[(e[0], e[3], changed.count(chr(10), 0, e[1]) + 1) for e in found[:3]]}")
    total = sum(all for all, _ in counts.values())
    hits = sum(hits for _, hits in counts.values())
    for way, (all, hit) in sorted(counts.items()):
        print(f"  {way:9} {hit} of {all}")
    print(f"  {n_still_sound} changes left a sound program and do not count; {n_errors / total:.2f} errors for each mistake")
    for miss in missed:
        print(f"  elsewhere: {miss}")
    check(f"reported where it was made, at least {SHARE_WANTED:.0%}", hits >= SHARE_WANTED * total, f"{hits} of {total}, {hits / total:.1%}")


run_script(main)
