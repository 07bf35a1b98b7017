/** Implements `plugboard status --watch`: a live table on a terminal, one line for each change elsewhere. */
import { commandMessage, sanitizeLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import { renderStatus, stateName, toolsCell } from "../../render/servers/render-status.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { Output } from "../../terminal/output.ts";
import { Repaint } from "../../terminal/repaint.ts";
import { whileOutputIsRead } from "../../terminal/run-until-stopped.ts";
import { linesOf, plainText } from "../../terminal/text.ts";
import { connectEach } from "../../workspace/connect-each.ts";
import { followStatus } from "../../workspace/follow-status.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";
import type { StatusUpdate } from "../../outputs/host-outputs.ts";

export interface WatchInput {
  /** Shows only this server. */
  readonly server: string | undefined;
  readonly connect: boolean;
  readonly json?: boolean;
}

/** Shows the servers each time their state changes. */
interface StatusView {
  show(servers: readonly ServerStatus[]): void;
  end(): void;
}

const REDRAW_MS = 1000;

export async function watchStatus(input: WatchInput, cli: CliContext, context: CommandContext): Promise<number> {
  const { stdout, env } = cli;
  const { api, workspace } = context;
  // `detail` throws for an unknown server.
  if (input.server !== undefined) await workspace.servers.detail(input.server);
  const isSelected = ({ id }: ServerStatus) => input.server === undefined || id === input.server;
  const view = input.json
    ? jsonView(stdout)
    : stdout.canRepaint
      ? tableView(cli)
      : lineView(stdout, renderNoServers(env));
  let mustConnect = input.connect;
  const show = (servers: readonly ServerStatus[]) => {
    view.show(servers.filter(isSelected));
    if (!mustConnect) return;
    mustConnect = false;
    const enabled = servers.filter((server) => isSelected(server) && server.enabled);
    // `isPrivate: false` lets failed servers be retried. The view shows the errors and the retries.
    void connectEach(enabled, { ...context, isPrivate: false }, () => {}).catch(() => {});
  };
  try {
    await whileOutputIsRead(cli, context.interrupted, (interrupted) =>
      followStatus({ api, workspace, interrupted }, show),
    );
    return 0;
  } finally {
    view.end();
  }
}

/** Redraws the table every second too, because it shows times. */
function tableView({ stdout, env }: CliContext): StatusView {
  const repaint = new Repaint(stdout);
  let shown: readonly ServerStatus[] = [];
  let connecting: ReadonlyMap<string, number> = new Map();
  const draw = () => {
    const connectingSince = (id: string) => connecting.get(id);
    const options = { now: Date.now(), columns: stdout.columns, isLive: true, connectingSince };
    const text = shown.length === 0 ? renderNoServers(env) : renderStatus(shown, options);
    repaint.draw([...linesOf(text), "", { style: "dim", text: "Press Ctrl-C to stop." }]);
  };
  const timer = setInterval(draw, REDRAW_MS);
  stdout.stream.on("resize", draw);
  return {
    show(servers) {
      shown = servers;
      const active = servers.filter(({ state, retryAt }) => state === "connecting" && retryAt === undefined);
      connecting = new Map(active.map(({ id }) => [id, connecting.get(id) ?? Date.now()]));
      draw();
    },
    end() {
      clearInterval(timer);
      stdout.stream.off("resize", draw);
      repaint.end();
    },
  };
}

function lineView(stdout: Output, emptyText: string): StatusView {
  let known: ReadonlyMap<string, string> | undefined;
  return {
    show(servers) {
      const lines = new Map(servers.map((server) => [server.id, describeServer(server)]));
      if (known === undefined) {
        stdout.write(servers.length === 0 ? emptyText : plainText(renderStatus(servers, { now: Date.now() })));
      } else {
        const time = new Date().toISOString();
        for (const [id, line] of lines) if (known.get(id) !== line) stdout.write(`${time} ${line}\n`);
        for (const id of known.keys()) if (!lines.has(id)) stdout.write(`${time} ${sanitizeLine(id)} removed\n`);
      }
      known = lines;
    },
    end: () => {},
  };
}

function describeServer(server: ServerStatus): string {
  const { id, lastError, state } = server;
  const tools = state === "ready" ? `, ${toolsCell(server)} tools` : "";
  const error = lastError && state !== "ready" ? `: ${lastError.code}: ${commandMessage(lastError)}` : "";
  return sanitizeLine(`${id} ${stateName(server)}${tools}${error}`);
}

/** Writes a snapshot, then one object for each changed or removed server. */
function jsonView(stdout: Output): StatusView {
  const print = (line: StatusUpdate) => stdout.jsonLine(line);
  let known: ReadonlyMap<string, string> | undefined;
  return {
    show(servers) {
      const texts = new Map(servers.map((server) => [server.id, JSON.stringify(server)]));
      const at = Date.now();
      if (known === undefined) print({ type: "snapshot", at, servers });
      else {
        for (const server of servers) {
          if (known.get(server.id) !== texts.get(server.id)) print({ type: "changed", at, server });
        }
        for (const id of known.keys()) if (!texts.has(id)) print({ type: "removed", at, id });
      }
      known = texts;
    },
    end: () => {},
  };
}
