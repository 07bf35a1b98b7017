/** Tests each check of `plugboard doctor` with given facts. */
import { diagnose } from "#doctor/diagnose.js";
import type { Facts } from "#doctor/facts/facts.js";
import type { ActivityEntry, LoginStatus, ServerStatus } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { factsWith, NOW, server } from "../helpers/doctor-facts.ts";

const program = (command: string, ...args: string[]) => ({ command, args, cwd: "/" });
const state = (
  id: string,
  at: number,
  name: "connecting" | "ready" | "error" | "auth_required",
  code?: "SERVER_CRASHED" | "SERVER_IS_SELF",
) => ({ type: "server", at, server: id, state: name, ...(code && { code }) }) satisfies ActivityEntry;
const status = (login?: Partial<LoginStatus>) =>
  ({ state: "idle", ...(login && { login: { issuer: "https://a", renewable: false, ...login } }) }) as ServerStatus;
const url = "https://example.com/mcp";

describe("diagnose", () => {
  it("finds nothing wrong in a good setup", () => {
    const findings = diagnose(factsWith({ servers: [server("a", { program: program("node") })] }));
    expect(findings.map(({ severity, check }) => [severity, check])).toEqual([
      ["ok", "config"],
      ["ok", "command"],
      ["ok", "node"],
      ["ok", "host"],
      ["ok", "port"],
      ["ok", "state"],
    ]);
  });

  it("puts errors first, then warnings", () => {
    const findings = diagnose(factsWith({ untrusted: ["w"], servers: [server("e", { unsetVariables: ["TOKEN"] })] }));
    expect(findings.slice(0, 3).map(({ severity }) => severity)).toEqual(["error", "warning", "ok"]);
  });

  it.each<[string, Partial<Facts>, severity: string, about: string, message: string, fix: string | undefined]>([
    [
      "an invalid config with its place",
      { problems: [{ severity: "error", file: "/user.json", line: 3, column: 5, server: "a", message: "no command" }] },
      "error",
      "a",
      "/user.json:3:5: no command.",
      "Correct the file. `plugboard config validate` checks it again.",
    ],
    [
      "a missing config",
      { files: [] },
      "warning",
      "",
      "There is no config file yet.",
      "Add a server with `plugboard add`, or take over those of another client with `plugboard import`.",
    ],
    [
      "a command that is not found, with a similar one",
      {
        servers: [
          server("a", { program: program("nod"), programFacts: { problem: "it was not found", similar: "node" } }),
        ],
      },
      "error",
      "a",
      "It can't be started: it was not found.",
      'Did you mean "node"? Correct its `command` in /user.json.',
    ],
    [
      "a command that contains its arguments",
      { servers: [server("a", { program: program("npx -y x"), programFacts: { problem: "it was not found" } })] },
      "error",
      "a",
      "It can't be started: it was not found.",
      "In /user.json, write only the program as `command`, and its arguments as `args`.",
    ],
    [
      "a server that needs a newer Node than the one on PATH",
      { servers: [server("a", { programFacts: { node: "18.19.0", engines: ">=20" } })] },
      "error",
      "a",
      "It needs Node >=20, but the `node` on PATH is 18.19.0.",
      "Put the Node that runs Plugboard (22.12.0) first on PATH, or set PATH in its `env`.",
    ],
    [
      "npx without a node",
      { servers: [server("a", { programFacts: { npx: { name: "x", installed: true } } })] },
      "error",
      "a",
      "npx needs a `node` on PATH, and there is none that works.",
      "Install Node, or add its folder to PATH.",
    ],
    [
      "a package that npx has not downloaded",
      { servers: [server("a", { programFacts: { node: "22.0.0", npx: { name: "@x/y", installed: false } } })] },
      "warning",
      "a",
      "npx has not downloaded @x/y yet, so the first start takes longer.",
      "Run `plugboard test a` once, or install it with `npm install -g @x/y`.",
    ],
    [
      "a variable that is not set",
      { servers: [server("a", { unsetVariables: ["TOKEN"] })] },
      "error",
      "a",
      "It needs the environment variable TOKEN, which is not set or is empty.",
      "Set TOKEN, or give a default in the config: ${TOKEN:-…}.",
    ],
    [
      "a secret that is not stored",
      { secrets: { backend: "file", secrets: [{ name: "t", state: "missing", servers: ["a"] }] } },
      "error",
      "a",
      'It needs the secret "t", which is not stored.',
      "Run `plugboard secret set t`.",
    ],
    [
      "a login that has expired",
      { servers: [server("a", { url, status: status({ expiresAt: NOW - 1 }) })] },
      "error",
      "a",
      "Your login has expired.",
      "Run `plugboard login a`.",
    ],
    [
      "a login that the server asked for at its last start",
      {
        servers: [server("a", { url, status: status() })],
        journal: [state("a", 2, "auth_required"), state("a", 1, "connecting")],
      },
      "error",
      "a",
      "It requires a login.",
      "Run `plugboard login a`.",
    ],
    [
      "a login that never took place",
      { servers: [server("a", { url, config: { auth: { type: "oauth" } } })] },
      "warning",
      "a",
      "You have not logged in to it yet.",
      "Run `plugboard login a`.",
    ],
    ...(
      [
        ["plugboard stdio", server("a", { program: program("/opt/bin/plugboard", "stdio") })],
        ["npx plugboard stdio", server("a", { program: program("npx", "-y", "plugboard@1.0.0", "stdio") })],
        ["bunx plugboard stdio", server("a", { program: program("bunx", "@plugboard/cli@latest", "stdio") })],
        [
          "node with an option",
          server("a", { program: program("node", "--no-warnings", "/opt/bin/plugboard.mjs", "stdio") }),
        ],
        ["its own port", server("a", { url: "http://localhost:7431/mcp" })],
      ] as const
    ).map(([name, one]): [string, Partial<Facts>, string, string, string, string] => [
      `a server that is Plugboard itself: ${name}`,
      { servers: [one] },
      "error",
      "a",
      "It runs this Plugboard itself, so every tool would appear twice.",
      "Remove it: `plugboard remove a --scope user`.",
    ]),
    [
      "two ids for one definition",
      {
        servers: [server("a", { digest: "x" }), server("b", { digest: "x", source: "managed", file: "/managed.json" })],
      },
      "warning",
      "b",
      'It is the same server as "a", so models see its tools twice.',
      "Remove one of them: delete it from /managed.json.",
    ],
    [
      "a definition that hides another one",
      {
        files: [
          { file: "/user.json", source: "user", defines: ["a", "b"] },
          { file: "/p/.mcp.json", source: "project", defines: ["a"] },
        ],
      },
      "warning",
      "a",
      "It is defined in 2 files. /p/.mcp.json applies, and hides /user.json.",
      "If that is not intended, remove one: `plugboard remove a --scope user`.",
    ],
    [
      "a server that waits for approval",
      { untrusted: ["a"] },
      "warning",
      "a",
      "It waits for your approval.",
      "Look at it with `plugboard trust`, and approve it with `plugboard trust a`.",
    ],
    [
      "a server that failed at its last start",
      { servers: [server("a")], journal: [state("a", 2, "connecting", "SERVER_CRASHED"), state("a", 1, "connecting")] },
      "warning",
      "a",
      "It failed at its last start (SERVER_CRASHED).",
      "Run `plugboard test a` to see why, and `plugboard logs a` to see what it printed.",
    ],
    [
      "a slow last start through npx",
      {
        servers: [server("a", { programFacts: { node: "22.0.0", npx: { name: "x", installed: true } } })],
        journal: [state("a", 7200, "ready"), state("a", 1000, "connecting")],
      },
      "warning",
      "a",
      "It took 6.2 s until it was ready at its last start.",
      "npx looks for a new version at each start. Install it with `npm install -g x`, and use its own command.",
    ],
    [
      "a slow start that was measured",
      { servers: [server("a", { connectResult: { ok: true, ms: 9000 } })] },
      "warning",
      "a",
      "It took 9.0 s until it was ready at this start.",
      "`plugboard logs a` may say what it waits for.",
    ],
    [
      "a start that failed now",
      {
        servers: [
          server("a", {
            connectResult: {
              ok: false,
              hint: "It exited.",
              error: { code: "SERVER_CRASHED", message: "", details: { server: "a", exit: "1" } },
            },
          }),
        ],
      },
      "error",
      "a",
      "It exited.",
      undefined,
    ],
    [
      "a port that another program uses",
      { port: { port: 7431, state: "taken" } },
      "warning",
      "",
      "Another program listens on port 7431, so `plugboard serve` can't use it.",
      "Stop that program, or run `plugboard serve --port 0`.",
    ],
    [
      "a port that the Plugboard of somebody else uses",
      { port: { port: 7431, state: "plugboard" }, host: { state: "running", outdated: false, port: 8000 } },
      "warning",
      "",
      "A Plugboard that is not yours listens on port 7431, so `plugboard serve` can't use it.",
      "Stop that program, or run `plugboard serve --port 0`.",
    ],
    [
      "the socket of a dead host",
      { host: { state: "stale", socket: "/state/host.sock" } },
      "warning",
      "",
      "A host has ended without removing its socket /state/host.sock.",
      "The next `plugboard serve` replaces it. You may delete it.",
    ],
    [
      "a host of another version",
      {
        host: {
          state: "unusable",
          error: { code: "VERSION_SKEW", message: "", details: { host: "0.9.0", client: "1.2.3" } },
        },
      },
      "error",
      "",
      "The running host is version 0.9.0, but this client is version 1.2.3. Run `plugboard restart`, so that the host has the version of this command.",
      undefined,
    ],
    [
      "a host that was started before the last upgrade",
      { host: { state: "running", outdated: true } },
      "warning",
      "",
      "The running host was started before the last upgrade and still runs the old code.",
      "Run `plugboard restart`.",
    ],
    [
      "a state folder that can't be written to",
      { stateFolder: { ...factsWith().stateFolder, problem: "not writable" } },
      "error",
      "",
      "The state folder /state can't be used: you have no permission to write to it. Logins and decisions are not stored.",
      "Make it writable, or set XDG_STATE_HOME to another folder.",
    ],
    [
      "a file with secrets that others can read",
      { stateFolder: { ...factsWith().stateFolder, exposedFiles: ["/state/mcp-auth.json"] } },
      "warning",
      "",
      "Other users of this computer may read /state/mcp-auth.json.",
      "Run `chmod 600 /state/mcp-auth.json`.",
    ],
    [
      "a lock that is left behind",
      { stateFolder: { ...factsWith().stateFolder, oldLocks: ["/state/trust.json.lock"] } },
      "warning",
      "",
      "The lock /state/trust.json.lock is older than a minute. A program may have died while it held it.",
      "If no plugboard process is running, delete it.",
    ],
  ])("reports %s", (_, facts, severity, about, message, fix) => {
    const wrong = diagnose(factsWith(facts)).filter((finding) => finding.severity !== "ok");
    expect(wrong).toEqual([
      {
        check: expect.any(String),
        severity,
        ...(about && { server: about }),
        message,
        ...(fix !== undefined && { fix }),
      },
    ]);
  });

  it.each<[string, Partial<Facts>]>([
    [
      "a disabled server",
      { servers: [server("a", { enabled: false, unsetVariables: ["X"], programFacts: { problem: "no" } })] },
    ],
    [
      "a login that can be renewed",
      { servers: [server("a", { url, status: status({ expiresAt: 1, renewable: true }) })] },
    ],
    ["a gateway of another computer", { servers: [server("a", { url: "http://gateway.example:7431/mcp" })] }],
    [
      "an old failure before a good start",
      { servers: [server("a")], journal: [state("a", 2, "ready"), state("a", 1, "error", "SERVER_CRASHED")] },
    ],
    [
      "a program whose engines are not understood",
      { servers: [server("a", { programFacts: { node: "18.0.0", engines: "lts/*" } })] },
    ],
  ])("does not warn about %s", (_, facts) => {
    expect(diagnose(factsWith(facts)).filter(({ severity }) => severity !== "ok")).toEqual([]);
  });

  it("reports a failed start once, if another check knows its cause", () => {
    const error = { code: "SERVER_SPAWN_FAILED", message: "x", details: {} } as const;
    const connectResult = { ok: false, error, hint: "It can't be started." } as const;
    const servers = [
      server("a", {
        program: { command: "x", args: [], cwd: "/" },
        programFacts: { problem: "There is no program x." },
        connectResult,
      }),
      server("b", { connectResult }),
    ];
    const errors = diagnose(factsWith({ servers })).filter(({ severity }) => severity === "error");
    expect(errors.map(({ server: id, check }) => `${id}: ${check}`)).toEqual(["a: command", "b: start"]);
  });

  it("does not say that npx has to download a server that was just started", () => {
    const npx = { npx: { name: "x", installed: false } };
    const checks = (connectResult?: { ok: true; ms: number }) =>
      diagnose(
        factsWith({ servers: [server("a", { programFacts: npx, ...(connectResult && { connectResult }) })] }),
      ).map(({ check }) => check);
    expect(checks()).toContain("npx cache");
    expect(checks({ ok: true, ms: 10 })).not.toContain("npx cache");
  });

  it("says which servers are disabled", () => {
    const findings = diagnose(factsWith({ servers: [server("a", { enabled: false })] }));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "disabled", message: expect.stringContaining("Disabled servers: a.") }),
    );
  });
});
