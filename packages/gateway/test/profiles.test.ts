/** Tests the profiles of the gateway, for every kind of client: what they show, hide, deny and cut. */
import { isJsonObject } from "@plugboard/contracts";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { modernStdio, startModernHttp } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";
import { sendRequest, sendToolCall } from "./helpers/raw-modern-client.ts";
import { startScriptedModern } from "./helpers/scripted-modern.ts";
import type { ScriptedModern } from "./helpers/scripted-modern.ts";
import { addNamedToken, startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const SKILLS = "io.modelcontextprotocol/skills";
const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttlMs: 60_000 };
const hiddenCapabilities = {
  tools: {},
  resources: {},
  prompts: {},
  completions: {},
  extensions: { [SKILLS]: {}, "io.modelcontextprotocol/tasks": {}, "example.com/notes": {} },
};

/** All profiles hide the server `hidden`, except `hidden` itself. */
const profiles = {
  plain: { servers: ["shown"], naming: "{tool}" },
  echoes: { tools: { include: ["shown:echo", "shown:log"], exclude: ["*:log"] } },
  strict: { servers: ["shown"], permissions: { deny: ["shown:add_tool", "shown:echo(text=secret)"] } },
  short: { servers: ["shown"], max_result_bytes: 1000 },
  changing: { servers: ["shown"] },
  hidden: { servers: ["hidden"] },
};

let shown: RunningServer;
let hidden: ScriptedModern;
let host: RunningHost;
beforeAll(async () => {
  shown = await startModernHttp();
  hidden = await startScriptedModern(hiddenCapabilities, {
    "tools/list": () => ({ tools: [{ name: "secret", inputSchema: { type: "object" } }] }),
    "tools/call": ({ arguments: args }) =>
      isJsonObject(args) && "long" in args
        ? { resultType: "task", taskId: "1", status: "working", ...times }
        : { content: [{ type: "text", text: "reached" }] },
    "resources/list": () => ({ resources: [{ uri: "hidden://a", name: "a" }] }),
    "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "hidden://{x}", name: "x" }] }),
    "resources/read": ({ uri }) => ({ contents: [{ uri, text: "reached" }] }),
    "prompts/list": () => ({ prompts: [{ name: "secret" }] }),
    "prompts/get": () => ({ messages: [] }),
    "completion/complete": () => ({ completion: { values: ["reached"] } }),
    "skills/list": () => ({ skills: [{ uri: "skill://hidden/SKILL.md" }] }),
    "notes/add": () => ({ reached: true }),
    "tasks/get": ({ taskId }) => ({ taskId, status: "working", ...times }),
  });
  const servers = { shown: { url: shown.url }, hidden: { url: hidden.url } };
  host = await startRunningHost(servers, {}, { allow: ["*"] }, profiles);
});
afterAll(async () => {
  await host.close();
  await Promise.all([shown.close(), hidden.close()]);
});

async function open(kind: ClientKind, profile?: string): Promise<OfficialClient> {
  const served = profile === undefined ? host : { ...host, profile };
  const front = await openClient(kind, served, () => ({ action: "decline" }));
  onTestFinished(() => front.close());
  return front;
}

async function setProfiles(next: object): Promise<void> {
  const file = host.env["PLUGBOARD_CONFIG_PATH"]!;
  const config = JSON.parse(await readFile(file, "utf8")) as { mcp: object };
  await writeFile(file, JSON.stringify({ ...config, mcp: { ...config.mcp, profiles: next } }));
}

interface CutResult {
  readonly content: { readonly type: string; readonly text?: string; readonly uri?: string }[];
}

describe.each(clientKinds)("a %s client with a profile", (kind) => {
  it("sees only the servers of the profile, under the names that the profile sets", async () => {
    const front = await open(kind, "plain");
    const names = await front.listTools();
    expect(names).toContain("echo");
    expect(names.filter((name) => name.includes("__") || name === "secret")).toEqual([]);
    expect(await front.call("echo", { text: "hi" })).toBe("hi");
    const lists = await Promise.all(
      ["resources/list", "resources/templates/list", "prompts/list"].map((method) => front.request(method, {})),
    );
    expect(JSON.stringify(lists)).toContain("note://welcome");
    expect(JSON.stringify(lists)).not.toMatch(/hidden|secret/);
    expect(lists[2]).toMatchObject({ prompts: expect.arrayContaining([expect.objectContaining({ name: "review" })]) });
    expect(front.instructions).toContain("# shown");
    expect(front.instructions).not.toContain("# hidden");
  });

  it("can't reach a hidden server by any method", async () => {
    const front = await open(kind, "plain");
    const ref = { type: "ref/prompt", name: "hidden__secret" };
    const requests: [string, Record<string, unknown>][] = [
      ["tools/call", { name: "hidden__secret", arguments: {} }],
      ["tools/call", { name: "secret", arguments: {} }],
      ["tools/call", { name: "hidden:secret", arguments: {} }],
      ["resources/read", { uri: "hidden://a" }],
      ["resources/read", { uri: "plugboard://hidden/hidden://a" }],
      ["prompts/get", { name: "hidden__secret" }],
      ["completion/complete", { ref, argument: { name: "a", value: "" } }],
      [
        "completion/complete",
        { ref: { type: "ref/resource", uri: "hidden://{x}" }, argument: { name: "x", value: "" } },
      ],
    ];
    const calls = () => hidden.paramsOf("tools/call").length + hidden.paramsOf("resources/read").length;
    const before = calls();
    for (const [method, params] of requests) {
      const answer = await front.request(method, params).then(
        (result) => JSON.stringify(result),
        (error: Error) => error.message,
      );
      expect(answer, method).not.toContain("reached");
    }
    expect(calls()).toBe(before);
  });

  it("sees only the included tools that are not excluded, and can call no other", async () => {
    const front = await open(kind, "echoes");
    expect(await front.listTools()).toEqual(["shown__echo"]);
    await expect(front.call("shown__log")).rejects.toMatchObject({ code: -32602 });
    await expect(front.call("shown__write_note")).rejects.toMatchObject({ code: -32602 });
  });

  it("does not see a tool that a rule of the profile denies, and gets a reason for a denied call", async () => {
    const front = await open(kind, "strict");
    expect(await front.listTools()).not.toContain("shown__add_tool");
    expect(await front.call("shown__add_tool", { name: "x" })).toMatch(/denied/i);
    expect(await front.call("shown__echo", { text: "secret" })).toMatch(/denied/i);
    expect(await front.call("shown__echo", { text: "hi" })).toBe("hi");
    // The rules of the profile do not apply to a client without the profile.
    expect(await (await open(kind)).call("shown__echo", { text: "secret" })).toBe("secret");
  });

  it("gets a long result cut, and reads the rest as a resource", { meta: { covers: ["R2.167"] } }, async () => {
    const front = await open(kind, "short");
    const whole = "line\n".repeat(1000);
    const params = { name: "shown__echo", arguments: { text: whole } };
    const { content } = (await front.request("tools/call", params)) as CutResult;
    const [first, note, link] = content;
    expect(first!.text!.length).toBeLessThan(1000);
    expect(whole.startsWith(first!.text!)).toBe(true);
    expect(note!.text).toContain(`the whole text is the resource ${link!.uri}`);
    expect(link).toMatchObject({ type: "resource_link", size: whole.length });
    const { contents } = (await front.request("resources/read", { uri: link!.uri })) as { contents: object[] };
    expect(contents).toEqual([{ uri: link!.uri, mimeType: "text/plain", text: whole }]);
    // Over stdio, a client without the profile is another owner of results. Over HTTP, it has another view.
    const other = await open(kind);
    await expect(other.request("resources/read", { uri: link!.uri })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("while the host runs") as string,
    });
    expect(await other.call("shown__echo", { text: whole })).toBe(whole);
  });

  it("is notified when the profile changes, and sees the change", async () => {
    await setProfiles(profiles);
    await host.daemon.workspace.config.reload();
    const front = await open(kind, "changing");
    await front.subscribe("note://welcome");
    expect(await front.listTools()).toContain("shown__echo");
    await setProfiles({ ...profiles, changing: { servers: ["hidden"] } });
    for (const part of ["prompts", "tools", "resources"]) {
      const method = `notifications/${part}/list_changed`;
      await vi.waitFor(() => expect(front.notifications.map((one) => one.method)).toContain(method), {
        timeout: 10_000,
      });
    }
    expect(await front.listTools()).toEqual(["hidden__secret"]);
    expect(await front.call("hidden__secret")).toBe("reached");
    await expect(front.call("shown__echo", { text: "hi" })).rejects.toMatchObject({ code: -32602 });
    await setProfiles(profiles);
    await vi.waitFor(async () => expect(await front.listTools()).toContain("shown__echo"), { timeout: 10_000 });
  });
});

const plain = () => ({ ...host, url: `${host.url}/p/plain` });

it("a profile hides the extensions, skills and tasks of hidden servers", async () => {
  const { result } = await sendRequest(plain(), "server/discover");
  expect(JSON.stringify(result)).not.toMatch(/skills|example.com/);
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  expect(await sendRequest(plain(), "skills/list")).toMatchObject({ error: { code: -32601 } });
  expect(await sendRequest(plain(), "notes/add")).toMatchObject({ error: { code: -32601 } });
  const task = { capabilities, params: { taskId: "hidden/1" } };
  expect(await sendRequest(plain(), "tasks/get", task)).toMatchObject({ error: { code: -32601 } });
  expect(hidden.paramsOf("tasks/get")).toEqual([]);
  const profile = { ...host, url: `${host.url}/p/hidden` };
  await sendToolCall(profile, "hidden__secret", { long: true }, { capabilities });
  expect(await sendRequest(profile, "tasks/get", task)).toMatchObject({ result: { taskId: "hidden/1" } });
});

it("a capped profile lists no output schemas, because a cut result has no structured content", async () => {
  const outputs = async (url: string) => {
    const { result } = await sendRequest({ ...host, url }, "tools/list");
    return (result!["tools"] as { outputSchema?: object }[]).filter(({ outputSchema }) => outputSchema).length;
  };
  expect(await outputs(host.url)).toBeGreaterThan(0);
  expect(await outputs(`${host.url}/p/short`)).toBe(0);
});

async function post(profile: string, token = host.token) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${host.url}/p/${profile}`, { method: "POST", headers, body: "{}" });
  return { status: response.status, body: await response.text() };
}

describe("an unknown profile", () => {
  it("is answered with 404 and an error in JSON over HTTP, also if a known profile was removed", async () => {
    expect(await post("nobody")).toEqual({ status: 404, body: expect.stringContaining("NOT_FOUND") });
    expect((await post("nobody")).body).toContain('There is no profile \\"nobody\\"');
    expect((await post("echoes")).status).not.toBe(404);
    const { echoes: _, ...others } = profiles;
    await setProfiles(others);
    await host.daemon.workspace.config.reload();
    expect((await post("echoes")).status).toBe(404);
    await setProfiles(profiles);
    await host.daemon.workspace.config.reload();
    expect((await post("echoes")).status).not.toBe(404);
  });

  it("ends plugboard stdio with an error", async () => {
    const opened = openClient("legacy over stdio", { ...host, profile: "nobody" }, () => ({ action: "decline" }));
    await expect(opened).rejects.toThrow(/closed/i);
  });
});

describe("a token that is bound to a profile", () => {
  const token = (name: string, profile: string) =>
    addNamedToken(host.env, { name, profile, mayApprove: true, now: Date.now() });

  it("gets the profile at /mcp and at its own path, and is refused at the paths of others", async () => {
    const client = { ...host, token: await token("echo-client", "echoes") };
    const names = async (url: string) => {
      const { result } = await sendRequest({ ...client, url }, "tools/list");
      return (result!["tools"] as { name: string }[]).map(({ name }) => name);
    };
    expect(await names(host.url)).toEqual(["shown__echo"]);
    expect(await names(`${host.url}/p/echoes`)).toEqual(["shown__echo"]);
    expect(await post("plain", client.token)).toMatchObject({ status: 403 });
  });

  it("can't read the long result of another token", { meta: { covers: ["R2.167"] } }, async () => {
    const [ann, bob] = [await token("ann", "short"), await token("bob", "short")];
    const called = await sendToolCall({ ...host, token: ann }, "shown__echo", { text: "x".repeat(5000) });
    const { uri } = (called.result as unknown as CutResult).content.find(({ type }) => type === "resource_link")!;
    const read = (owner: string) => sendRequest({ ...host, token: owner }, "resources/read", { params: { uri } });
    expect(await read(bob)).toMatchObject({ error: { code: -32602, data: { uri } } });
    expect(await read(ann)).toMatchObject({ result: { contents: [{ text: "x".repeat(5000) }] } });
  });
});

it("a profile with a folder shows the servers of that folder to HTTP clients", async () => {
  const folder = join(host.env["HOME"]!, "project");
  await mkdir(join(folder, ".plugboard"), { recursive: true });
  const projectServers = { mcp: { servers: { local: modernStdio() } } };
  await writeFile(join(folder, ".plugboard", "config.json"), JSON.stringify(projectServers));
  const api = host.daemon.connect("cli", { attended: true });
  const workspace = await api.workspace({ cwd: folder });
  const [pending] = await workspace.config.pending();
  await workspace.config.trust("local", pending!.hash);
  await api.close();
  await setProfiles({ ...profiles, project: { cwd: folder, servers: ["local"] }, gone: { cwd: join(folder, "no") } });
  await host.daemon.workspace.config.reload();
  const front = await open("modern over HTTP", "project");
  expect(await front.listTools()).toContain("local__echo");
  expect(await front.call("local__echo", { text: "hi" })).toBe("hi");
  expect(await post("gone")).toEqual({ status: 404, body: expect.stringContaining("There is no folder") });
  await setProfiles(profiles);
});
