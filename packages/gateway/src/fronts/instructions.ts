/** Joins the instructions of the servers, each below the name of its server. Returns undefined if no server has any. */
import type { ForwardedServer } from "@plugboard/host/forwarding";

export function joinedInstructions(servers: readonly ForwardedServer[]): string | undefined {
  const sections = servers.flatMap(({ id, instructions = "" }) => {
    const text = instructions.trim();
    return text === "" ? [] : [`# ${id}\n\n${text}`];
  });
  return sections.length === 0 ? undefined : sections.join("\n\n");
}
