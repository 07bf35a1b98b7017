import { ERROR_TABLE, toHostError } from "@plugboard/contracts";
import { unlessInterrupted } from "../interruption.ts";
import { columnsOfOutput } from "../prompt/terminal-lines.ts";
import { renderJson } from "../render/json.ts";
import { renderNoServers } from "../render/no-servers.ts";
import { renderServerDetail } from "../render/server-detail.ts";
import { renderStatus } from "../render/status.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions, Opened } from "../with-workspace.ts";

type StatusOptions = CommonOptions & { readonly connect?: boolean };

/** Shows the state of all servers, or the details of one. Fails if a server that should be ready is not. */
export function showStatus(
  server: string | undefined,
  options: StatusOptions,
  surroundings: Surroundings,
): Promise<number> {
  return withWorkspace(options, surroundings, (opened) =>
    server === undefined ? showAll(options, surroundings, opened) : showOne(server, options, surroundings, opened),
  );
}

async function showAll(
  options: StatusOptions,
  { stdout, env }: Surroundings,
  { workspace, interrupted }: Opened,
): Promise<number> {
  const report = options.connect
    ? await unlessInterrupted(workspace.start({ signal: interrupted }), interrupted)
    : undefined;
  const servers = await unlessInterrupted(workspace.status(), interrupted);
  if (options.json) stdout.write(renderJson(servers));
  else stdout.write(servers.length === 0 ? renderNoServers(env) : renderStatus(servers, Date.now()));
  const [first] = Object.values(report?.errors ?? {});
  return first ? ERROR_TABLE[first.code].exit : 0;
}

async function showOne(
  server: string,
  options: StatusOptions,
  { stdout }: Surroundings,
  { workspace, interrupted }: Opened,
): Promise<number> {
  const { servers } = workspace;
  // The status shows the error. An unknown server is rejected below.
  const failure = options.connect
    ? await unlessInterrupted(
        servers.connect(server, { signal: interrupted }).then(() => undefined, toHostError),
        interrupted,
      )
    : undefined;
  const detail = await unlessInterrupted(servers.detail(server), interrupted);
  stdout.write(options.json ? renderJson(detail) : renderServerDetail(detail, Date.now(), columnsOfOutput(stdout)));
  return failure ? ERROR_TABLE[failure.code].exit : 0;
}
