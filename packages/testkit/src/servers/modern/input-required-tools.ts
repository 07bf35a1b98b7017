/**
 * Tools of the modern fixture that first return `input_required`. For a legacy client of the dual server, the official
 * package turns these results into `elicitation/create` requests.
 */
import { inputRequired, inputResponse, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { errorResult, textResult, fixtureTool } from "./fixture-tool.ts";

export const inputRequiredTools = {
  ask_name: fixtureTool("Asks for a name and a drink, then greets", {}, askName),
  ask_twice: fixtureTool("Asks in two rounds and keeps the first answer in requestState", {}, askTwice),
  ask_forever: fixtureTool("Asks again whatever the answer", {}, (_args, { mcpReq }) => {
    const round = Number(mcpReq.requestState<string>() ?? "0") + 1;
    return inputRequired({ inputRequests: { again: askFor("again") }, requestState: String(round) });
  }),
  ask_two_at_once: fixtureTool("Asks two questions in one round", {}, (_args, { mcpReq }) => {
    const answers = ["left", "right"].map((key) => ({ key, answer: inputResponse(mcpReq.inputResponses, key) }));
    if (answers.some(({ answer }) => answer.kind === "missing")) {
      return inputRequired({ inputRequests: { left: askFor("left"), right: askFor("right") } });
    }
    return textResult(answers.map(({ key }) => `${key}: ${valueOf(mcpReq, key)}`).join(", "));
  }),
  ask_url: fixtureTool("Asks to visit a page", { url: z.string() }, ({ url }, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "visit");
    if (answer.kind === "elicit") return textResult(answer.action);
    const visit = inputRequired.elicitUrl({ message: "Please visit", url });
    return inputRequired({ inputRequests: { visit } });
  }),
  ask_model: fixtureTool("Asks the client's model", { prompt: z.string() }, ({ prompt }, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "sampled");
    if (answer.kind === "sampling") return textResult(JSON.stringify(answer.result));
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: prompt } }];
    const sampled = inputRequired.createMessage({ messages, maxTokens: 10 });
    return inputRequired({ inputRequests: { sampled } });
  }),
  ask_roots: fixtureTool("Asks for the client's roots", {}, (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "roots");
    if (answer.kind === "roots") return textResult(answer.roots.map(({ uri }) => uri).join(" "));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  }),
};

const nameSchema = z.object({ name: z.string(), likes: z.enum(["tea", "coffee"]).optional() });

function askName(_args: unknown, { mcpReq }: ServerContext) {
  const answer = inputResponse(mcpReq.inputResponses, "who");
  if (answer.kind !== "elicit") {
    const who = inputRequired.elicit({ message: "Who are you?", requestedSchema: nameSchema });
    return inputRequired({ inputRequests: { who } });
  }
  if (answer.action === "decline") return textResult("declined");
  if (answer.action === "cancel") return textResult("cancelled");
  const parsed = nameSchema.safeParse(answer.content);
  if (!parsed.success) return errorResult(`invalid answer: ${JSON.stringify(answer.content)}`);
  return textResult(`hello ${parsed.data.name}, ${parsed.data.likes ?? "nothing"}`);
}

/** Answers of earlier rounds are not sent again, so the first one must be in `requestState`. */
function askTwice(_args: unknown, { mcpReq }: ServerContext) {
  const state = mcpReq.requestState<string>();
  if (state === undefined)
    return inputRequired({ inputRequests: { first: askFor("first") }, requestState: encodeState() });
  const first = decodeState(state);
  if (first === undefined) return errorResult(`requestState damaged: ${JSON.stringify(state)}`);
  if (state === encodeState()) {
    const requestState = encodeState(valueOf(mcpReq, "first"));
    return inputRequired({ inputRequests: { second: askFor("second") }, requestState });
  }
  return textResult(`${first} ${valueOf(mcpReq, "second")} (requestState intact)`);
}

/** Contains spaces at the ends, quotes, escapes and non-ASCII characters, which a careless client would change. */
function encodeState(first = ""): string {
  return `  "é\\u00e9\\/🔌\t${encodeURIComponent(first)}\n `;
}

function decodeState(state: string): string | undefined {
  const [, encoded] = /\t(.*)\n/.exec(state) ?? [];
  const first = encoded === undefined ? undefined : decodeURIComponent(encoded);
  return first !== undefined && encodeState(first) === state ? first : undefined;
}

function askFor(key: string) {
  return inputRequired.elicit({ message: `Please give ${key}`, requestedSchema: z.object({ [key]: z.string() }) });
}

/** Returns the accepted value of a question, or the action that was taken instead. */
function valueOf(mcpReq: ServerContext["mcpReq"], key: string): string {
  const answer = inputResponse(mcpReq.inputResponses, key);
  if (answer.kind !== "elicit") return answer.kind;
  return answer.action === "accept" ? String(answer.content?.[key]) : answer.action;
}
