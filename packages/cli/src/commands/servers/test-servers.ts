/** Implements `plugboard test`. */
import { ERROR_TABLE, HostError, nearest, isInvalid } from "@plugboard/contracts";
import type { ConfigLayer, HostErrorCode, ServerStatus } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderCheck } from "../../render/servers/render-check.ts";
import { renderError } from "../../render/render-error.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";
import { advise } from "../../checks/advise.ts";
import { checkServer } from "../../checks/check-server.ts";
import type { ServerCheck } from "../../checks/check-server.ts";

interface TestInput extends ConfigOptions {
  readonly servers: readonly string[];
  readonly scope: "effective" | "project" | "user" | "local" | undefined;
  /** The tools that must be offered, as `server:tool`. */
  readonly require: readonly string[];
  readonly json: boolean;
}

interface RequiredTool {
  readonly server: string;
  readonly tool: string;
}

/** Connects the servers in a host of its own, so that the test does not disturb the running host. */
export function testServers(input: TestInput, cli: CliContext): Promise<number> {
  const required = input.require.map(parseRequiredTool);
  const options = { ...input, private: true, unattended: true, layers: layersOf(input.scope) } as const;
  return withWorkspace(options, cli, (context) => testInWorkspace(input, required, cli, context));
}

async function testInWorkspace(
  { servers: ids, json }: TestInput,
  required: readonly RequiredTool[],
  cli: CliContext,
  context: CommandContext,
): Promise<number> {
  const { stdout, env } = cli;
  const { interrupted } = context;
  const selected = await selectServers([...ids, ...required.map(({ server }) => server)], context);
  if (selected.length === 0 && !json) stdout.write(renderNoServers(env));
  const check = async (server: ServerStatus) => {
    const result = await checkServer(server, context);
    const { error } = result;
    const advice = error && (await advise({ ...result, error }, env));
    if (!json && !interrupted.aborted) stdout.write(renderCheck(result, advice, stdout.columns));
    return result;
  };
  const checks = await rejectOnInterrupt(Promise.all(selected.map(check)), interrupted);
  const missing = required.flatMap((tool) => missingToolError(tool, checks) ?? []);
  if (json) {
    const ok = missing.length === 0 && checks.every((one) => one.ok);
    stdout.json({ ok, servers: checks, missingTools: missing.map(({ details }) => details) });
  }
  if (!json) for (const error of missing) cli.stderr.write(renderError(error));
  const codes: readonly HostErrorCode[] = [
    ...checks.flatMap(({ error }) => error?.code ?? []),
    ...missing.map((error) => error.code),
  ];
  return codes[0] === undefined ? 0 : ERROR_TABLE[codes[0]].exit;
}

/**
 * Returns the named servers. Without names, returns all servers that are enabled or invalid. Throws for an unknown id
 * before a server starts.
 */
async function selectServers(
  ids: readonly string[],
  { workspace, interrupted }: CommandContext,
): Promise<readonly ServerStatus[]> {
  await rejectOnInterrupt(Promise.all([...new Set(ids)].map((id) => workspace.servers.detail(id))), interrupted);
  const all = await rejectOnInterrupt(workspace.status(), interrupted);
  return all.filter((server) => ids.includes(server.id) || (ids.length === 0 && (server.enabled || isInvalid(server))));
}

/** Returns undefined if the tool is offered, or if its server failed. Then that failure is reported. */
function missingToolError({ server, tool }: RequiredTool, checks: readonly ServerCheck[]) {
  const check = checks.find(({ id }) => id === server);
  if (!check?.ok || check.tools.includes(tool)) return undefined;
  const suggestion = nearest(tool, check.tools);
  return new HostError("TOOL_NOT_FOUND", {
    tool: `${server}:${tool}`,
    ...(suggestion !== undefined && { suggestion: `${server}:${suggestion}` }),
  });
}

function parseRequiredTool(text: string): RequiredTool {
  const [, server, tool] = /^([^:]+):(.+)$/.exec(text) ?? [];
  if (server !== undefined && tool !== undefined) return { server, tool };
  throw usageError(`--require must be server:tool, not '${text}'`, { command: "test" });
}

/** Returns the config layers to read, or undefined for all. Restrictions of the administrator's file always apply. */
function layersOf(scope: TestInput["scope"]): readonly ConfigLayer[] | undefined {
  if (scope === undefined || scope === "effective") return undefined;
  return [scope];
}
