/** Prompts of the modern fixture, and completion of their arguments and of note names. */
import {
  type GetPromptResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { additions } from "./additions.ts";

const LANGUAGES = ["TypeScript", "Tcl", "Rust"];
const TONES: { readonly [language: string]: readonly string[] } = { Rust: ["strict", "safe"], Tcl: ["mellow"] };

export function offerPrompts(server: Server): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: [
      {
        name: "review",
        description: "Asks for a review",
        arguments: [{ name: "language", required: true }, { name: "tone" }],
      },
      { name: "ask_who", description: "Asks for a name first" },
      ...[...additions.prompts].map((name) => ({ name })),
    ],
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }, ctx) => {
    if (name === "ask_who") return elicitName(ctx);
    if (additions.prompts.has(name)) return promptResult(`I am ${name}`);
    if (name !== "review") throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt ${name}`);
    const { language, tone = "kind" } = args;
    if (language === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "language is missing");
    return promptResult(`Review this ${language}, and be ${tone}.`);
  });
  server.setRequestHandler("completion/complete", ({ params: { ref, argument, context } }) => {
    const candidates =
      ref.type === "ref/resource"
        ? [...additions.notes.keys()]
        : argument.name === "language"
          ? LANGUAGES
          : (TONES[context?.arguments?.["language"] ?? ""] ?? []);
    return { completion: { values: candidates.filter((value) => value.startsWith(argument.value)) } };
  });
}

function elicitName({ mcpReq }: ServerContext) {
  const answer = inputResponse(mcpReq.inputResponses, "who");
  if (answer.kind === "elicit") return promptResult(`You are talking to ${String(answer.content?.["name"])}.`);
  const requestedSchema = z.object({ name: z.string() });
  return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema }) } });
}

function promptResult(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
