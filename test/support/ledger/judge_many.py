"""Judges many bundles in one process: one JSON object a line; the answers (exit code, text, data) as one array."""
import base64, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../verify"))
import watchpost_verify as verifier

answers = []
for line in sys.stdin:
    case = json.loads(line)
    status, text, proven = verifier.judge(base64.b64decode(case["bytes"]), case["keys"], case.get("from"), case.get("to"), case.get("known"))
    answers.append({"status": status, "text": text, "data": verifier.as_data(proven) if proven else None})
json.dump(answers, sys.stdout)
