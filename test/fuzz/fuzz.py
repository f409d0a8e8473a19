"""Fuzzes the service by its own OpenAPI document, after every function code has answered 200 to a good request.

    npm run build && "$BLOCKLAB_PYTHON" test/fuzz/fuzz.py [SECONDS]

Good requests are in requests.json: the blocks that the others build on, then one request per function code. hooks.py
puts them behind what schemathesis generates, so that it gets past the ids and into the blocks.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parent.parent
key = "fuzz-" + os.urandom(16).hex()
checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method"


def ask(url: str, method: str, path: str, body: object = None) -> tuple[int, dict]:
    data = None if body is None else json.dumps(body).encode()
    headers = {"X-SVC-KEY": key, "Content-Type": "application/json"}
    request = urllib.request.Request(url + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def reach_all(url: str) -> dict:
    """Runs every function code once; answers what the hooks need to do so again."""
    project = ask(url, "POST", "/api/v1/project", {"project_name": "fuzz"})[1]["message"]
    good = json.loads((here / "requests.json").read_text())
    codes = [entry["function_code"] for entry in ask(url, "GET", "/api/v1/engine/functionsdb")[1]["message"]]
    faults = [f"requests.json has no request for {code}." for code in codes if code not in good["codes"]]
    states = {}
    first = 100
    steps = [(int(block), *step) for block, step in good["blocks"].items()]
    steps += [(first + k, code, parent, args) for k, (code, (parent, args)) in enumerate(good["codes"].items())]
    for block, code, parent, args in steps:
        # What builds on a code's own block, such as a prediction on its model, names that code as its parent.
        before = first + list(good["codes"]).index(parent) if isinstance(parent, str) else parent
        request = {"project_id": project["id"], "block_id": block, "parent_id": before, "function_code": code, "args": args}
        status, answer = ask(url, "POST", "/api/v1/engine/start", request)
        if status == 200:
            states[code] = {"parent": before, "args": args, "record": answer["message"]}
        else:
            faults.append(f"{code} answered {status}: {answer['message']}")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(codes)} function codes answered 200.", flush=True)
    return {"project": project, "codes": {code: states[code] for code in codes}}


def main() -> int:
    seconds = sys.argv[1] if len(sys.argv) > 1 else "150"
    with tempfile.TemporaryDirectory(prefix="blocklab-fuzz-") as home:
        words = [str(root / "node_modules/node/bin/node"), str(root / "dist/cli.js"), "serve", "--port", "0", "--home", f"{home}/data"]
        words += ["--files", str(root / "samples"), "--block-timeout", "20"]
        service = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "BLOCKLAB_KEY": key})
        try:
            url = service.stdout.readline().split()[-1]
            context = Path(home) / "context.json"
            context.write_text(json.dumps(reach_all(url)))
            run = [str(Path(sys.executable).parent / "st"), "run", f"{url}/api/v1/openapi.json"]
            run += ["-H", f"X-SVC-KEY: {key}", "--checks", checks, "--max-time", seconds, "--seed", os.environ.get("FUZZ_SEED", "1")]
            run += ["--phases", "examples,coverage,fuzzing", "--continue-on-failure", "--request-timeout", "60"]
            run += ["--suppress-health-check", "all", "--generation-database", "none", "--warnings", "off"]
            env = {**os.environ, "PYTHONPATH": str(here), "SCHEMATHESIS_HOOKS": "hooks", "FUZZ_CONTEXT": str(context), "PYTHONDONTWRITEBYTECODE": "1"}
            status = subprocess.run(run, env=env, cwd=home).returncode
            if service.poll() is not None:
                sys.exit("The service ended while it was fuzzed.")
            return status
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(20)


if __name__ == "__main__":
    sys.exit(main())
