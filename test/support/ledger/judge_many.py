"""Judges many bundles in one process: one JSON object a line, one verdict a line (`proven`, `partly`, `not`, `unclear`)."""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../verify"))
import watchpost_verify as verifier

for line in sys.stdin:
    case = json.loads(line)
    known = case.get("known")
    try:
        bundle = json.loads(case["text"])
        if known:
            known = {"size": known["size"], "root": verifier.unbase64(known["root"], "root"), "time": verifier.instant(known["at"], "at")}
        keys = [verifier.read_key(key) for key in case["keys"]]
        times = [verifier.instant(case[name], name) for name in ("from", "to")]
        proven = verifier.verify(bundle, keys, *times, known)
        print(json.dumps({"verdict": "partly" if proven["gaps"] else "proven", "kinds": proven["kinds"], "gaps": proven["gaps"]}))
    except verifier.NotProven as fault:
        print(json.dumps({"verdict": "not", "why": str(fault)}))
    except (verifier.Unclear, ValueError, KeyError, TypeError, RecursionError) as fault:
        print(json.dumps({"verdict": "unclear", "why": str(fault)}))
