/** Implements `plugboard get`. */
import { describeConfigured } from "@plugboard/config";
import { filesWithEntry, inspectConfig, problemsOf } from "@plugboard/config/edit";
import { readStaticConfig } from "@plugboard/host/config-commands";
import type { ConfiguredServer, DescribedDefinition, ConfigScope } from "@plugboard/config";
import type { InspectedFile } from "@plugboard/config/edit";
import { sanitizeLine } from "@plugboard/contracts";
import { parseServerFlags } from "../../arguments/parse-server-flag.ts";
import { renderJson } from "../../terminal/render-json.ts";
import { makeQuoter } from "../../render/quote-untrusted.ts";
import { renderProblem } from "../../render/render-problem.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { requireEntry, unknownServerError } from "./scope.ts";

interface GetInput {
  readonly server: string;
  readonly scope: ConfigScope | "effective" | undefined;
  readonly config: readonly string[];
  readonly mcpServer: readonly string[];
  readonly json: boolean;
}

interface FoundServer {
  readonly server: ConfiguredServer;
  readonly untrusted: boolean;
  readonly all: readonly InspectedFile[];
}

/** Shows the definition of one server, and the problems of its entry. Starts no server. */
export async function getServer(input: GetInput, cli: CliContext): Promise<number> {
  const { scope = "effective", json } = input;
  const { server, untrusted, all } =
    scope === "effective" ? await findEffective(input, cli) : await findInScope(input.server, scope, cli);
  const described = describeConfigured(server);
  const otherFiles = filesWithEntry(all, server.id)
    .filter(({ file }) => file !== server.file)
    .map(({ source, file }) => ({ source, file }));
  const problems = all.filter(({ file }) => file === server.file).flatMap(problemsOf);
  for (const problem of problems) if (problem.server === server.id) cli.stderr.write(renderProblem(problem));
  if (json) cli.stdout.json({ ...described, ...(untrusted && { untrusted }), otherFiles });
  else cli.stdout.write(renderDefinition(described, untrusted, otherFiles, cli.stdout.columns));
  return 0;
}

async function findEffective(
  { server: id, config, mcpServer }: GetInput,
  { cwd, env }: CliContext,
): Promise<FoundServer> {
  const spec = { cwd, configFiles: config, servers: parseServerFlags(mcpServer) };
  const [{ config: effective }, all] = await Promise.all([
    readStaticConfig({ env }, spec),
    inspectConfig({ cwd, env, configFiles: config }),
  ]);
  const active = effective.servers.get(id);
  const waiting = effective.pending.findLast((server) => server.id === id);
  const server = active ?? waiting;
  if (!server) throw unknownServerError(id, all);
  return { server, untrusted: active === undefined, all };
}

async function findInScope(id: string, scope: ConfigScope, cli: CliContext): Promise<FoundServer> {
  const { file, all } = await requireEntry(id, scope, cli);
  const server = file.layer!.servers.find((candidate) => candidate.id === id);
  if (server) return { server, untrusted: false, all };
  return findEffective({ server: id, scope, config: [], mcpServer: [], json: false }, cli);
}

function renderDefinition(
  { id, source, file, enabled, invalid, transport, target, config }: DescribedDefinition,
  untrusted: boolean,
  otherFiles: readonly { readonly source: string; readonly file: string }[],
  columns: number,
): string {
  const describeEnabled = () => {
    if (invalid !== undefined) return `invalid: ${invalid}`;
    if (untrusted) return `not yet; to approve it, run: plugboard trust ${id}`;
    return enabled ? "yes" : "no";
  };
  const rows: [string, string | undefined][] = [
    ["scope", source],
    ["file", file],
    ["transport", transport],
    ["enabled", describeEnabled()],
    [transport === "stdio" ? "runs" : "calls", target],
    ...otherFiles.map((other): [string, string] => ["also in", `${other.file} (${other.source})`]),
  ];
  const lines = rows.map(([name, value]) =>
    value === undefined ? "" : `  ${`${name}:`.padEnd(12)}${sanitizeLine(value)}\n`,
  );
  const definition = config ? `Definition:\n${makeQuoter({ columns })(renderJson(config))}` : "";
  return [`${id}\n`, ...lines, definition].join("");
}
