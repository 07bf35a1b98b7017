/** Checks one server for `plugboard test`: connects it, lists its tools, and measures both. */
import { toHostError } from "@plugboard/contracts";
import type { ServerDetail, ServerStatus } from "@plugboard/contracts";
import type { ServerCheckResult, CheckStep } from "../render/servers/render-check.ts";
import { stopRetrying } from "../workspace/connect-each.ts";
import type { CommandContext } from "../workspace/with-workspace.ts";

export interface ServerCheck extends ServerCheckResult {
  readonly transport: ServerStatus["transport"];
  readonly source: ServerStatus["source"];
  /** The command or URL, with possible secrets masked. */
  readonly target: string;
}

/** Does not throw if the server fails: the check contains the error. `now` is a monotonic clock. */
export async function checkServer(
  { id, transport, source, target }: ServerStatus,
  { workspace, interrupted: signal }: Pick<CommandContext, "workspace" | "interrupted">,
  now: () => number = () => performance.now(),
): Promise<ServerCheck> {
  const steps: CheckStep[] = [];
  const measure = async (step: CheckStep["step"], work: Promise<unknown>) => {
    const startedAt = now();
    const add = (ok: boolean) => steps.push({ step, ok, ms: Math.round(now() - startedAt) });
    await work.then(
      () => add(true),
      (error: unknown) => {
        add(false);
        throw error;
      },
    );
  };
  const base = { id, transport, source, target, steps };
  try {
    await measure("connect", workspace.servers.connect(id, { signal }));
    await measure("list tools", workspace.servers.refresh(id, { signal }));
    return { ...base, ok: true, ...describeSession(await workspace.servers.detail(id)) };
  } catch (thrown) {
    stopRetrying(id, workspace);
    return { ...base, ok: false, tools: [], error: toHostError(thrown).toJSON() };
  }
}

function describeSession({ offered, serverInfo, era, version, skippedMessages, droppedTools }: ServerDetail) {
  return {
    tools: offered.map(({ name }) => name),
    ...(serverInfo && { serverInfo }),
    ...(era && version !== undefined && { protocol: { version, era } }),
    ...(skippedMessages !== undefined && { skippedMessages }),
    ...(droppedTools && { droppedTools }),
  };
}
