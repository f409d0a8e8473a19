import type { StateRecord } from "../core/record.ts";
import type { ListedState } from "../store/state.ts";
import type { Caller } from "./service.ts";

/** A stored state, and its output as JSON, as the record that this caller gets: artifacts become URLs. */
export function toRecord(state: ListedState, caller: Caller, output = state.output): StateRecord {
  const url = (variable: string) => (state.urls[variable] === undefined ? null : caller.url(state.urls[variable]));
  const split = ["x_train", "y_train", "x_test", "y_test"].flatMap((variable) => {
    const found = url(variable);
    return found === null ? [] : [[`${variable}_url`, found] as const];
  });
  return {
    id: state.id,
    project: state.project,
    block_id: state.blockId,
    parent_id: state.parentId,
    function_code: state.code,
    dataset_url: url("dataset"),
    x_value_url: url("x"),
    y_value_url: url("y"),
    ...Object.fromEntries(split),
    ...(output === null ? {} : { output: withUrls(output, caller) }),
    ...(state.outputBytes === undefined ? {} : { output_bytes: state.outputBytes }),
    ...(state.functionAction === null ? {} : { function_action: state.functionAction }),
    ...(state.notices.length > 0 ? { notices: state.notices } : {}),
    ...(state.stale ? { stale: true } : {}),
  };
}

/** Artifact references inside an output become URLs. Inside a text their quotes would be escaped, so none is taken for one. */
function withUrls(output: string, caller: Caller): string {
  if (!output.includes('"$artifact"')) return output;
  return output.replace(/\{"\$artifact":"([\w-]{22})"\}/g, (_, artifact) => JSON.stringify(caller.url(artifact)));
}
