/** Tries every cell of the table of rights through a real door: methods, routes, and what depends on the arguments. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  ALL_HOLDERS,
  CONTROL_API_PATH,
  controlPaths,
  grantOf,
  hasRight,
  isChatMethodPath,
  isHostMethodPath,
  isOperationPath,
  METHODS,
  RIGHTS,
} from "@plugboard/contracts";
import type { MethodPath } from "@plugboard/contracts";
import { socketPath } from "@plugboard/store";
import { openUpgradedStream } from "@plugboard/remote/node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { portRouteAt } from "#http/routes.js";
import { KINDS, openDoors } from "../helpers/doors.ts";
import type { Doors, Received, RequestingHolder } from "../helpers/doors.ts";

const PATHS = Object.keys(METHODS) as MethodPath[];
const HOLDERS = ALL_HOLDERS.filter((holder): holder is RequestingHolder => holder !== "app" && holder !== "stdio");
const WITH_CHANNEL = HOLDERS.filter((holder) => hasRight(holder, "open_channel"));
const WITHOUT_CHANNEL = HOLDERS.filter((holder) => !hasRight(holder, "open_channel"));

let doors: Doors;
beforeAll(async () => void (doors = await openDoors()));
afterAll(() => doors.close());

interface Ids {
  readonly channel: string;
  readonly workspace: string;
}

/** Opens a channel with the served workspace. */
async function openWorkspace(holder: RequestingHolder): Promise<Ids> {
  const cwd = doors.host.env["HOME"]!;
  const { status, body } = await doors.openChannel(holder, { workspace: { cwd } });
  expect(status).toBe(200);
  const { channel, opened } = body as { channel: string; opened: { workspace: string } };
  return { channel, workspace: opened.workspace };
}

function urlOf(path: MethodPath, { channel, workspace }: Ids): string {
  if (isHostMethodPath(path)) return controlPaths.host(channel, path);
  if (isOperationPath(path)) return controlPaths.operations(channel, path);
  if (isChatMethodPath(path)) return controlPaths.chats(channel, path);
  return controlPaths.invoke(channel, workspace, path);
}

function codeOf({ body }: Received): string | undefined {
  return (body as { error?: { code: string } }).error?.code;
}

describe("the methods of the control API", { meta: { covers: ["S27"] } }, () => {
  it.each(WITH_CHANNEL)("are open to %s exactly as the table says", async (holder) => {
    const ids = await openWorkspace(holder);
    const allowed: string[] = [];
    for (const path of PATHS) {
      // The rights are checked before the arguments, so this runs nothing.
      const code = codeOf(await doors.send(holder, "POST", urlOf(path, ids), "no list"));
      expect(["USAGE", "FORBIDDEN"], path).toContain(code);
      if (code === "USAGE") allowed.push(path);
    }
    expect(allowed).toEqual(PATHS.filter((path) => hasRight(holder, METHODS[path].right)));
  });

  it.each(WITHOUT_CHANNEL)("are closed to %s, also on the channel of another holder", async (holder) => {
    const expected = holder === "stranger" ? 401 : 403;
    expect((await doors.openChannel(holder)).status).toBe(expected);
    for (const owner of ["owner_token", "page"] as const) {
      const ids = await openWorkspace(owner);
      for (const path of PATHS)
        expect((await doors.send(holder, "POST", urlOf(path, ids), [])).status, path).toBe(expected);
    }
  });

  it.each(WITH_CHANNEL)("need further rights of %s with some arguments", async (holder) => {
    const ids = await openWorkspace(holder);
    /** For each method with conditional rights: the arguments that need each right. */
    const cases: { readonly [path: string]: { readonly [right: string]: unknown[] } } = {
      "servers.connect": { add_servers: ["x", { definition: 7 }] },
      "operations.describeServer": { add_servers: ["x", { servers: 7 }] },
      "operations.exportServers": {
        read_secrets: ["cursor", { showSecrets: 7 }],
        add_servers: ["cursor", { servers: 7 }],
      },
      "inbox.answer": { trust: ["x", { type: "trust", decision: "yes" }] },
      "chats.create": { add_servers: [{ servers: 7 }], use_native_tools: [{ nativeTools: "yes" }] },
      "chats.resume": { add_servers: ["x", { env: 7 }], use_native_tools: ["x", { nativeTools: "yes" }] },
    };
    const conditional = PATHS.filter((path) => METHODS[path].more);
    expect(Object.keys(cases).toSorted()).toEqual(conditional.toSorted());
    for (const path of conditional) {
      for (const { right, applies } of METHODS[path].more!) {
        const args = cases[path]![right]!;
        expect(applies(args), `${path} ${right}`).toBe(true);
        const isForbidden = codeOf(await doors.send(holder, "POST", urlOf(path, ids), args)) === "FORBIDDEN";
        const isAllowed = hasRight(holder, METHODS[path].right) && hasRight(holder, right);
        expect(isForbidden, `${path} ${right}`).toBe(!isAllowed);
      }
    }
  });

  it.each(WITH_CHANNEL)(
    "open a workspace for %s only with settings and in a folder that it may choose",
    async (holder) => {
      const { channel } = await openWorkspace(holder);
      const cwd = doors.host.env["HOME"]!;
      const parts = { servers: {}, permissions: {}, configFiles: [], env: {} };
      const openWith = async (spec: object) =>
        (await doors.send(holder, "POST", controlPaths.workspaces(channel), spec)).status;
      for (const [key, value] of Object.entries(parts))
        expect(await openWith({ cwd, [key]: value }), key).toBe(hasRight(holder, "add_servers") ? 200 : 403);
      expect(await openWith({ cwd: "/" })).toBe(hasRight(holder, "open_folders") ? 200 : 403);
      expect(await openWith({ cwd })).toBe(200);
      // A link in the served folder to a folder elsewhere. For the system, `link/..` is not the served folder.
      const other = await mkdtemp(join(tmpdir(), "plugboard-other-"));
      onTestFinished(() => rm(other, { recursive: true }));
      await mkdir(join(other, "inner"));
      await writeFile(join(other, "secret.txt"), "");
      const link = join(cwd, `link-${holder}`);
      await symlink(join(other, "inner"), link);
      if (hasRight(holder, "use_native_tools") && !hasRight(holder, "open_folders")) {
        const opened = await doors.send(holder, "POST", controlPaths.workspaces(channel), {
          cwd: `${link}/..`,
          nativeTools: true,
        });
        const { workspace } = opened.body as { workspace: string };
        const args = ["native:glob", { pattern: "*" }];
        const { body } = await doors.send(holder, "POST", controlPaths.invoke(channel, workspace, "tools.call"), args);
        expect(JSON.stringify(body)).toContain("config.json");
        expect(JSON.stringify(body)).not.toContain("secret.txt");
      }
      const feed = await doors.send(holder, "GET", `${controlPaths.feed}?cwd=/`);
      expect(feed.status).toBe(hasRight(holder, "open_folders") ? 200 : 403);
    },
  );

  it.each(WITH_CHANNEL)(
    "let %s be a caller only of its own kind, and watch the inbox only with the right",
    async (holder) => {
      const ofSocket = holder === "socket" || holder === "chat";
      const own = ofSocket ? ["program", "cli", "chat"] : [KINDS[holder]];
      for (const kind of ["program", "cli", "chat", "page", "api", "front", "owner", "__proto__", null]) {
        const { status } = await doors.openChannel(holder, { kind });
        expect(status, String(kind)).toBe(own.includes(kind as never) ? 200 : 403);
      }
      const { status } = await doors.openChannel(holder, { watchesInbox: true });
      expect(status).toBe(hasRight(holder, "watch_inbox") ? 200 : 403);
    },
  );
});

describe("a stdio client", () => {
  /** Opens the stream of a stdio client. Returns a function that sends a request and resolves with its response. */
  async function openStream() {
    const { channel, workspace } = await openWorkspace("socket");
    const path = socketPath(doors.host.env);
    const stream = await openUpgradedStream(path, controlPaths.invoke(channel, workspace, "stdio"), {});
    onTestFinished(() => void stream.destroy());
    const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
    return async (id: number, method: string, params: object) => {
      stream.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      for (;;) {
        const message = JSON.parse((await lines.next()).value as string) as { id?: number; error?: { code: number } };
        if (message.id === id) return message;
      }
    };
  }

  it("reaches no method of the control API, in either form of its name", async () => {
    const send = await openStream();
    const clientInfo = { name: "stdio", version: "0" };
    await send(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    const names = PATHS.flatMap((path) => [path, path.replace(".", "/")]).filter((name) => !MCP_METHODS.has(name));
    for (const [index, name] of names.entries()) {
      expect([name, (await send(index + 1, name, {})).error?.code]).toEqual([name, -32601]);
    }
  });
});

/** Methods of MCP that are named like those of the control API. */
const MCP_METHODS: ReadonlySet<string> = new Set([
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/templates",
  "prompts/list",
  "prompts/get",
  "resources/subscribe",
  "resources/unsubscribe",
]);

describe("the routes of the port", { meta: { covers: ["S27"] } }, () => {
  const REQUESTS = [
    ["GET", "/healthz"],
    ["GET", "/.well-known/oauth-protected-resource/mcp"],
    ["GET", "/mcp"],
    ["GET", "/metrics"],
    ["GET", `${CONTROL_API_PATH}/events`],
    ["GET", "/"],
  ] as const;

  it.each(HOLDERS.filter((holder) => holder !== "socket" && holder !== "chat"))(
    "are open to %s exactly as the table says",
    async (holder) => {
      for (const [method, path] of REQUESTS) {
        const { right } = portRouteAt(path);
        const { status } = await doors.send(holder, method, path);
        const isOpen = status !== 401 && status !== 403;
        expect(isOpen, `${path} ${status}`).toBe(hasRight(holder, right));
      }
    },
  );

  it.each(["socket", "chat"] as const)("do not exist for %s: the socket has only the control API", async (holder) => {
    for (const [method, path] of REQUESTS.filter(([, one]) => !one.startsWith(CONTROL_API_PATH)))
      expect((await doors.send(holder, method, path)).status, path).toBe(404);
  });
});

describe("the table", { meta: { covers: ["S27"] } }, () => {
  it("gives a token of a client and a token of an OAuth subject the same rights, except for the metrics", () => {
    for (const right of Object.keys(RIGHTS) as (keyof typeof RIGHTS)[]) {
      if (right === "read_metrics") continue;
      expect(grantOf("subject", right), right).toBe(grantOf("client", right));
      expect(grantOf("approving_subject", right), right).toBe(grantOf("approving_client", right));
    }
  });

  it("lets only the socket read the owner's token and secrets", () => {
    expect(ALL_HOLDERS.filter((holder) => hasRight(holder, "read_secrets"))).toEqual(["socket"]);
    expect(METHODS["operations.ownerToken"].right).toBe("read_secrets");
    expect(METHODS["operations.exportServers"].more).toMatchObject([
      { right: "read_secrets" },
      { right: "add_servers" },
    ]);
  });

  it("gives a stranger nothing but what a browser needs to sign in", () => {
    const rights = (Object.keys(RIGHTS) as (keyof typeof RIGHTS)[]).filter((right) => hasRight("stranger", right));
    expect(rights).toEqual(["ask_health", "open_page"]);
  });
});
