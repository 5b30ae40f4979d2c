#!/usr/bin/env python3
"""Checks what a Watchpost ledger proves of one camera. Needs Python 3.9 and `cryptography` (Debian: python3-cryptography).

    watchpost_verify.py BUNDLE --key KEY [--from T --to T] [--checkpoint FILE] [--witness KEY] [--json]

BUNDLE      answer of GET /v1/ledger/proof; KEY a verifier key (name+hash+base64) or a file with such keys, one a line
--from, --to  the time that must be proven; else what the bundle was asked for
--checkpoint  remembers the newest checkpoint seen: older ones are refused, and newer ones must continue it
--witness   key of a witness that must have cosigned it; may stand several times

Exit codes: 0 all of the time is accounted for and proven, 1 it is not, 2 it cannot be decided.
It shares no code with the service: RFC 6962 hashes, C2SP signed notes (Ed25519), HMAC-SHA256 commitments.
"""
import argparse, base64, binascii, hashlib, hmac, json, os, re, sys
from datetime import datetime, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class NotProven(Exception):
    """What is claimed does not follow from what was signed."""


class Unclear(Exception):
    """Nothing can be said: something is missing or cannot be read."""


def sha(data):
    return hashlib.sha256(data).digest()


def unbase64(text, what):
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise Unclear(f"{what} is not base64")


def member(of, name, kind, what):
    value = of.get(name) if isinstance(of, dict) else None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise Unclear(f"the service refused: {str(of['detail']).rstrip('.')}" if isinstance(of, dict) and "detail" in of else f"{what} has no readable `{name}`")
    return value


def instant(text, what):
    """Milliseconds since 1970: all times of the ledger are UTC."""
    try:
        at = datetime.fromisoformat(re.sub(r"Z$", "+00:00", text))
    except (ValueError, TypeError):
        raise Unclear(f"{what} is no time: {text!r}")
    if at.tzinfo is None:
        raise Unclear(f"{what} names no time zone: {text!r}")
    return round(at.timestamp() * 1000)


def spell(ms):
    return datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


# Signed notes (c2sp.org/signed-note) and checkpoints (c2sp.org/tlog-checkpoint).

def read_key(text):
    # The hash has eight hexadecimal digits, and base64 may hold a plus.
    parts = re.fullmatch(r"(.+?)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text.strip())
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
        for line in (line for line in signatures.splitlines() if line.startswith(f"\u2014 {name} ")):
            signature = unbase64(line.split(" ")[-1], "a signature")
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
    opened = read_checkpoint(*check_signed(note, keys, "the checkpoint is signed by another key than yours"))
    for witness in witnesses:
        check_signed(note, [witness], f"{witness[0]} has not cosigned the checkpoint")
    return opened


def read_checkpoint(text, name):
    lines = text.split("\n")
    if len(lines) < 4 or lines[0] != name or not re.fullmatch(r"0|[1-9]\d{0,15}", lines[1]) or not lines[3].startswith("time "):
        raise NotProven("the checkpoint is not one of this ledger")
    root = unbase64(lines[2], "the root")
    return int(lines[1]), root, instant(lines[3][5:], "the time of the checkpoint")


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
        if not re.fullmatch(r"\d{1,16}-\d{1,16}", name):
            raise Unclear(f"the bundle names a hash {name!r}")
        low, count = map(int, name.split("-"))
        nodes[(low, count)] = unbase64(text, "a hash")
        if len(nodes[(low, count)]) != 32:
            raise Unclear("a hash has not 32 bytes")
    return nodes


def read_entries(bundle):
    entries, leaves = [], {}
    for given in member(bundle, "entries", list, "the bundle"):
        index = member(given, "index", int, "an entry")
        body = member(given, "body", str, "an entry")
        key = unbase64(member(given, "key", str, "an entry"), "the key of an entry")
        commitment = hmac.new(key, body.encode(), hashlib.sha256).digest()
        if index in leaves:
            raise NotProven(f"leaf {index} is given twice")
        leaves[index] = sha(b"\x00" + commitment)
        try:
            entry = json.loads(body)
        except ValueError:
            raise NotProven(f"entry {index} cannot be read")
        entries.append((index, commitment, entry))
    return entries, leaves


# What the entries say.

def check_chain(entries, device, known):
    """The spans of time that the entries of one camera record, without a gap or an overlap, in the order in which they were recorded."""
    spans, trails, last = [], [], None
    for index, commitment, entry in entries:
        what = f"entry {index}"
        if member(entry, "deviceId", str, what) != device:
            raise NotProven(f"{what} is of another camera")
        number, previous = member(entry, "n", int, what), member(entry, "previous", str, what)
        start, end, at = (instant(entry.get(name), f"`{name}` of {what}") for name in ("from", "to", "recordedAt"))
        if not start < end <= at:
            raise NotProven(f"{what} records a time that had not passed")
        if last is not None:
            if index <= last["index"] or number != last["number"] + 1 or previous != last["commitment"]:
                raise NotProven(f"{what} does not follow the one before it: something was left out or moved")
            if start != last["end"] or at < last["at"]:
                raise NotProven(f"{what} leaves a gap after the one before it")
        if known and at != known["time"] and (at < known["time"]) != (index < known["size"]):
            raise NotProven(f"{what} was entered {'later' if at < known['time'] else 'earlier'} than it says")
        spans.append((start, end, member(entry, "intervals", list, what)))
        if "trail" in entry:
            trails.append((what, member(entry, "trail", dict, what)))
        last = {"index": index, "number": number, "end": end, "at": at, "commitment": base64.b64encode(commitment).decode()}
    for (_, before), (what, trail) in zip(trails, trails[1:]):
        if before.get("to") != trail.get("from"):
            raise NotProven(f"the trail of {what} does not go on where the one before it ended")
    return spans, [trail for _, trail in trails]


TRAIL = (("alerts", "{at} alert {code} {alertId}: {action}, {status}"), ("changes", "{at} {action} {kind} {id}"),
         ("deliveries", "{acceptedAt} delivery {deliveryId} ({channel}): {outcome}, {attempts} attempts"))


def account(spans, begin, until):
    """Milliseconds of each kind, and the times in which the camera was not seen."""
    kinds, dark = {"seen": 0, "uncertain": 0, "planned": 0}, []
    for start, end, intervals in spans:
        start, end = max(start, begin), min(end, until)
        if start >= end:
            continue
        other = 0
        for each in intervals:
            first, sure, near, last = (instant(at, "a bound") for at in (*each["begin"], *each["end"]))
            if not (first <= sure and near <= last):
                raise NotProven("the bounds of an interval are not in order")
            clip = lambda a, b: max(0, min(b, end) - max(a, start))
            whole, certain = clip(first, last), clip(sure, near) if each["state"] == "blind" else 0
            if whole == 0:
                continue
            kinds[each["cause"]] = kinds.get(each["cause"], 0) + certain
            kinds["uncertain"] += whole - certain
            kinds["planned"] += sum(clip(max(a, sure), min(b, near)) for a, b in ((instant(x, "a time"), instant(y, "a time")) for x, y in each["planned"])) if certain else 0
            other += whole
            dark.append((max(first, begin), min(last, until), each["state"], each["cause"]))
        kinds["seen"] += end - start - other
    return kinds, dark


def verify(bundle, keys, begin=None, until=None, known=None, witnesses=()):
    """What is proven. `known`: size, root and time of a checkpoint seen before. Raises NotProven or Unclear."""
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
    spans, trails = check_chain(entries, device, known)
    kinds, dark = account(spans, begin, until)
    first, last = (spans[0][0], spans[-1][1]) if spans else (until, until)
    gaps = [text for text, is_so in (
        (f"nothing is recorded before {spell(first)}", first > begin), (f"nothing is recorded after {spell(last)} yet", last < until)) if is_so]
    return {"deviceId": device, "from": begin, "to": until, "size": size, "root": root, "time": time, "kinds": kinds, "dark": dark, "gaps": gaps, "trail": [form.format(**each) for trail in trails for name, form in TRAIL for each in trail.get(name, [])]}


def remembered(path):
    if not path or not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    return {"size": kept["size"], "root": unbase64(kept["root"], "the remembered root"), "time": kept["time"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--key", required=True)
    for name in ("from", "to", "checkpoint"):
        parser.add_argument(f"--{name}", dest=f"{name}_")
    parser.add_argument("--witness", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    try:
        lines = open(given.key, encoding="utf-8").read().split() if os.path.exists(given.key) else [given.key]
        times = [instant(at, name) if at else None for at, name in ((given.from_, "--from"), (given.to_, "--to"))]
        with open(given.bundle, encoding="utf-8") as file:
            proven = verify(json.load(file), [read_key(line) for line in lines], *times, remembered(given.checkpoint_), [read_key(key) for key in given.witness])
    except NotProven as fault:
        print(f"NOT PROVEN: {fault}.")
        return 1
    except (Unclear, OSError, ValueError, KeyError, TypeError, RecursionError) as fault:
        print(f"CANNOT BE DECIDED: {fault}." + (" Is the download complete?" if isinstance(fault, json.JSONDecodeError) or "bundle" in str(fault) else ""))
        return 2
    if given.checkpoint_:
        with open(given.checkpoint_, "w", encoding="utf-8") as file:
            json.dump({"size": proven["size"], "root": base64.b64encode(proven["root"]).decode(), "time": proven["time"]}, file)
    report(proven, given.json)
    return 1 if proven["gaps"] else 0


def report(proven, as_json):
    if as_json:
        return print(json.dumps({name: value for name, value in proven.items() if name != "root"}))
    print(f"{'PARTLY PROVEN' if proven['gaps'] else 'PROVEN'}: {proven['deviceId']}, {spell(proven['from'])} to {spell(proven['to'])},")
    print(f"by a log of {proven['size']} {'leaf' if proven['size'] == 1 else 'leaves'}, signed {spell(proven['time'])}")
    for kind, ms in proven["kinds"].items():
        print(f"  {kind:16}{ms / 60000:12.1f} min")
    for begin, until, state, cause in proven["dark"]:
        print(f"  {state} ({cause}) within {spell(begin)} and {spell(until)}")
    for line in proven["trail"]:
        print(f"  {line}")
    for gap in proven["gaps"]:
        print(f"  not proven: {gap}")


if __name__ == "__main__":
    sys.exit(main())
