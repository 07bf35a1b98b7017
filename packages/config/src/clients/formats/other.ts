/**
 * A file of no known client: in Plugboard's own format, or with `mcpServers` or `servers`. Its values may have the
 * placeholders of Plugboard or of editors. Such a file is only read, in the syntax that its name says. The fields for
 * writing are here only because every client has them.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Client } from "./client.ts";
import { MIXED } from "../placeholders/dialect.ts";
import { sectionAt } from "./section-at.ts";

export const other: Client = {
  name: "other",
  label: "the file",
  syntax: "json",
  files: () => [],
  ownsPath: () => false,
  ownsDocument: () => false,
  serversPath: ["mcp", "servers"],
  sections: (document) => {
    const { mcp } = document;
    const sections = [
      ...(isJsonObject(mcp) ? sectionAt(mcp, "servers") : []),
      ...sectionAt(document, "mcpServers"),
      ...sectionAt(document, "servers"),
    ];
    // If the document has several of these sections, only the first counts.
    return sections.slice(0, 1);
  },
  dialect: () => MIXED,
  read: (entry) => ({ entry }),
  write: () => undefined,
  document: (servers) => ({ mcp: { servers } }),
};
