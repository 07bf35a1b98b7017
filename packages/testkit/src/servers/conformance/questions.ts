/** The questions of the conformance fixture, and how their answers are read. */
import type { InputRequest } from "@modelcontextprotocol/server";

interface Form {
  readonly [field: string]: { readonly type: string; readonly [keyword: string]: unknown };
}

export function elicitation(message: string, properties: Form, required: readonly string[] = []): InputRequest {
  const params = { message, requestedSchema: { type: "object", properties, required: [...required] } };
  return { method: "elicitation/create", params } as InputRequest;
}

/** Asks for one text, which is required. */
export function textQuestion(message: string, field: string): InputRequest {
  return elicitation(message, { [field]: { type: "string" } }, [field]);
}

export function confirmation(): InputRequest {
  return elicitation("Please confirm", { ok: { type: "boolean" } }, ["ok"]);
}

export function samplingRequest(text: string): InputRequest {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens: 100 } } as InputRequest;
}

export function rootsRequest(): InputRequest {
  return { method: "roots/list", params: {} };
}

/** Returns an answer as JSON, or undefined if the client did not answer with an object. */
export function answerText(answers: { readonly [key: string]: unknown }, key: string): string | undefined {
  const answer = answers[key];
  return typeof answer === "object" && answer !== null ? JSON.stringify(answer) : undefined;
}
