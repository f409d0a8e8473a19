import type { Method } from "./channel.ts";
import * as messages from "./messages.ts";
import type { Message } from "./protobuf.ts";

/** The methods of Spark Connect's service that this client calls. */
export const analyzePlan = method("AnalyzePlan", messages.AnalyzePlanRequest, messages.AnalyzePlanResponse);
export const executePlan = method("ExecutePlan", messages.ExecutePlanRequest, messages.ExecutePlanResponse);
export const reattachExecute = method("ReattachExecute", messages.ReattachExecuteRequest, messages.ExecutePlanResponse);
export const releaseExecute = method("ReleaseExecute", messages.ReleaseExecuteRequest, messages.ReleaseExecuteResponse);
export const interrupt = method("Interrupt", messages.InterruptRequest, messages.InterruptResponse);
export const config = method("Config", messages.ConfigRequest, messages.ConfigResponse);
export const releaseSession = method("ReleaseSession", messages.ReleaseSessionRequest, messages.ReleaseSessionResponse);

function method<Q, A>(name: string, request: Message<Q>, response: Message<A>): Method<Q, A> {
  return { name, request, response };
}
