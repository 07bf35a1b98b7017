/** Shows a host while `plugboard serve` runs: its address at once, then its servers and events as they come. */
import { VERSION } from "@plugboard/host";
import type { EventSubscription } from "../../events/follow-events.ts";
import { followEvents } from "../../events/follow-events.ts";
import { showServerActivity } from "../../events/show-server-activity.ts";
import { watchHost } from "./watch-host.ts";
import type { HostWatch } from "./watch-host.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import { renderProblem } from "../../render/render-problem.ts";
import { renderConnectHelp, renderPageHelp } from "../../render/hosting/render-host-info.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { Interruption } from "../../terminal/interruption.ts";
import { answerInbox } from "../../workspace/answer-inbox.ts";
import type { ServedHost } from "./served-host.ts";
import type { ServingLine } from "../../outputs/host-outputs.ts";

export interface ShowHostOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Set if the questions of the host are asked on this terminal. */
  readonly asking: Interruption | undefined;
}

/** Resolves when the address is shown and the events are followed. The servers may still be starting. */
export async function showHost(
  host: ServedHost,
  options: ShowHostOptions,
  cli: CliContext,
): Promise<EventSubscription> {
  const { api, endpoint, pid } = host;
  const { stdout } = cli;
  if (options.json)
    stdout.jsonLine({
      type: "host.serving",
      endpoint,
      pid,
      version: VERSION,
      attached: host.attached !== undefined,
    } satisfies ServingLine);
  else if (options.quiet) stdout.write(`${endpoint}\n`);
  else stdout.write(renderBanner(host, renderPageHelp(await host.openPage(), cli.env)));
  const resumeLiveLine =
    options.json || options.quiet ? cli.liveLine.pause() : cli.liveLine.show(() => "", { isFallback: true });
  const workspace = await api.workspace(host.spec);
  const snapshot = await workspace.snapshot();
  const subscriptions: EventSubscription[] = [];
  let watch: HostWatch | undefined;
  if (options.json) subscriptions.push(followEvents(api, host.seq, (event) => stdout.jsonLine(event)));
  else if (!options.quiet) {
    for (const problem of await workspace.config.problems()) cli.stderr.write(renderProblem(problem));
    if (snapshot.servers.length === 0) stdout.write(renderNoServers(cli.env));
    const context = { api, workspace, snapshot, cli };
    watch = watchHost(context, stdout);
    // The live line says which servers are still starting.
    subscriptions.push(watch, showServerActivity(context));
    if (options.asking) subscriptions.push(answerInbox(context, cli, options.asking));
  }
  // The port has a workspace of its own. Starting this one, too, makes its status complete.
  void workspace.start().then(
    () => watch?.refresh(),
    () => {},
  );
  return {
    async stop() {
      await Promise.all(subscriptions.splice(0).map((subscription) => subscription.stop()));
      resumeLiveLine();
    },
  };
}

function renderBanner({ endpoint, pid, attached }: ServedHost, pageHelp: string): string {
  const port = attached?.keepsPort ? "Its port stays open" : "Its port is closed";
  const note = attached ? `A host was already running (process ${pid}). ${port} when you stop this command.\n` : "";
  return `Plugboard is running at ${endpoint}
${note}
${pageHelp}

${renderConnectHelp(endpoint)}
Stop with Ctrl-C.

`;
}
