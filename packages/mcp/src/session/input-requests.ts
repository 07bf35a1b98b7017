/** Parses the `inputRequests` of a result or a task, and builds the `inputResponses` to them. */
import { isJsonObject, isPeerError } from "@plugboard/contracts";
import type { Json, JsonObject, Root } from "@plugboard/contracts";
import { describeValue } from "../lib/describe-value.ts";
import { NO_ANSWER } from "./ask.ts";
import type { Ask, AskAnswers } from "./ask.ts";
import { parseAsk, toAskResponse } from "./parse-ask.ts";
import type { SamplingSupport } from "./identity.ts";

export interface InputRequests {
  /** The questions for the user. */
  readonly asks: { readonly [key: string]: Ask };
  /** The responses that the host gives without the user. */
  readonly resolved: { readonly [key: string]: Json };
}

export interface InputSources {
  readonly sampling: SamplingSupport;
  readonly roots?: (() => readonly Root[]) | undefined;
  /** True if the caller has roots of its own. They replace those of the host. */
  readonly callerHasRoots: boolean;
}

const MAX_INPUT_REQUESTS = 32;

export function parseInputRequests(
  inputRequests: Json,
  { sampling, roots, callerHasRoots }: InputSources,
): InputRequests | { readonly invalid: string } {
  if (!isJsonObject(inputRequests)) return { invalid: '"inputRequests" is not an object' };
  const requests = Object.entries(inputRequests);
  if (requests.length > MAX_INPUT_REQUESTS)
    return { invalid: `more than ${MAX_INPUT_REQUESTS} input requests at once` };
  // The server chooses the keys, and one of them may be "__proto__".
  const asks = Object.create(null) as { [key: string]: Ask };
  const resolved = Object.create(null) as { [key: string]: Json };
  for (const [key, request] of requests) {
    if (!isJsonObject(request) || typeof request["method"] !== "string") {
      return { invalid: `input request ${describeValue(key)} has no method` };
    }
    if (request["method"] === "roots/list" && roots && !callerHasRoots) {
      resolved[key] = { roots: roots().map((root) => ({ ...root })) };
      continue;
    }
    const ask = parseAsk(request["method"], isJsonObject(request["params"]) ? request["params"] : {}, {
      sampling,
      roots: callerHasRoots,
    });
    if (isPeerError(ask)) return { invalid: `input request ${describeValue(key)}: ${ask.message}` };
    asks[key] = ask;
  }
  return { asks, resolved };
}

/** Returns undefined if a sampling request was rejected, because the server cannot continue then. */
export function toInputResponses({ asks, resolved }: InputRequests, answers: AskAnswers): JsonObject | undefined {
  const responses: { [key: string]: Json } = { ...resolved };
  for (const [key, ask] of Object.entries(asks)) {
    const response = toAskResponse(ask, answers[key] ?? NO_ANSWER);
    if ("error" in response) return undefined;
    responses[key] = response.result;
  }
  return responses;
}

/** Builds the responses for a resumed call whose questions are no longer known to the host. */
export function answersToInputResponses(answers: AskAnswers): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => [key, "result" in answer ? answer.result : { ...answer }]),
  );
}
