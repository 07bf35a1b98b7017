/** Tests what clients of the TCP port may do: no new servers, no other folder, no invalid arguments. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "@plugboard/host";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost } from "./helpers/running-host.ts";

describe("a client of the TCP port", () => {
  async function openApi(permissions?: { ask: string[] }) {
    const running = await startRunningHost({ s: scriptedLegacy() }, {}, permissions);
    onTestFinished(running.close);
    const { hostname: host, port } = new URL(running.url);
    const fetch = nodeHttpFetch({ host, port: Number(port), token: running.token });
    const api = await connectRemote({ fetch, version: VERSION, kind: "api" });
    onTestFinished(() => api.close());
    return { api, cwd: running.env["HOME"]! };
  }

  it(
    "that asks before it sends a body may send it only if its origin, its token and the length are right",
    { meta: { covers: ["S32"] } },
    async () => {
      const running = await startRunningHost({});
      onTestFinished(running.close);
      const pagePort = new URL(running.url).port;
      const linkPort = new URL(running.daemon.openPage().url).port;
      const owner = `Authorization: Bearer ${running.token}`;
      const tooLong = `Content-Length: ${16 * 1024 * 1024 + 1}`;
      const api = "/api/v1/channels";
      const cases: [path: string, headers: string[], status: number, port?: string][] = [
        ["/mcp", [owner], 100],
        [api, [owner], 100],
        ["/page/session", [], 100],
        ["/", [], 100, linkPort],
        ["/mcp", [owner, "Host: evil.example"], 403],
        ["/mcp", [owner, "Origin: https://evil.example"], 403],
        ["/page/session", ["Origin: https://evil.example"], 403],
        ["/", ["Origin: https://evil.example"], 403, linkPort],
        ["/mcp", [], 401],
        [api, [], 401],
        ["/mcp", ["Authorization: Bearer wrong"], 401],
        ["/mcp", [owner, tooLong], 413],
        [api, [owner, tooLong], 400],
        ["/page/session", ["Content-Length: 1025"], 400],
        ["/", ["Content-Length: 1025"], 400, linkPort],
      ];
      for (const [path, added, status, port = pagePort] of cases) {
        const socket = connect(Number(port), "127.0.0.1");
        onTestFinished(() => void socket.destroy());
        const defaults = [`Host: 127.0.0.1:${port}`, `Origin: http://127.0.0.1:${port}`, "Content-Length: 2"];
        const nameOf = (header: string) => header.split(":", 1)[0];
        const kept = defaults.filter((header) => !added.some((one) => nameOf(one) === nameOf(header)));
        const head = [`POST ${path} HTTP/1.1`, ...kept, ...added, "Expect: 100-continue"];
        socket.write(`${head.join("\r\n")}\r\n\r\n`);
        let text = "";
        socket.on("data", (data) => (text += String(data)));
        await once(socket, status === 100 ? "data" : "close");
        expect(text, head.join(", ")).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(text.includes("100 Continue"), head.join(", ")).toBe(status === 100);
      }
    },
  );

  it("is told to open an attended channel if a call needs permission", async () => {
    const { api, cwd } = await openApi({ ask: ["s:*"] });
    const workspace = await api.workspace({ cwd });
    await expect(workspace.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({
      code: "NOBODY_TO_ASK",
      message: expect.stringMatching(/^(?!.*createHost).*"attended": true.*`inbox\.answer`/) as string,
    });
  });

  it("gets FORBIDDEN if it adds servers, rules or an environment by any method", async () => {
    const { api, cwd } = await openApi();
    const workspace = await api.workspace({ cwd });
    const definition = { command: "evil" };
    for (const refused of [
      () => api.workspace({ cwd, servers: { evil: definition } }),
      () => api.workspace({ cwd, configFiles: ["evil.json"] }),
      () => api.workspace({ cwd, permissions: { allow: ["*"] } }),
      () => api.workspace({ cwd, env: { PATH: "/evil" } }),
      () => workspace.servers.set({ evil: definition }),
      () => workspace.servers.set({}),
      () => workspace.servers.connect("evil", { definition }),
      () => workspace.servers.connect("evil", { definition: "evil" as never }),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
    expect(await workspace.servers.connect("s")).toMatchObject({ state: "ready" });
    expect((await workspace.status()).map(({ id }) => id)).toEqual(["s"]);
  });

  it(
    "gets FORBIDDEN if it trusts a project's server or opens another folder",
    { meta: { covers: ["S17"] } },
    async () => {
      const { api, cwd } = await openApi();
      await writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { p: { command: "evil" } } }));
      const workspace = await api.workspace({ cwd });
      await workspace.config.reload();
      const [pending] = await workspace.config.pending();
      const yes = { type: "trust", decision: "yes" } as const;
      for (const refused of [
        () => workspace.config.trust("p", pending!.hash),
        () => workspace.inbox.answer("any", yes),
        async () => api.workspace({ cwd: await makeFolder() }),
        () => api.workspace({ cwd: `${cwd}/..` }),
      ]) {
        await expect(refused()).rejects.toMatchObject({ code: "FORBIDDEN" });
      }
      expect(await workspace.config.pending()).toHaveLength(1);
      expect(await (await api.workspace({ cwd: undefined } as never)).status()).toHaveLength(2);
    },
  );

  it("gets USAGE for invalid arguments, and nothing changes", async () => {
    const { api, cwd } = await openApi();
    const workspace = await api.workspace({ cwd });
    const { servers, tools, activity } = workspace as unknown as {
      [part: string]: { [method: string]: (...args: unknown[]) => Promise<unknown> };
    };
    for (const wrong of [
      () => servers!["toggle"]!("s"),
      () => servers!["detail"]!(7),
      () => tools!["toggle"]!("s:echo", "yes"),
      () => tools!["search"]!({}),
      () => tools!["search"]!("x", { limit: "many" }),
      () => activity!["recent"]!("all"),
      ...[0, -1, 1.5, "ten"].map((limit) => () => activity!["recent"]!({ limit })),
      () => activity!["recent"]!({ since: "yesterday" }),
      () => activity!["recent"]!({ server: 7 }),
      () => api.workspace({ cwd, exclude: "s" } as never),
    ]) {
      await expect(wrong()).rejects.toMatchObject({ code: "USAGE" });
    }
    // JSON has no undefined, so null stands for an option that is absent.
    expect(await activity!["recent"]!({ limit: null })).toEqual(await activity!["recent"]!());
    expect((await workspace.status())[0]).not.toHaveProperty("hidden");
  });
});

async function makeFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "plugboard-folder-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}
