/** Reads what a modern server wants before it goes on, and writes what it is given. */
import { isJsonObject, isPeerError } from "@plugboard/contracts";
import type { Json, JsonObject, Root } from "@plugboard/contracts";
import { quote } from "../../wire/quote.ts";
import { NO_ANSWER } from "../ask.ts";
import type { Ask, AskAnswer } from "../ask.ts";
import { readAsk, writeAnswer } from "../read-ask.ts";
import type { Lending } from "../session.ts";

/** What is asked of the user, and what was answered without them. */
export interface Wanted {
  readonly asks: { readonly [key: string]: Ask };
  readonly known: { readonly [key: string]: Json };
}

type Answers = { readonly [key: string]: AskAnswer };

export interface Able {
  readonly sampling: Lending;
  readonly roots?: (() => readonly Root[]) | undefined;
}

/** How much one question may ask at once. */
const MAX_ASKS = 32;

export function readWanted(inputRequests: Json, { sampling, roots }: Able): Wanted | { readonly invalid: string } {
  if (!isJsonObject(inputRequests)) return { invalid: '"inputRequests" is not an object' };
  const requests = Object.entries(inputRequests);
  if (requests.length > MAX_ASKS) return { invalid: `more than ${MAX_ASKS} input requests at once` };
  // Keys are the server's; one of them may be "__proto__".
  const asks = Object.create(null) as { [key: string]: Ask };
  const known = Object.create(null) as { [key: string]: Json };
  for (const [key, request] of requests) {
    if (!isJsonObject(request) || typeof request["method"] !== "string") {
      return { invalid: `input request ${quote(key)} has no method` };
    }
    if (request["method"] === "roots/list" && roots) {
      known[key] = { roots: roots().map((root) => ({ ...root })) };
      continue;
    }
    const ask = readAsk(request["method"], isJsonObject(request["params"]) ? request["params"] : {}, sampling);
    if (isPeerError(ask)) return { invalid: `input request ${quote(key)}: ${ask.message}` };
    asks[key] = ask;
  }
  return { asks, known };
}

/** What the server is given; nothing if it was refused what it can't go on without. What nobody answers is no answer. */
export function writeResponses({ asks, known }: Wanted, answers: Answers): JsonObject | undefined {
  const responses: { [key: string]: Json } = { ...known };
  for (const [key, ask] of Object.entries(asks)) {
    const written = writeAnswer(ask, answers[key] ?? NO_ANSWER);
    if ("error" in written) return undefined;
    responses[key] = written.result;
  }
  return responses;
}

/** The same where nobody remembers what was asked. */
export function writeAnswers(answers: Answers): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).map(([key, answer]) => [key, answer.action === "sampled" ? answer.result : { ...answer }]),
  );
}
