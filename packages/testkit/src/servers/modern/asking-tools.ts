/**
 * Tools of the modern fixture that end in `input_required` first. With a legacy client of the dual server the
 * official package turns the same results into `elicitation/create` requests.
 */
import { inputRequired, inputResponse, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { failure, text, tool } from "./tool.ts";

export const askingTools = {
  ask_name: tool("Asks for a name and a drink, then greets", {}, askName),
  ask_twice: tool("Asks in two rounds and keeps the first answer in requestState", {}, askTwice),
  ask_forever: tool("Asks again whatever the answer", {}, (_args, { mcpReq }) => {
    const round = Number(mcpReq.requestState<string>() ?? "0") + 1;
    return inputRequired({ inputRequests: { again: askFor("again") }, requestState: String(round) });
  }),
  ask_two_at_once: tool("Asks two questions in one round", {}, (_args, { mcpReq }) => {
    const answers = ["left", "right"].map((key) => ({ key, answer: inputResponse(mcpReq.inputResponses, key) }));
    if (answers.some(({ answer }) => answer.kind === "missing")) {
      return inputRequired({ inputRequests: { left: askFor("left"), right: askFor("right") } });
    }
    return text(answers.map(({ key }) => `${key}: ${valueOf(mcpReq, key)}`).join(", "));
  }),
  ask_url: tool("Asks to visit a page", { url: z.string() }, ({ url }, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "visit");
    if (answer.kind === "elicit") return text(answer.action);
    const visit = inputRequired.elicitUrl({ message: "Please visit", url });
    return inputRequired({ inputRequests: { visit } });
  }),
  ask_model: tool("Asks the client's model", { prompt: z.string() }, ({ prompt }, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "sampled");
    if (answer.kind === "sampling") return text(JSON.stringify(answer.result));
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: prompt } }];
    const sampled = inputRequired.createMessage({ messages, maxTokens: 10 });
    return inputRequired({ inputRequests: { sampled } });
  }),
  ask_roots: tool("Asks for the client's roots", {}, (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "roots");
    if (answer.kind === "roots") return text(answer.roots.map(({ uri }) => uri).join(" "));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  }),
};

const whoSchema = z.object({ name: z.string(), likes: z.enum(["tea", "coffee"]).optional() });

function askName(_args: unknown, { mcpReq }: ServerContext) {
  const answer = inputResponse(mcpReq.inputResponses, "who");
  if (answer.kind !== "elicit") {
    const who = inputRequired.elicit({ message: "Who are you?", requestedSchema: whoSchema });
    return inputRequired({ inputRequests: { who } });
  }
  if (answer.action === "decline") return text("declined");
  if (answer.action === "cancel") return text("cancelled");
  const given = whoSchema.safeParse(answer.content);
  if (!given.success) return failure(`not what was asked for: ${JSON.stringify(answer.content)}`);
  return text(`hello ${given.data.name}, ${given.data.likes ?? "nothing"}`);
}

/** The answers of earlier rounds are not sent again: only requestState can bring the first one back. */
function askTwice(_args: unknown, { mcpReq }: ServerContext) {
  const state = mcpReq.requestState<string>();
  if (state === undefined) return inputRequired({ inputRequests: { first: askFor("first") }, requestState: seal() });
  const first = unseal(state);
  if (first === undefined) return failure(`requestState damaged: ${JSON.stringify(state)}`);
  if (state === seal()) {
    const requestState = seal(valueOf(mcpReq, "first"));
    return inputRequired({ inputRequests: { second: askFor("second") }, requestState });
  }
  return text(`${first} ${valueOf(mcpReq, "second")} (requestState intact)`);
}

/** Spaces at the ends, quotes, escapes and characters beyond ASCII: what a careless echo would change. */
function seal(first = ""): string {
  return `  "é\\u00e9\\/🔌\t${encodeURIComponent(first)}\n `;
}

function unseal(state: string): string | undefined {
  const [, encoded] = /\t(.*)\n/.exec(state) ?? [];
  const first = encoded === undefined ? undefined : decodeURIComponent(encoded);
  return first !== undefined && seal(first) === state ? first : undefined;
}

function askFor(key: string) {
  return inputRequired.elicit({ message: `Please give ${key}`, requestedSchema: z.object({ [key]: z.string() }) });
}

/** The value accepted for a question of `askFor`, or what was done instead of answering it. */
function valueOf(mcpReq: ServerContext["mcpReq"], key: string): string {
  const answer = inputResponse(mcpReq.inputResponses, key);
  if (answer.kind !== "elicit") return answer.kind;
  return answer.action === "accept" ? String(answer.content?.[key]) : answer.action;
}
