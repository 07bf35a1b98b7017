/** Recognises the client that a file belongs to, by its path or its content. */
import type { JsonObject } from "@plugboard/contracts";
import { CLIENTS } from "./client-table.ts";
import type { Client } from "./formats/client.ts";
import { other } from "./formats/other.ts";

/** Returns the client `other` for a file of no known client. */
export function detectClient(file: string, document: JsonObject): Client {
  return clientByPath(file) ?? Object.values(CLIENTS).find(({ ownsDocument }) => ownsDocument(document)) ?? other;
}

function clientByPath(file: string): Client | undefined {
  const path = file.replaceAll("\\", "/");
  return Object.values(CLIENTS).find(({ ownsPath }) => ownsPath(path));
}
