/** Implements `plugboard status --host`. */
import type { HostInfo } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { renderHostInfo } from "../../render/hosting/render-host-info.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { isOutdated } from "../../workspace/note-outdated-host.ts";
import { connectToRunningHost } from "../../workspace/open-host.ts";
import type { HostStatusOutput } from "../../outputs/host-outputs.ts";

/** Also shows a host of another version. */
export async function showHostInfo({ json = false }: { readonly json?: boolean }, cli: CliContext): Promise<number> {
  const { env, stdout } = cli;
  const host = await connectToRunningHost(env, { acceptsAnyVersion: true });
  if (!host) {
    if (json) stdout.json({ running: false } satisfies HostStatusOutput);
    else stdout.write("No host is running. Start one with `plugboard serve`.\n");
    return 0;
  }
  try {
    const info = await host.control.info();
    const outdated = info.version !== VERSION || isOutdated(info.build);
    if (json) stdout.json({ running: true, ...toJson(info), outdated } satisfies HostStatusOutput);
    else
      stdout.write([
        renderHostInfo(info, Date.now()),
        outdated ? "It is older than this command. Run `plugboard restart`.\n" : "",
      ]);
    return 0;
  } finally {
    await host.close();
  }
}

/** Leaves out the definitions of servers, which may contain secrets. */
function toJson({ port, ...info }: HostInfo) {
  return { ...info, ...(port && { endpoint: port.endpoint, folder: port.spec.cwd }) };
}
