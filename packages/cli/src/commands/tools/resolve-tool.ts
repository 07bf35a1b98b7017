/**
 * Finds the tool that the words of a command line mean. Starts only the server of the tool. If no server is named and
 * no stored list has the tool, starts other servers, too.
 */
import { HostError, nearest } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import type { ToolCandidate } from "../../arguments/parse-tool-words.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";

export interface FoundTool {
  readonly server: string;
  readonly tool: string;
  /** The arguments within the words, if they had the form of a call. */
  readonly args: ToolCandidate["args"];
  /** Undefined if the server does not offer the tool. A call of it fails with the reason. */
  readonly offered: OfferedTool | undefined;
}

/** If the words may mean several tools, throws an error that shows how to name one of them. */
export async function resolveTool(candidates: readonly ToolCandidate[], context: CommandContext): Promise<FoundTool> {
  const { workspace, interrupted } = context;
  const isExact = candidates.some((candidate) => candidate.isExact);
  // `server:tool` is resolved without the ids of the servers, because reading them takes time.
  const known = isExact ? [] : (await rejectOnInterrupt(workspace.status(), interrupted)).map(({ id }) => id);
  const serverAlone = candidates.find(({ server, tool }) => server === undefined && known.includes(tool))?.tool;
  if (serverAlone !== undefined)
    throw usage(`"${serverAlone}" is a server. Name one of its tools, such as ${serverAlone}:<tool>`);
  const named = findNamed(candidates, known);
  if (!named) return resolveBareName(candidates, context);
  const sameServer = candidates.filter(({ server }) => server === named.server);
  const names = sameServer.map(({ tool }) => tool);
  const tools = await findTools(named.server, names, context);
  const pairs = sameServer.map((candidate) => ({
    candidate,
    offered: tools.find(({ tool }) => tool === candidate.tool),
  }));
  const { candidate, offered } = pairs.find((pair) => pair.offered) ?? pairs.at(-1)!;
  return { server: named.server, tool: candidate.tool, args: candidate.args, offered };
}

type Named = ToolCandidate & { readonly server: string };

/** Returns the candidate that names its server exactly, or whose server is known. Throws SERVER_UNKNOWN for a typo. */
export function findNamed(candidates: readonly ToolCandidate[], known: readonly string[]): Named | undefined {
  const named = candidates.filter((candidate): candidate is Named => candidate.server !== undefined);
  const found = named.find(({ isExact }) => isExact) ?? named.find(({ server }) => known.includes(server));
  const [first] = named;
  if (found || !first) return found;
  const suggestion = nearest(first.server, known);
  const mayBeBareName = candidates.some(({ server }) => server === undefined);
  if (mayBeBareName && suggestion === undefined) return undefined;
  throw new HostError("SERVER_UNKNOWN", {
    server: first.server,
    known,
    ...(suggestion !== undefined && { suggestion }),
  });
}

/** Resolves the name of a tool without its server, or the name that models see. */
async function resolveBareName(candidates: readonly ToolCandidate[], context: CommandContext): Promise<FoundTool> {
  const { workspace, interrupted: signal } = context;
  const { tool: word, args } = candidates.at(-1)!;
  let tools: readonly OfferedTool[] = [];
  // Servers are started only if the lists of earlier runs don't have the tool, and all of them only as a last resort.
  for (const connects of ["none", "unlisted", "all"] as const) {
    const { errors } = await rejectOnInterrupt(workspace.start({ signal, connects }), signal);
    tools = await rejectOnInterrupt(workspace.tools.list(), signal);
    const byModelName = tools.find(({ name }) => name === word);
    const matches = byModelName ? [byModelName] : tools.filter(({ tool, origin }) => tool === word && origin === "mcp");
    const [found, ...others] = matches;
    if (!found) continue;
    if (others.length > 0)
      throw usage(`Several servers have a tool "${word}". Name one of them: ${matches.map(qualifiedName).join(", ")}`);
    const failed = Object.keys(errors);
    // No earlier run has listed the tool, and another server with such a tool may be among those that failed.
    if (!byModelName && failed.length > 0 && connects !== "none") {
      const reason = `${failed.join(" and ")} could not be started and may have a tool of that name`;
      throw usage(`Name the server: ${qualifiedName(found)}. "${word}" alone is not certain, because ${reason}`);
    }
    const { server, tool } = found;
    const [offered] = connects === "none" ? await findTools(server, [tool], context) : [found];
    return { server, tool, args, offered };
  }
  throw toolNotFound(word, tools);
}

/** Connects the server, so that the definitions of the tools are the current ones. */
function findTools(server: string, names: string[], { workspace, interrupted }: CommandContext) {
  return rejectOnInterrupt(workspace.tools.find(server, names, { signal: interrupted }), interrupted);
}

/** Returns TOOL_NOT_FOUND with the most similar tool. */
export function toolNotFound(word: string, tools: readonly OfferedTool[]): HostError {
  const spellings = new Map(
    tools.flatMap((tool) => [tool.name, tool.tool, qualifiedName(tool)].map((name) => [name, tool])),
  );
  const similar = spellings.get(nearest(word, spellings.keys()) ?? "");
  return new HostError("TOOL_NOT_FOUND", { tool: word, ...(similar && { suggestion: qualifiedName(similar) }) });
}

function qualifiedName({ server, tool }: OfferedTool): string {
  return `${server}:${tool}`;
}

function usage(message: string): HostError {
  return new HostError("USAGE", { message, omitHelp: true });
}
