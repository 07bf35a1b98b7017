/** Refers a client from a cut result to the parts of the stored output: by a sentence, and by links. */
import type { JsonObject } from "@plugboard/contracts";
import type { OutputPart } from "./stored-outputs.ts";

/** Completes a sentence such as "its data is …" with the URIs of the output. */
export function whereStored(parts: readonly OutputPart[]): string {
  const [first, last] = [parts[0]!.uri, parts.at(-1)!.uri];
  return parts.length === 1 ? `the resource ${first}` : `in ${parts.length} resources, from ${first} to ${last}`;
}

export function linkParts(parts: readonly OutputPart[] | undefined, mimeType: string): JsonObject[] {
  if (!parts) return [];
  const name = (index: number) => (parts.length === 1 ? "output" : `output, part ${index + 1} of ${parts.length}`);
  return parts.map(({ uri, size }, index) => ({ type: "resource_link", uri, name: name(index), mimeType, size }));
}
