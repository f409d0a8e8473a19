"""What schemathesis generates, with ids and arguments that exist behind a part of it."""

import itertools
import json
import os

import schemathesis

context = json.loads(open(os.environ["FUZZ_CONTEXT"]).read())
turns = itertools.count()
records = [entry["record"] for entry in context["codes"].values()]


@schemathesis.hook
def map_body(ctx, body):
    if not isinstance(body, dict) or ctx.operation.path not in ("/api/v1/engine/start", "/api/v1"):
        return body
    turn = next(turns)
    code = body.get("function_code")
    codes = list(context["codes"])
    if not isinstance(code, str) or code not in context["codes"]:
        code = codes[turn % len(codes)]
    good = context["codes"][code]
    own = body.get("args") if isinstance(body.get("args"), dict) else {}
    # Alone, generated arguments seldom get further than the first one that is missing.
    args = {**good["args"], **dict(list(own.items())[: 1 + turn % 3])} if turn % 4 else own
    block = 1000 + codes.index(code)
    ids = {"project_id": context["project"]["id"], "block_id": block, "parent_id": good["parent"]}
    return {**body, **ids, "function_code": code, "args": args}


@schemathesis.hook
def map_path_parameters(ctx, parameters):
    if not parameters or ctx.operation.method.upper() == "DELETE":
        return parameters
    turn = next(turns)
    record = records[turn % len(records)]
    if turn % 3 == 0:
        return parameters
    if "app_id" in parameters:
        return {**parameters, "app_id": context["project"]["app_id"]}
    if "artifacts" in ctx.operation.path:
        return {**parameters, "id": (record["dataset_url"] or records[0]["dataset_url"]).split("/")[-1]}
    if "statemanagement" in ctx.operation.path:
        return {**parameters, "id": str(record["id"])}
    return parameters
