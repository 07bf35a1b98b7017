/**
 * Checks the message that a client sends to a chat. A client of another version, or another program, may send anything.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ChatInput } from "@plugboard/contracts";

/** Throws USAGE if the message is invalid or empty. */
export function checkChatInput(input: unknown): asserts input is ChatInput {
  const problem = findInputProblem(input);
  if (problem !== undefined) throw new HostError("USAGE", { message: problem });
}

function findInputProblem(input: unknown): string | undefined {
  if (!isJsonObject(input) || typeof input["text"] !== "string") return 'a message needs "text"';
  const { text, resources, prompt, context } = input;
  const hasTexts = (value: unknown, ...keys: string[]) =>
    isJsonObject(value) && keys.every((key) => typeof value[key] === "string");
  const isListOf = (value: unknown, ...keys: string[]) =>
    value === undefined || (Array.isArray(value) && value.every((one) => hasTexts(one, ...keys)));
  if (!isListOf(resources, "server", "uri")) return '"resources" must be a list of objects with "server" and "uri"';
  if (!isListOf(context, "source", "text")) return '"context" must be a list of objects with "source" and "text"';
  if (prompt !== undefined && !hasTexts(prompt, "server", "name")) return '"prompt" must have "server" and "name"';
  const isEmpty = text === "" && prompt === undefined && (!Array.isArray(resources) || resources.length === 0);
  return isEmpty ? "a message must not be empty" : undefined;
}
