#!/usr/bin/env python3
"""Checks what a Watchpost ledger proves of one camera. Needs Python 3.9 and `cryptography` (Debian: python3-cryptography).

    watchpost_verify.py BUNDLE --key KEY [--from T --to T] [--checkpoint FILE] [--witness KEY] [--json]

BUNDLE      answer of GET /v1/ledger/proof; KEY a verifier key (name+hash+base64) or a file with such keys, one a line
--from, --to  the time that must be proven; else what the bundle was asked for
--checkpoint  remembers the newest checkpoint seen: older ones are refused, and newer ones must continue it
--witness   key of a witness that must have cosigned it; may stand several times

Exit codes: 0 all of the time is accounted for and proven, 1 it is not, 2 it cannot be decided.
It shares no code with the service: RFC 6962 hashes, C2SP signed notes (Ed25519), HMAC-SHA256 commitments.
The rules, in the order in which they are applied here: docs/proof.md, "How a bundle is judged".
"""
import argparse, base64, hashlib, hmac, json, os, re, sys
from datetime import datetime, timedelta, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

LARGEST, DEEPEST = 2 ** 53 - 1, 64
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
STATES = ("blind", "uncertain")
CAUSES = ("lost", "silent", "platform", "unknown", "not-registered")


class NotProven(Exception):
    """What is claimed does not follow from what was signed."""


class Unclear(Exception):
    """Nothing can be said: something is missing or cannot be read."""


def sha(data):
    return hashlib.sha256(data).digest()


# Reading: only what every reader understands alike.

def read_json(text, fault):
    depth, is_text = 0, False
    for token in re.findall(r'\\.|["\[\]{}]', text, re.S):
        if token == '"':
            is_text = not is_text
        elif len(token) == 1 and not is_text:
            depth += 1 if token in "[{" else -1
        if depth > DEEPEST:
            raise fault
    try:
        return json.loads(text, parse_int=number, parse_float=number, parse_constant=no_number)
    except (ValueError, RecursionError):
        raise fault


def number(digits):
    value = float(digits)
    return int(value) if value.is_integer() and abs(value) <= LARGEST else value


def no_number(name):
    raise ValueError(f"{name} is no JSON")


def unbase64(text, what):
    try:
        data = base64.b64decode(text, validate=True)
        if base64.b64encode(data).decode() == text:
            return data
    except (ValueError, TypeError):
        pass
    raise Unclear(f"{what} is not base64")


def is_a(value, kind):
    if isinstance(value, bool) or not isinstance(value, kind):
        return False
    try:
        return not isinstance(value, str) or value.encode() is not None
    except UnicodeEncodeError:
        return False


def member(of, name, kind, what):
    value = of.get(name) if isinstance(of, dict) else None
    if not is_a(value, kind) or (kind is int and value < 0):
        raise Unclear(f"{what} has no readable `{name}`")
    return value


def instant(text, what):
    """Milliseconds since 1970."""
    parts = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,3}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))", text) if isinstance(text, str) else None
    try:
        *whole, part, sign, hours, minutes = parts.groups()
        if int(hours or 0) > 23 or int(minutes or 0) > 59:
            raise ValueError
        offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
        ms = (datetime(*map(int, whole), tzinfo=timezone.utc) - EPOCH - offset) // timedelta(milliseconds=1) + int((part or "0").ljust(3, "0"))
    except (AttributeError, ValueError):
        ms = -1
    if not 0 <= ms < 253402300800000:
        raise Unclear(f"{what} is no time like 2026-10-01T00:00:00.000Z")
    return ms


def spell(ms):
    return (EPOCH + timedelta(milliseconds=ms)).strftime("%Y-%m-%dT%H:%M:%SZ")


# Signed notes (c2sp.org/signed-note) and checkpoints (c2sp.org/tlog-checkpoint).

def read_key(text):
    # The hash has eight hexadecimal digits, and base64 may hold a plus.
    parts = re.fullmatch(r"([^\x00-\x20\x7f+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text)
    if not parts:
        raise Unclear("the key is not of the form name+hash+base64")
    name, short, material = parts[1], bytes.fromhex(parts[2]), unbase64(parts[3], "the key")
    if len(material) != 33 or material[0] not in (1, 4):
        raise Unclear("the key is no Ed25519 key")
    if sha(name.encode() + b"\n" + material)[:4] != short:
        raise Unclear("the key does not fit its hash: it was mistyped")
    return name, short, Ed25519PublicKey.from_public_bytes(material[1:]), material[0] == 4


def check_signed(note, keys, missing):
    """The text that one of the keys has signed, or cosigned as a witness (c2sp.org/tlog-cosignature), and the name of that key."""
    text, split, signatures = note.partition("\n\n")
    if not split:
        raise Unclear("the checkpoint has no signatures")
    for name, short, key, is_witness in keys:
        begin = f"\u2014 {name} "
        for line in (line for line in signatures.split("\n") if line.startswith(begin)):
            signature = unbase64(line[len(begin):], "a signature")
            if signature[:4] != short:
                continue
            time = f"cosignature/v1\ntime {int.from_bytes(signature[4:12], 'big')}\n" if is_witness else ""
            try:
                key.verify(signature[12 if is_witness else 4:], f"{time}{text}\n".encode())
                return text, name
            except InvalidSignature:
                raise NotProven("the checkpoint was changed after it was signed")
    raise NotProven(missing)


def open_checkpoint(note, keys, witnesses):
    """Size, root and time of a checkpoint that one of the keys and all of the witnesses have signed."""
    text, name = check_signed(note, keys, "the checkpoint is signed by another key than yours")
    for witness in witnesses:
        check_signed(note, [witness], f"{witness[0]} has not cosigned the checkpoint")
    lines = text.split("\n")
    if len(lines) < 4 or lines[0] != name or not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]) or int(lines[1]) > LARGEST or not lines[3].startswith("time "):
        raise NotProven("the checkpoint is not one of this ledger")
    return int(lines[1]), unbase64(lines[2], "the root"), instant(lines[3][5:], "the time of the checkpoint")


# Merkle trees (RFC 6962): every subtree is computed from the leaves, and from the hashes that the bundle gives of the others.

class Tree:
    def __init__(self, leaves, nodes):
        self.leaves, self.nodes = leaves, nodes

    def root(self, low, count):
        if count == 1 and low in self.leaves:
            return self.leaves[low]
        given = self.nodes.get((low, count))
        if given is not None and not any(low <= index < low + count for index in self.leaves):
            return given
        if count < 2:
            raise Unclear(f"the bundle lacks the hash of leaf {low}; ask for it with `since`, or it was cut off")
        left = 1 << (count - 1).bit_length() - 1
        return sha(b"\x01" + self.root(low, left) + self.root(low + left, count - left))


def read_nodes(bundle):
    nodes = {}
    for name, text in member(bundle, "nodes", dict, "the bundle").items():
        parts = re.fullmatch(r"(0|[1-9][0-9]{0,14})-([1-9][0-9]{0,14})", name)
        if not parts or not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=", text):
            raise Unclear("the bundle has an unreadable hash in `nodes`")
        nodes[(int(parts[1]), int(parts[2]))] = unbase64(text, "a hash")
    return nodes


def read_entries(bundle):
    entries, leaves = [], {}
    for given in member(bundle, "entries", list, "the bundle"):
        index = member(given, "index", int, "an entry")
        body = member(given, "body", str, "an entry")
        key = unbase64(member(given, "key", str, "an entry"), "the key of an entry")
        if len(key) != 32:
            raise Unclear("the key of an entry has not 32 bytes")
        commitment = hmac.new(key, body.encode(), hashlib.sha256).digest()
        if index in leaves:
            raise NotProven(f"leaf {index} is given twice")
        leaves[index] = sha(b"\x00" + commitment)
        entries.append((index, commitment, read_json(body, NotProven(f"entry {index} cannot be read"))))
    return entries, leaves


# What the entries say.

def check_chain(entries, device, signed_at, known):
    """The spans of time that the entries of one camera record, without a gap or an overlap, and the lines of their trails."""
    spans, lines, last, trail_to = [], [], None, None
    before, lost = [], []
    for index, commitment, entry in entries:
        what = f"entry {index}"
        if member(entry, "v", int, what) != 1:
            raise Unclear(f"{what} is of another version")
        if member(entry, "deviceId", str, what) != device:
            raise NotProven(f"{what} is of another camera")
        count, previous = member(entry, "n", int, what), member(entry, "previous", str, what)
        start, end, at = (instant(entry.get(name), f"`{name}` of {what}") for name in ("from", "to", "recordedAt"))
        if not start < end <= at:
            raise NotProven(f"{what} records a time that had not passed")
        if at > signed_at:
            raise NotProven(f"{what} is later than the checkpoint")
        restored = read_restored(entry, what)
        if restored:
            # The database came back to an earlier state: the chain goes on from an entry of then, and what came after it is recorded anew.
            lost.append(restored)
            while previous in [each["commitment"] for each, _, _ in before[:-1]]:
                del before[-1], spans[-1]
                last, trail_to, kept = before[-1]
                del lines[kept:]
        if last is not None:
            if index <= last["index"] or count != last["count"] + 1 or previous != last["commitment"]:
                raise NotProven(f"{what} does not follow the one before it: something was left out or moved")
            if start != last["end"] or at < last["at"]:
                raise NotProven(f"{what} leaves a gap after the one before it")
        if known and at != known["time"] and (at < known["time"]) != (index < known["size"]):
            raise NotProven(f"{what} was entered {'later' if at < known['time'] else 'earlier'} than it says")
        intervals = read_intervals(member(entry, "intervals", list, what), what, signed_at)
        for gone, back in lost:
            if max(gone, start) < min(back, end) and not any(cause == "platform" and state == "blind" and sure <= max(gone, start) and near >= min(back, end) for state, cause, _, sure, near, _, _ in intervals):
                raise NotProven(f"{what} claims to know of a time that a restore has lost")
        spans.append((start, end, intervals))
        if "trail" in entry:
            trail = member(entry, "trail", dict, what)
            begins, ends = (instant(trail.get(name), f"`{name}` of the trail of {what}") for name in ("from", "to"))
            if not begins <= ends <= at:
                raise NotProven(f"the trail of {what} records a time that had not passed")
            if trail_to is not None and begins != trail_to:
                raise NotProven(f"the trail of {what} does not go on where the one before it ended")
            trail_to = ends
            lines.extend(read_trail(trail, what, signed_at))
        last = {"index": index, "count": count, "end": end, "at": at, "commitment": base64.b64encode(commitment).decode()}
        before.append((last, trail_to, len(lines)))
    return spans, lines


def read_restored(entry, what):
    """The time that was lost before this entry, because the database was restored."""
    if "restored" not in entry:
        return None
    restored = member(entry, "restored", dict, what)
    as_of, at = (instant(restored.get(name), f"`{name}` of `restored` of {what}") for name in ("asOf", "at"))
    if not as_of < at:
        raise NotProven(f"{what} was restored before it was lost")
    return as_of, at


def pair(value, what):
    if not isinstance(value, list) or len(value) != 2:
        raise Unclear(f"{what} has no two bounds")
    return instant(value[0], f"a bound of {what}"), instant(value[1], f"a bound of {what}")


def read_intervals(intervals, entry, signed_at):
    read, before = [], None
    for position, each in enumerate(intervals):
        what = f"interval {position} of {entry}"
        state, cause = member(each, "state", str, what), member(each, "cause", str, what)
        if state not in STATES or cause not in CAUSES:
            raise NotProven(f"{what} is {state} by {cause}, which is not known")
        (first, sure), (near, last) = pair(each.get("begin"), what), pair(each.get("end"), what)
        if not (first <= sure and near <= last and first < last):
            raise NotProven(f"the bounds of {what} are not in order")
        if sure > signed_at or last > signed_at:
            raise NotProven(f"{what} is later than the checkpoint")
        if before is not None and first < before:
            raise NotProven(f"{what} begins before the one before it ended")
        planned, reached = [], first
        for part in member(each, "planned", list, what):
            begin, end = pair(part, f"a planned part of {what}")
            if not reached <= begin <= end <= last:
                raise NotProven(f"the planned parts of {what} are not in order")
            planned.append((begin, end))
            reached = end
        read.append((state, cause, first, sure, near, last, planned))
        before = last
    return read


TRAIL = (("alerts", "at code alertId action status", ("at",), "{at} alert {code} {alertId}: {action}, {status}"),
         ("changes", "at action kind id", ("at",), "{at} {action} {kind} {id}"),
         ("deliveries", "acceptedAt deliveryId channel outcome attempts finishedAt", ("acceptedAt", "finishedAt"), "{acceptedAt} delivery {deliveryId} ({channel}): {outcome}, {attempts} attempts"))


def read_trail(trail, entry, signed_at):
    lines = []
    for name, members, times, form in TRAIL:
        for position, each in enumerate(member(trail, name, list, entry) if name in trail else []):
            what = f"`{name}` {position} of {entry}"
            if not isinstance(each, dict) or not all(each.get(key) is None or is_a(each[key], (str, int)) for key in members.split()):
                raise Unclear(f"{what} cannot be read")
            if any(instant(each.get(key), f"`{key}` of {what}") > signed_at for key in times if key == times[0] or each.get(key) is not None):
                raise NotProven(f"{what} is later than the checkpoint")
            lines.append(form.format(**{key: "-" if each.get(key) is None else each[key] for key in members.split()}))
    return lines


def account(spans, begin, until):
    """Milliseconds of each kind, and the times in which the camera was not seen."""
    kinds, dark = {"seen": 0, "uncertain": 0, "planned": 0}, []
    sums = {}
    for start, end, intervals in spans:
        start, end = max(start, begin), min(end, until)
        if start >= end:
            continue
        clip = lambda a, b: max(0, min(b, end) - max(a, start))
        kinds["seen"] += end - start
        for state, cause, first, sure, near, last, planned in intervals:
            whole = clip(first, last)
            if whole == 0:
                continue
            certain = clip(sure, near) if state == "blind" else 0
            sums[cause] = sums.get(cause, 0) + certain
            kinds["seen"] -= whole
            kinds["uncertain"] += whole - certain
            kinds["planned"] += sum(clip(max(a, sure), min(b, near)) for a, b in planned) if certain else 0
            dark.append((max(first, begin), min(last, until), state, cause))
    return {**kinds, **{cause: sums[cause] for cause in CAUSES if cause in sums}}, dark


def verify(data, keys, begin=None, until=None, known=None, witnesses=()):
    """What is proven. `known`: size, root and time of a checkpoint seen before. Raises NotProven or Unclear."""
    unreadable = Unclear("the bundle is no JSON")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise unreadable
    bundle = read_json(text, unreadable)
    if isinstance(bundle, dict) and "version" not in bundle and is_a(bundle.get("detail"), str):
        raise Unclear(f"the service refused: {bundle['detail']}")
    if member(bundle, "version", int, "the bundle") != 1:
        raise Unclear("the bundle is of another version")
    device = member(bundle, "deviceId", str, "the bundle")
    size, root, time = open_checkpoint(member(bundle, "checkpoint", str, "the bundle"), keys, witnesses)
    entries, leaves = read_entries(bundle)
    tree = Tree(leaves, read_nodes(bundle))
    if any(index >= size for index in leaves):
        raise NotProven("an entry is not in the log of this checkpoint")
    if size == 0 or tree.root(0, size) != root:
        raise NotProven("the entries are not those that the checkpoint commits to")
    if known:
        if size < known["size"] or time < known["time"]:
            raise NotProven("the checkpoint is older than one that you have seen")
        if tree.root(0, known["size"]) != known["root"]:
            raise NotProven("the log was changed since the checkpoint that you have seen: it has forked")
    begin = instant(bundle.get("from"), "`from`") if begin is None else begin
    until = instant(bundle.get("to"), "`to`") if until is None else until
    if not begin < until:
        raise Unclear("the time to prove ends before it begins")
    spans, trail = check_chain(entries, device, time, known)
    kinds, dark = account(spans, begin, until)
    first, last = (spans[0][0], spans[-1][1]) if spans else (until, until)
    gaps = [text for text, is_so in (
        (f"nothing is recorded before {spell(first)}", first > begin), (f"nothing is recorded after {spell(last)} yet", last < until)) if is_so]
    return {"deviceId": device, "from": begin, "to": until, "size": size, "root": root, "time": time, "kinds": kinds, "dark": dark, "gaps": gaps, "trail": trail}


def remembered(text):
    fault = Unclear("the remembered checkpoint cannot be read")
    kept = read_json(text, fault)
    try:
        known = {"size": member(kept, "size", int, ""), "root": unbase64(member(kept, "root", str, ""), ""), "time": member(kept, "time", int, "")}
    except Unclear:
        raise fault
    if known["size"] == 0:
        raise fault
    return known


def judge(data, keys, begin=None, until=None, known=None, witnesses=(), as_json=False):
    """Exit code, what is printed, and what is proven. Keys and times as they were typed; `known`: the text of the remembered checkpoint."""
    try:
        times = [instant(at, name) if at is not None else None for at, name in ((begin, "--from"), (until, "--to"))]
        proven = verify(data, [read_key(key) for key in keys], *times, None if known is None else remembered(known), [read_key(key) for key in witnesses])
    except NotProven as fault:
        return 1, printable([f"NOT PROVEN: {fault}."]), None
    except Unclear as fault:
        return 2, printable([f"CANNOT BE DECIDED: {str(fault).rstrip('.')}." + (" Is the download complete?" if str(fault).startswith("the bundle") else "")]), None
    return 1 if proven["gaps"] else 0, as_data(proven) if as_json else printable(report(proven)), proven


def report(proven):
    yield f"{'PARTLY PROVEN' if proven['gaps'] else 'PROVEN'}: {proven['deviceId']}, {spell(proven['from'])} to {spell(proven['to'])},"
    yield f"by a log of {proven['size']} {'leaf' if proven['size'] == 1 else 'leaves'}, signed {spell(proven['time'])}"
    for kind, ms in proven["kinds"].items():
        tenths = (ms + 3000) // 6000
        yield f"  {kind:16}{f'{tenths // 10}.{tenths % 10}':>12} min"
    for begin, until, state, cause in proven["dark"]:
        yield f"  {state} ({cause}) within {spell(begin)} and {spell(until)}"
    for line in proven["trail"]:
        yield f"  {line}"
    for gap in proven["gaps"]:
        yield f"  not proven: {gap}"


def printable(lines):
    """Lines in which nothing acts on a terminal or looks like another line or letter."""
    return "".join(re.sub(r"[^ -~]", escaped, line.replace("\\", "\\\\")) + "\n" for line in lines)


def escaped(sign):
    units = sign[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join("\\u" + units[at:at + 4] for at in range(0, len(units), 4))


def as_data(proven):
    return json.dumps({name: value for name, value in proven.items() if name != "root"}, separators=(",", ":")).replace("\x7f", "\\u007f") + "\n"


def read_file(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        print(printable([f"CANNOT BE DECIDED: {path} cannot be read."]), end="")
        sys.exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("bundle")
    parser.add_argument("--key", required=True)
    for name in ("from", "to", "checkpoint"):
        parser.add_argument(f"--{name}", dest=f"{name}_")
    parser.add_argument("--witness", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    keys = re.findall(r"[^ \t\r\n]+", read_file(given.key).decode("utf-8", "replace") if os.path.exists(given.key) else given.key)
    known = read_file(given.checkpoint_).decode("utf-8", "replace") if given.checkpoint_ and os.path.exists(given.checkpoint_) else None
    status, text, proven = judge(read_file(given.bundle), keys, given.from_, given.to_, known, given.witness, given.json)
    if proven and given.checkpoint_:
        with open(given.checkpoint_, "w", encoding="utf-8") as file:
            json.dump({"size": proven["size"], "root": base64.b64encode(proven["root"]).decode(), "time": proven["time"]}, file)
    print(text, end="")
    return status


if __name__ == "__main__":
    sys.exit(main())
