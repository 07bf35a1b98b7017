/** Tests what the socket, the port and the gateway allow: callers, channels, upgrades, sizes, sessions and tools. */
import { once } from "node:events";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { request } from "node:http";
import { controlPaths, VERSION_HEADER } from "@plugboard/contracts";
import { addNamedToken, deleteNamedToken } from "@plugboard/host/tokens";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import type { RemoteWorkspace } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import type { HostAddress } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { sendToolCall } from "../../gateway/test/helpers/raw-modern-client.ts";
import { openClient } from "../../gateway/test/helpers/official-clients.ts";
import { frontWith } from "./helpers/front-requests.ts";
import { startRunningHost } from "./helpers/running-host.ts";
import type { RunningHost } from "./helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => {
  const spec = { cwd: tmpdir(), permissions: { deny: ["s:echo"] } };
  host = await startRunningHost({ s: scriptedLegacy() }, { spec }, undefined, { all: {} });
});
afterAll(() => host.close());

const overSocket = (): HostAddress => ({ socketPath: socketPath(host.env) });
const overTcp = (): HostAddress => ({ host: "127.0.0.1", port: Number(new URL(host.url).port), token: host.token });
const listeners = [
  { listener: "the socket", address: overSocket, otherAddress: overTcp, kind: "cli" },
  { listener: "the TCP port", address: overTcp, otherAddress: overSocket, kind: "api" },
] as const;

async function open(address: HostAddress, kind: "cli" | "api") {
  const remote = await connectRemote({ fetch: nodeHttpFetch(address), version: VERSION, kind });
  onTestFinished(() => remote.close());
  return remote;
}

describe.each(listeners)("a client of $listener", ({ address, otherAddress, kind }) => {
  it("can be a caller only of the kinds that the listener allows", { meta: { covers: ["S17"] } }, async () => {
    const allowed = kind === "cli" ? ["program", "cli", "chat"] : ["api"];
    for (const tried of ["program", "cli", "chat", "page", "api", "front", "agent", "", undefined] as never[]) {
      const opening = connectRemote({ fetch: nodeHttpFetch(address()), version: VERSION, kind: tried });
      if (allowed.includes(tried)) await (await opening).close();
      else await expect(opening, String(tried)).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
  });

  it("can't use a channel of the other listener", async () => {
    const remote = await open(address(), kind);
    const workspace = (await remote.workspace({ cwd: tmpdir() })) as RemoteWorkspace;
    const { channel } = remote;
    const statusOver = async (via: HostAddress, method: "GET" | "POST", path: string) => {
      const headers = { [VERSION_HEADER]: VERSION };
      const { status, body } = await nodeHttpFetch(via)(path, {
        method,
        headers,
        ...(method === "POST" && { body: "[]" }),
      });
      for await (const _ of body) break;
      return status;
    };
    const invoke = controlPaths.invoke(channel, workspace.id, "status");
    expect(await statusOver(address(), "POST", invoke)).toBe(200);
    for (const [method, path] of [
      ["POST", invoke],
      ["POST", controlPaths.workspaces(channel)],
      ["GET", controlPaths.events(channel, 0)],
    ] as const) {
      expect(await statusOver(otherAddress(), method, path), path).toBe(404);
    }
  });

  it("gets an error for a request larger than 16 MiB", async () => {
    const { channel } = await open(address(), kind);
    const send = async (bytes: number) => {
      const headers = { [VERSION_HEADER]: VERSION };
      const path = controlPaths.workspaces(channel);
      const body = `{"cwd":${JSON.stringify(tmpdir())}}`.padEnd(bytes);
      return (await nodeHttpFetch(address())(path, { method: "POST", headers, body })).status;
    };
    expect(await send(16 * 1024 * 1024)).toBe(200);
    expect(await send(16 * 1024 * 1024 + 1)).toBe(400);
  });
});

describe("the socket", () => {
  /** Sends a request and returns its status. */
  function statusOf(headers: { [name: string]: string }, path: string = controlPaths.channels): Promise<number> {
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath: socketPath(host.env), path, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
      sent.on("upgrade", (_, stream) => {
        stream.destroy();
        resolve(101);
      });
      sent.on("error", reject).end();
    });
  }

  it.each(["https://evil.example", "null", "http://localhost"])(
    "rejects requests from a web page of the origin %s",
    { meta: { covers: ["S16"] } },
    async (origin) => {
      expect(await statusOf({ origin, [VERSION_HEADER]: VERSION })).toBe(403);
      expect(await statusOf({ origin, [VERSION_HEADER]: VERSION }, "/nowhere")).toBe(403);
    },
  );

  it(
    "upgrades to a byte stream only for Plugboard's own protocol, never for a web page",
    { meta: { covers: ["S16"] } },
    async () => {
      const remote = await open(overSocket(), "cli");
      const workspace = (await remote.workspace({ cwd: tmpdir() })) as RemoteWorkspace;
      const path = controlPaths.invoke(remote.channel, workspace.id, "stdio");
      const upgrade = (protocol: string, more = {}) =>
        statusOf({ connection: "Upgrade", upgrade: protocol, ...more }, path);
      expect(await upgrade("plugboard-stdio")).toBe(101);
      for (const protocol of ["websocket", "h2c", "plugboard", "plugboard-stdio2", "PLUGBOARD-STDIO, websocket"]) {
        expect(await upgrade(protocol), protocol).toBe(404);
      }
      for (const origin of ["https://evil.example", "null", "http://localhost"]) {
        expect(await upgrade("plugboard-stdio", { origin }), origin).toBe(404);
      }
    },
  );

  it("opens no byte stream for a channel of the TCP port", async () => {
    const remote = await open(overTcp(), "api");
    const workspace = (await remote.workspace({ cwd: tmpdir() })) as RemoteWorkspace;
    const path = controlPaths.invoke(remote.channel, workspace.id, "stdio");
    expect(await statusOf({ connection: "Upgrade", upgrade: "plugboard-stdio" }, path)).toBe(404);
  });
});

describe("the TCP port", () => {
  it(
    "checks the Host and Origin headers of an upgrade request, and upgrades no request",
    { meta: { covers: ["S16"] } },
    async () => {
      const { port } = new URL(host.url);
      const statusOf = async (lines: readonly string[]) => {
        const client = connect(Number(port), "127.0.0.1");
        const all = [`Authorization: Bearer ${host.token}`, "Connection: Upgrade", ...lines];
        client.write(`GET /mcp HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n`);
        const [answer] = (await once(client, "data")) as [Buffer];
        client.destroy();
        return /^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1];
      };
      for (const protocol of ["websocket", "plugboard-stdio", "h2c"]) {
        const upgrade = `Upgrade: ${protocol}`;
        expect(await statusOf([upgrade, "Host: evil.example"])).toBe("403");
        expect(await statusOf([upgrade, `Host: 127.0.0.1:${port}`, "Origin: https://evil.example"])).toBe("403");
        expect(await statusOf([upgrade, `Host: 127.0.0.1:${port}`])).toBe("405");
      }
    },
  );
});

describe("the gateway of a running host", () => {
  const initialize = (more = "") => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
    return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }) + more;
  };
  const post = (body: string, headers: { [name: string]: string } = {}) =>
    fetch(host.url, {
      method: "POST",
      headers: { authorization: `Bearer ${host.token}`, "content-type": "application/json", ...headers },
      body,
    });

  it("accepts a message of 16 MiB and rejects a larger one", async () => {
    const body = initialize();
    expect((await post(body.padEnd(16 * 1024 * 1024))).status).toBe(200);
    expect((await post(body.padEnd(16 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it(
    "holds a thousand sessions of a token, refuses the next one and closes none",
    { meta: { covers: ["S18"] } },
    async () => {
      const name = "holder";
      const token = await addNamedToken(host.env, { name, mayApprove: false, now: 0 });
      onTestFinished(() => deleteNamedToken(host.env, name));
      const front = frontWith(host, token);
      const sessions: string[] = [];
      while (sessions.length < 1000)
        sessions.push(...(await Promise.all(Array.from({ length: 50 }, () => front.start()))));
      expect(new Set(sessions).size).toBe(1000);
      const refused = await front.initialize();
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
      expect(await refused.json()).toMatchObject({
        error: { message: expect.stringContaining("This token has 1000 open sessions") as string },
      });
      // The sessions at all paths of the port count together.
      expect((await front.initialize({ path: "/mcp/p/all" })).status).toBe(429);
      for (const session of [sessions[0]!, sessions[500]!, sessions[999]!]) {
        expect((await front.ping({ session })).status).toBe(200);
      }
      expect((await frontWith(host, host.token).initialize()).status).toBe(200);
    },
  );

  it.each(["modern", "legacy"] as const)("rejects a %s client's call of a denied tool", async (era) => {
    const tool = "s__echo";
    const denied = '"s:echo" is denied';
    if (era === "modern") {
      const { result } = await sendToolCall(host, tool, { text: "hi" });
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(denied) as string }] });
      return;
    }
    const front = await openClient("legacy over HTTP", host, () => ({ action: "cancel" }));
    onTestFinished(() => front.close());
    expect(await front.call(tool, { text: "hi" })).toContain(denied);
    // Other tools are not affected.
    expect(await front.call("s__progress", { steps: 1 })).toBe("done in 1 steps");
  });
});
