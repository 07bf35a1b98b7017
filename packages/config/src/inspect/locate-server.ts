/** Finds the line of a server's entry in the text of a config file. */
import { findMember } from "../parse/members.ts";
import { parseConfigText } from "../parse/parse-config-text.ts";
import { Diagnostics } from "../parse/diagnostics.ts";
import { findSections } from "../sections/find-sections.ts";

/** Returns undefined if the text is not valid or has no entry for the server. */
export function locateServer(text: string, id: string): number | undefined {
  const { root, positionOf } = parseConfigText(text);
  if (root?.type !== "object") return undefined;
  const { servers } = findSections(root, new Diagnostics("", positionOf));
  const entry = findMember(servers, id);
  return entry && positionOf(entry.keyNode).line;
}
