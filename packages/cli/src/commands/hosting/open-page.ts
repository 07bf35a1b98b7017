/** Implements `plugboard ui`: opens the page of the running host, or starts a host for it. */
import type { PageLink } from "@plugboard/contracts";
import type { RemoteHost } from "@plugboard/remote";
import { renderForwardedLink, renderPageOpened } from "../../render/hosting/render-host-info.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withBackgroundHost } from "../../workspace/with-background-host.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";
import { keepPortOpen } from "./serve-detached.ts";

interface OpenPageInput extends ConfigOptions {
  readonly port: number | undefined;
  readonly noOpen: boolean;
  readonly json: boolean;
}

export async function openPage(input: OpenPageInput, cli: CliContext): Promise<number> {
  const { stdout, stderr } = cli;
  await withBackgroundHost(cli, async (host) => {
    const link = await makeLink(host, input, cli);
    const { url, forwardedUrl, expiresAt } = link;
    if (input.json) return stdout.json({ url, forwardedUrl, expiresAt });
    stdout.write(`${url}\n`);
    stderr.write(renderForwardedLink(link, cli.env));
    if (!input.noOpen) stderr.write(renderPageOpened(await cli.openUrl(url)));
  });
  return 0;
}

/** Uses the port that is open, whatever folder it serves. Otherwise opens one for the folder of the command. */
async function makeLink(host: RemoteHost, input: OpenPageInput, cli: CliContext): Promise<PageLink> {
  const { port } = await host.control.info();
  if (!port) {
    const options = input.port === undefined ? {} : { port: input.port };
    await keepPortOpen(host, toWorkspaceSpec(input, cli.cwd), options, cli);
  } else if (input.port !== undefined && input.port !== 0 && input.port !== port.port) {
    const message = `The port ${port.port} is already open, so the page is there. To use ${input.port}, run \`plugboard stop\` first.\n`;
    cli.stderr.write(message);
  }
  return host.control.openPage();
}
