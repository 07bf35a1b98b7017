/** Implements `plugboard resource read`. */
import { commandMessage, HostError, isHostError, isUri } from "@plugboard/contracts";
import type { Workspace } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import { renderToolResult } from "../../render/tools/render-tool-result.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { whileOutputIsRead } from "../../terminal/run-until-stopped.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { makeOutputFolder, saveBlobs } from "../tools/save-blobs.ts";

interface ReadResourceInput extends CommandOptions {
  readonly server: string | undefined;
  readonly uri: string;
  readonly output: string | undefined;
  readonly watch: boolean;
}

interface ResourceKey {
  readonly server: string;
  readonly uri: string;
}

/** Prints the content of a resource. Without a server, exactly one server must list the URI. */
export async function readResource(input: ReadResourceInput, cli: CliContext): Promise<number> {
  const { stdout, stderr, cwd } = cli;
  const folder = input.output === undefined ? undefined : await makeOutputFolder(cwd, input.output);
  return withWorkspace(input, cli, async (context) => {
    const { server, uri } = await findResource(input, context);
    if (input.watch) return watchResource({ server, uri }, input, context, cli);
    const stop = cli.liveLine.show(() => `reading ${uri}`);
    const contents = await context.workspace.resources.read(server, uri, { signal: context.interrupted }).finally(stop);
    const result = { content: contents.map((resource) => ({ type: "resource", resource }) as const) };
    if (input.json) stdout.json({ server, contents });
    else stdout.content(renderToolResult(result));
    if (folder !== undefined) await saveBlobs(result, folder, input.json ? stderr : stdout);
    return 0;
  });
}

/** Prints the content, and again after each update, until the user or the reader of the output stops it. */
async function watchResource(
  { server, uri }: ResourceKey,
  { json }: ReadResourceInput,
  { api, workspace, interrupted }: CommandContext,
  cli: CliContext,
): Promise<number> {
  const { stdout, stderr } = cli;
  const show = async (signal: AbortSignal) => {
    try {
      const contents = await workspace.resources.read(server, uri, { signal });
      if (json) stdout.jsonLine({ server, contents });
      else stdout.content(renderToolResult({ content: contents.map((resource) => ({ type: "resource", resource })) }));
    } catch (error) {
      // The resource may come back with a later update.
      if (signal.aborted || !isHostError(error)) throw error;
      stderr.write(`${error.code}: ${commandMessage(error)}\n`);
    }
  };
  const { seq } = await workspace.snapshot();
  await workspace.resources.subscribe(server, uri);
  await whileOutputIsRead(cli, interrupted, async (signal) => {
    await show(signal);
    for await (const event of api.events(seq, signal)) {
      const isUpdate = event.type === "resource.updated" && event.server === server && event.uri === uri;
      if (!isUpdate && event.type !== "events.missed") continue;
      if (!json) stderr.write(`${new Date(event.at).toISOString()} updated\n`);
      await show(signal);
    }
    if (!signal.aborted) throw new HostError("HOST_CLOSED", {});
  });
  return 0;
}

async function findResource(
  { server, uri }: ReadResourceInput,
  { workspace, interrupted }: CommandContext,
): Promise<ResourceKey> {
  if (server !== undefined) return { server, uri };
  if (!isUri(uri)) throw usageError("missing argument <uri>", { command: "resource read" });
  const { resources } = await workspace.resources.list({ signal: interrupted });
  const owners = resources.filter((resource) => resource.uri === uri).map((resource) => resource.server);
  const [owner, ...others] = owners;
  const qualified = owner === undefined ? await splitServer(uri, workspace) : undefined;
  if (qualified) return qualified;
  if (owner === undefined)
    throw new HostError("NOT_FOUND", { subject: `resource "${uri}" in the lists of the servers` });
  if (others.length > 0) {
    const message = `several servers have this resource (${owners.join(", ")}); name one: plugboard resource read ${owner} ${uri}`;
    throw usageError(message, { command: "resource read" });
  }
  return { server: owner, uri };
}

/** Accepts `server:uri`. Returns undefined if no server has this id. */
async function splitServer(text: string, workspace: Workspace) {
  const [, server = "", uri = ""] = /^([\w-]+):(.+:.*)$/s.exec(text) ?? [];
  const isServer = (await workspace.status()).some(({ id }) => id === server);
  return isServer ? { server, uri } : undefined;
}
