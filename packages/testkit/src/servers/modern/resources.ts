/**
 * Resources of the modern fixture: notes, a picture, a diary that asks for a password, and an unlisted story that the
 * client's model tells (sampling).
 */
import {
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { additions, noteUri } from "./additions.ts";
import { PIXEL } from "./pixel.ts";

const PICTURE = "picture://pixel";
const LOCKED = "locked://diary";
const SAMPLED_STORY = "story://sampled";

export function offerResources(server: Server): void {
  server.setRequestHandler("resources/list", () => ({
    resources: [
      ...[...additions.notes.keys()].map((name) => ({ uri: noteUri(name), name, mimeType: "text/plain" })),
      { uri: PICTURE, name: "pixel", mimeType: "image/png" },
      { uri: LOCKED, name: "diary" },
    ],
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: noteUri("{name}"), name: "note", mimeType: "text/plain" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }, ctx) => {
    if (uri === PICTURE) return { contents: [{ uri, mimeType: "image/png", blob: PIXEL }] };
    if (uri === LOCKED) return readLocked(uri, ctx);
    if (uri === SAMPLED_STORY) return sampleStory(uri, ctx);
    const note = additions.notes.get(uri.replace(noteUri(""), ""));
    if (note === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no resource ${uri}`);
    return { contents: [{ uri, mimeType: "text/plain", text: note }] };
  });
  // Legacy clients get a notification for every note, so subscriptions are accepted and not stored.
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function readLocked(uri: string, { mcpReq }: ServerContext) {
  const answer = inputResponse(mcpReq.inputResponses, "password");
  if (answer.kind === "elicit") return { contents: [{ uri, text: `opened with ${JSON.stringify(answer.content)}` }] };
  const requestedSchema = z.object({ password: z.string() });
  return inputRequired({
    inputRequests: { password: inputRequired.elicit({ message: "Password?", requestedSchema }) },
  });
}

function sampleStory(uri: string, { mcpReq }: ServerContext) {
  const answer = inputResponse(mcpReq.inputResponses, "told");
  if (answer.kind === "sampling") return { contents: [{ uri, text: JSON.stringify(answer.result) }] };
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Tell a story" } }];
  return inputRequired({ inputRequests: { told: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
}
