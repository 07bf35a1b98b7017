/** Reads what a modern server wants before it goes on, and writes what it is given. */
import { isJsonObject, isPeerError } from "@plugboard/contracts";
import type { Json, JsonObject, Root } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { NO_ANSWER } from "../../session/ask.ts";
import type { Ask, AskAnswer } from "../../session/ask.ts";
import { parseAsk, toAskResponse } from "../../session/parse-ask.ts";
import type { SamplingSupport } from "../../session/session.ts";

/** What is asked of the user, and what was answered without them. */
export interface InputRequests {
  readonly asks: { readonly [key: string]: Ask };
  readonly resolved: { readonly [key: string]: Json };
}

type Answers = { readonly [key: string]: AskAnswer };

export interface InputSources {
  readonly sampling: SamplingSupport;
  readonly roots?: (() => readonly Root[]) | undefined;
}

/** How much one question may ask at once. */
const MAX_INPUT_REQUESTS = 32;

export function parseInputRequests(
  inputRequests: Json,
  { sampling, roots }: InputSources,
): InputRequests | { readonly invalid: string } {
  if (!isJsonObject(inputRequests)) return { invalid: '"inputRequests" is not an object' };
  const requests = Object.entries(inputRequests);
  if (requests.length > MAX_INPUT_REQUESTS)
    return { invalid: `more than ${MAX_INPUT_REQUESTS} input requests at once` };
  // Keys are the server's; one of them may be "__proto__".
  const asks = Object.create(null) as { [key: string]: Ask };
  const resolved = Object.create(null) as { [key: string]: Json };
  for (const [key, request] of requests) {
    if (!isJsonObject(request) || typeof request["method"] !== "string") {
      return { invalid: `input request ${describeValue(key)} has no method` };
    }
    if (request["method"] === "roots/list" && roots) {
      resolved[key] = { roots: roots().map((root) => ({ ...root })) };
      continue;
    }
    const ask = parseAsk(request["method"], isJsonObject(request["params"]) ? request["params"] : {}, sampling);
    if (isPeerError(ask)) return { invalid: `input request ${describeValue(key)}: ${ask.message}` };
    asks[key] = ask;
  }
  return { asks, resolved };
}

/** What the server is given; nothing if it was refused what it can't go on without. What nobody answers is no answer. */
export function toInputResponses({ asks, resolved }: InputRequests, answers: Answers): JsonObject | undefined {
  const responses: { [key: string]: Json } = { ...resolved };
  for (const [key, ask] of Object.entries(asks)) {
    const written = toAskResponse(ask, answers[key] ?? NO_ANSWER);
    if ("error" in written) return undefined;
    responses[key] = written.result;
  }
  return responses;
}

/** The same where nobody remembers what was asked. */
export function answersToInputResponses(answers: Answers): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => [key, answer.action === "sampled" ? answer.result : { ...answer }]),
  );
}
