/** Tests which roots a legacy server gets: those of its client, or those of the workspace. */
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "./helpers/official-clients.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const script = fileURLToPath(new URL("./helpers/roots-server.mjs", import.meta.url));
const cli = fileURLToPath(new URL("../../cli/bin/plugboard.js", import.meta.url));

let host: RunningHost;
beforeAll(async () => {
  const server = (more: object) => ({ command: process.execPath, args: [script], roots: true, ...more });
  host = await startRunningHost({
    own: server({ share: "caller" }),
    shared: server({}),
    none: server({ share: "caller", roots: false, env: { NAME: "none" } }),
  });
  await Promise.all(["a", "b"].map((name) => mkdir(inHome(name))));
  await symlink("/", inHome("everything"));
});
afterAll(() => host.close());

const inHome = (name: string) => join(host.env["HOME"]!, name);
const uriOf = (path: string) => pathToFileURL(path).href;

/** Opens an official legacy client with the given folders as roots. */
async function openWithRoots(kind: "HTTP" | "stdio", folders: string[]) {
  let roots = folders.map((folder) => ({ uri: uriOf(folder) }));
  let asked = 0;
  const client = new Client({ name: "rooted", version: "1" }, { capabilities: { roots: { listChanged: true } } });
  client.setRequestHandler(ListRootsRequestSchema, () => {
    asked += 1;
    return { roots };
  });
  const headers = { authorization: `Bearer ${host.token}` };
  const transport =
    kind === "HTTP"
      ? new StreamableHTTPClientTransport(new URL(host.url), { requestInit: { headers } })
      : new StdioClientTransport({ command: process.execPath, args: [cli, "stdio"], env: host.env, cwd: inHome("") });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    rootsOf: async (server: string) => {
      const { content } = await client.callTool({ name: `${server}__roots`, arguments: {} });
      return JSON.parse((content as { text: string }[])[0]!.text) as { pid: number; uris?: string[] };
    },
    change: async (next: string[]) => {
      roots = next.map((folder) => ({ uri: uriOf(folder) }));
      await client.sendRootsListChanged();
    },
    asked: () => asked,
  };
}

describe.each(["HTTP", "stdio"] as const)("a legacy client over %s with roots", (kind) => {
  it("gives its roots to a server that it does not share, and is asked for them once", async () => {
    const [ann, bob] = [await openWithRoots(kind, [inHome("a")]), await openWithRoots(kind, [inHome("b")])];
    expect(await ann.rootsOf("own")).toMatchObject({ uris: [uriOf(inHome("a"))] });
    expect(await bob.rootsOf("own")).toMatchObject({ uris: [uriOf(inHome("b"))] });
    expect(await ann.rootsOf("own")).toMatchObject({ uris: [uriOf(inHome("a"))] });
    expect([ann.asked(), bob.asked()]).toEqual([1, 1]);
  });

  it("gives changed roots to the process that is already running", async () => {
    const front = await openWithRoots(kind, [inHome("a")]);
    const { pid } = await front.rootsOf("own");
    await front.change([inHome("b")]);
    expect(await front.rootsOf("own")).toEqual({ pid, uris: [uriOf(inHome("b"))] });
  });

  it("can't give a server folders outside of the workspace", async () => {
    const front = await openWithRoots(kind, ["/", inHome("everything"), inHome("a"), "/etc"]);
    expect(await front.rootsOf("own")).toMatchObject({ uris: [uriOf(inHome("a"))] });
    await front.change(["/etc"]);
    expect(await front.rootsOf("own")).toMatchObject({ uris: [uriOf(inHome(""))] });
  });

  it("is not asked for its roots if clients share the server, or if the server gets no roots", async () => {
    const front = await openWithRoots(kind, [inHome("a")]);
    expect(await front.rootsOf("shared")).toMatchObject({ uris: [uriOf(inHome(""))] });
    expect(await front.rootsOf("none")).not.toHaveProperty("uris");
    expect(front.asked()).toBe(0);
  });
});

it("a server gets the roots of the workspace if its client has no roots", async () => {
  const front = await openClient("legacy over HTTP", host, () => ({ action: "cancel" }));
  onTestFinished(() => front.close());
  expect(JSON.parse(await front.call("own__roots"))).toMatchObject({ uris: [uriOf(inHome(""))] });
});
