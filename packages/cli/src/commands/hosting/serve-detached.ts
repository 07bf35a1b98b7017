/** Implements `plugboard serve --detach`: opens the port of a host in the background, and returns. */
import type { HostStarter, ListenOptions, PortInfo, WorkspaceSpec } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { referencedEnv } from "@plugboard/config";
import type { RemoteHost } from "@plugboard/remote";
import { renderConnectHelp, renderPageHelp } from "../../render/hosting/render-host-info.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withBackgroundHost } from "../../workspace/with-background-host.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import { toListenAddress } from "./listen-address.ts";
import type { ServeInput } from "./serve.ts";
import type { ServingLine } from "../../outputs/host-outputs.ts";

type DetachInput = Omit<ServeInput, "detach" | "background" | "service">;

export async function serveDetached(input: DetachInput, cli: CliContext): Promise<number> {
  await withBackgroundHost(cli, async (host, wasRunning) => {
    const { endpoint } = await keepPortOpen(
      host,
      toWorkspaceSpec(input, cli.cwd),
      { ...toListenAddress(input), ...(input.port !== undefined && { port: input.port }) },
      cli,
    );
    await reportServing(host, endpoint, { ...input, wasRunning }, cli);
  });
  return 0;
}

/** Opens the port until the host stops. */
export async function keepPortOpen(
  host: RemoteHost,
  spec: WorkspaceSpec,
  options: ListenOptions,
  { env }: Pick<CliContext, "env">,
): Promise<PortInfo> {
  const resolved = { ...spec, env: await referencedEnv(spec, env) };
  return host.control.listen(resolved, { ...options, keep: true });
}

/** Where the host runs, and what ends it. */
const PLACES: { readonly [Starter in HostStarter]: readonly [string, string] } = {
  background: ["in the background", "Stop it with `plugboard stop`."],
  service: ["as a service", "Stop it with `plugboard stop`."],
  serve: [
    "in the terminal of a `plugboard serve`",
    "It ends with that command. To run it in the background instead, run `plugboard restart`.",
  ],
};

async function reportServing(
  host: RemoteHost,
  endpoint: string,
  { json, quiet, wasRunning }: { readonly json: boolean; readonly quiet: boolean; readonly wasRunning: boolean },
  { stdout, env }: CliContext,
): Promise<void> {
  const { pid, startedBy } = await host.control.info();
  if (json)
    stdout.jsonLine({
      type: "host.serving",
      endpoint,
      pid,
      version: VERSION,
      attached: wasRunning,
    } satisfies ServingLine);
  else if (quiet) stdout.write(`${endpoint}\n`);
  else {
    const [place, end] = PLACES[startedBy];
    stdout.write(`Plugboard is running ${place} at ${endpoint} (process ${pid}).

${renderPageHelp(await host.control.openPage(), env)}

${renderConnectHelp(endpoint)}
${end}
`);
  }
}
