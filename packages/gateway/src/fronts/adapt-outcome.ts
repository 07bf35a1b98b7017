/** Adapts the outcome of a request to the client: leaves out questions that the client can't be asked. */
import { commandMessage } from "@plugboard/contracts";
import type { Ask, FrontContext, Outcome } from "@plugboard/mcp";

/**
 * Resumes the call without answers while the client supports none of its questions, and follows tasks to their end.
 * Turns a denial into a result that the model can read.
 */
export async function adaptOutcome(outcome: Outcome, ctx: FrontContext): Promise<Outcome> {
  let current = outcome;
  while (current.type === "asks" || current.type === "task") {
    if (current.type === "task") {
      current = await current.follow({ signal: ctx.signal });
      continue;
    }
    const supported = Object.entries(current.asks).filter(([, ask]) => isSupported(ask, ctx));
    if (supported.length > 0 || Object.keys(current.asks).length === 0)
      return { ...current, asks: Object.fromEntries(supported) };
    current = await current.resume({}, { signal: ctx.signal });
  }
  if (current.type === "failed" && DENIAL_CODES.has(current.error.code))
    return deniedResult(commandMessage(current.error));
  return current;
}

function isSupported(ask: Ask, { elicitation, sampling }: FrontContext): boolean {
  return ask.type === "sampling" ? sampling : elicitation[ask.elicitation.mode];
}

const DENIAL_CODES = new Set(["TOOL_DENIED", "NOBODY_TO_ASK"]);

function deniedResult(text: string): Outcome {
  return { type: "complete", result: { content: [{ type: "text", text }], isError: true } };
}
