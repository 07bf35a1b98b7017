/** Tests the control API without Plugboard's own client, and that docs/openapi.json describes it. */
import { readFileSync } from "node:fs";
import { addNamedToken } from "@plugboard/host/tokens";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => void (host = await startRunningHost({ s: scriptedLegacy() })));
afterAll(() => host.close());

const document = JSON.parse(readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8")) as {
  readonly paths: { readonly [path: string]: { readonly post?: Operation } };
};

interface Operation {
  readonly responses: { readonly 200: { readonly content: { readonly [type: string]: { readonly schema: object } } } };
}

function send(path: string, body?: unknown, token = host.token): Promise<Response> {
  return fetch(new URL(path, host.url), {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
}

/** Reads server-sent events one by one. */
function readEvents({ body }: Response) {
  const reader = body!.getReader();
  onTestFinished(() => reader.cancel());
  let text = "";
  return async (): Promise<{ name: string | undefined; data: { readonly [key: string]: unknown } }> => {
    while (!text.includes("\n\n")) text += new TextDecoder().decode((await reader.read()).value);
    const [event = "", ...rest] = text.split("\n\n");
    text = rest.join("\n\n");
    const fields = new Map(event.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    return { name: fields.get("event"), data: JSON.parse(fields.get("data")!) as { [key: string]: unknown } };
  };
}

async function openWorkspace(): Promise<string> {
  const opened = await readEvents(await send("/api/v1/channels", { kind: "api" }))();
  const channel = `/api/v1/channels/${String(opened.data["channel"])}`;
  const { workspace } = (await (await send(`${channel}/workspaces`, {})).json()) as { workspace: string };
  return `${channel}/workspaces/${workspace}`;
}

describe("the control API", () => {
  it("needs neither Plugboard's client nor its version header", async () => {
    const workspace = await openWorkspace();
    expect(await (await send(`${workspace}/status`, [])).json()).toMatchObject([{ id: "s", state: "ready" }]);
    const called = await send(`${workspace}/tools.call`, ["s:echo", { text: "hi" }]);
    expect(await readEvents(called)()).toMatchObject({ data: { result: { content: [{ text: "hi" }] } } });
  });

  it("says with a result which events it has sent on the stream of the channel before", async () => {
    const next = readEvents(await send("/api/v1/channels", { kind: "api", workspace: {}, events: true }));
    const { channel, opened } = (await next()).data as { channel: string; opened: { workspace: string } };
    const path = `/api/v1/channels/${channel}/workspaces/${opened.workspace}/tools.call`;
    const answer = readEvents(await send(path, ["s:ask", {}]));
    const { data } = await answer();
    expect(data).toMatchObject({ result: { content: [{ text: 'answer: {"action":"cancel"}' }] } });
    let event = (await next()).data;
    while (event["type"] !== "question.unattended") event = (await next()).data;
    expect(data["seq"]).toBeGreaterThanOrEqual(event["seq"] as number);
  });

  it("has the paths of docs/openapi.json", async () => {
    const workspace = await openWorkspace();
    const methods = Object.keys(document.paths).filter((path) => path.includes("{workspace}/"));
    expect(methods.length).toBeGreaterThan(30);
    for (const path of methods) {
      // The arguments are wrong, so that nothing happens.
      const response = await send(`${workspace}/${path.split("/").at(-1)!}`, {});
      const { error } = (await response.json()) as { error: { code: string } };
      expect(["USAGE", "FORBIDDEN"], path).toContain(error.code);
    }
  });

  it.each([
    ["status", []],
    ["snapshot", []],
    ["start", [{}]],
    ["servers.detail", ["s"]],
    ["servers.toggle", ["s", true]],
    ["tools.list", []],
    ["tools.search", ["echo", {}]],
    ["resources.list", [{}]],
    ["prompts.list", [{}]],
    ["inbox.list", []],
    ["config.problems", []],
    ["permissions.decisions", []],
    ["logins.list", []],
    ["secrets.list", []],
    ["activity.recent", [{}]],
    ["activity.metrics", []],
    ["activity.stats", [{ spanMs: 60_000 }]],
  ])("returns for %s what docs/openapi.json describes", async (method, args) => {
    const workspace = await openWorkspace();
    const response = await send(`${workspace}/${method}`, args);
    expect(response.status).toBe(200);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(document, "openapi");
    const path = `/api/v1/channels/{channel}/workspaces/{workspace}/${method}`;
    const pointer = ["paths", path, "post", "responses", "200", "content", "application/json", "schema"];
    const escaped = pointer.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1")));
    const validate = ajv.compile({ $ref: `openapi#/${escaped.join("/")}` });
    validate(await response.json());
    expect(validate.errors).toBeNull();
  });
});

describe("GET /api/v1/events", () => {
  it("sends the snapshot of the served workspace first, then every event after it", async () => {
    const next = readEvents(await send("/api/v1/events"));
    const first = await next();
    expect(first).toMatchObject({ name: "snapshot", data: { servers: [{ id: "s" }], questions: [] } });
    const workspace = await openWorkspace();
    await (await send(`${workspace}/tools.call`, ["s:echo", { text: "hi" }])).text();
    const second = await next();
    expect(second).toMatchObject({ name: "call.started", data: { type: "call.started", server: "s", tool: "echo" } });
    expect(second.data["seq"]).toBe((first.data["seq"] as number) + 1);
    expect(await next()).toMatchObject({ name: "call.ended", data: { seq: (second.data["seq"] as number) + 1 } });
  });

  it("refuses a folder other than the served folder", { meta: { covers: ["S17"] } }, async () => {
    expect((await send("/api/v1/events?cwd=/")).status).toBe(403);
    expect((await send("/api/v1/events?servers=x")).status).toBe(400);
  });
});

describe("GET /metrics", () => {
  it("counts the calls of each tool by their outcome", async () => {
    const call = await send(`${await openWorkspace()}/tools.call`, ["s:echo", { text: "hi" }]);
    await readEvents(call)();
    const text = await (await send("/metrics")).text();
    expect(text).toMatch(/^plugboard_calls_total\{server="s",tool="echo",outcome="complete"\} [1-9]/m);
    expect(text).toMatch(/^mcp_client_operation_duration_seconds_count\{.*gen_ai_tool_name="echo".*\} [1-9]/m);
  });

  it(
    "answers the owner and clients without a profile, and no client with a profile",
    { meta: { covers: ["S16"] } },
    async () => {
      const tokenOf = (name: string, profile?: string) =>
        addNamedToken(host.env, { name, profile, mayApprove: false, now: 0 });
      const [all, bound] = [await tokenOf("scraper"), await tokenOf("bound", "review")];
      for (const token of [host.token, all]) {
        const response = await send("/metrics", undefined, token);
        expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
        expect(await response.text()).toMatch(/^# TYPE /m);
      }
      expect((await send("/metrics", undefined, bound)).status).toBe(403);
    },
  );
});
