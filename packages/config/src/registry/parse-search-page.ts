/** Parses one page of the search results of a registry. */
import { isJsonObject } from "@plugboard/contracts";
import { parseServer } from "./parse-server.ts";
import { InvalidField, readList, readObject, readOptionalText } from "./read-fields.ts";
import type { RegistryServer } from "./registry-server.ts";

export interface SearchPage {
  readonly servers: readonly RegistryServer[];
  /** How many servers were left out because their fields are invalid. */
  readonly invalidCount: number;
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Leaves out single servers that are invalid. Throws `InvalidField` if the page itself is. */
export function parseSearchPage(value: unknown): SearchPage {
  const page = readObject(value, "the answer");
  if (!Array.isArray(page["servers"])) throw new InvalidField("servers", "is not a list");
  const parsed = readList(page["servers"], "servers", parseOrUndefined);
  const servers = parsed.filter((server) => server !== undefined);
  const metadata = isJsonObject(page["metadata"]) ? page["metadata"] : {};
  const nextCursor = readOptionalText(metadata["nextCursor"], "metadata.nextCursor");
  return { servers, invalidCount: parsed.length - servers.length, ...(nextCursor !== undefined && { nextCursor }) };
}

function parseOrUndefined(value: unknown, path: string): RegistryServer | undefined {
  try {
    return parseServer(value, path);
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error;
    return undefined;
  }
}
