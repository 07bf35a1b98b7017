/** Tests the text about servers that a command waits for. */
import {
  activityAfter,
  describeActivity,
  initialActivity,
  runningServers,
  withDetail,
} from "#events/server-activity.js";
import type { HostEventData, ServerStatus } from "@plugboard/contracts";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

function server(id: string, target = "node server.js", more: Partial<ServerStatus> = {}): ServerStatus {
  const base = { transport: "stdio", source: "user", enabled: true, state: "idle", tools: 0 } as const;
  return { ...base, id, target, ...more };
}

const http = (id: string) => server(id, "https://example.com/mcp", { transport: "http" });
const START = 100_000;

function after(servers: readonly ServerStatus[], ...events: readonly (HostEventData & { readonly at?: number })[]) {
  const stamped = events.map((event, index) => ({ at: START, ...event, seq: index + 1 }));
  return stamped.reduce(activityAfter, initialActivity(servers, START));
}

const connecting = (id: string, more: object = {}) =>
  ({ type: "server.changed", server: id, state: "connecting", ...more }) as const;
const ready = (id: string) => ({ type: "server.changed", server: id, state: "ready" }) as const;

describe("describeActivity", () => {
  it("says nothing before a server starts and after it is ready", () => {
    expect(describeActivity(after([server("a")]), START)).toBeUndefined();
    expect(describeActivity(after([server("a")], connecting("a"), ready("a")), START)).toBeUndefined();
  });

  it("names the servers that start, with the elapsed seconds of each", () => {
    const activity = after([server("a"), server("b")], connecting("a"), { ...connecting("b"), at: START + 3000 });
    expect(describeActivity(activity, START + 4500)).toBe("starting a … 4 s, b … 1 s");
  });

  it("says for a server at a URL that it connects", () => {
    expect(describeActivity(after([http("n")], connecting("n")), START + 2000)).toBe("connecting to n … 2 s");
  });

  it("counts the servers that do not fit", () => {
    const ids = ["a", "b", "c", "d", "e"];
    const activity = after(
      ids.map((id) => server(id)),
      ...ids.map((id) => connecting(id)),
    );
    expect(describeActivity(activity, START)).toBe("starting a …, b …, c … and 2 more");
  });

  it.each([
    ["npx -y @scope/server", "npx"],
    ["/usr/local/bin/npx server", "npx"],
    ['"C:\\Program Files\\nodejs\\npx.cmd" server', undefined],
    ["cmd /c npx server", "npx"],
    ["uvx mcp-server-git", "uvx"],
    ["docker run -i --rm image", "docker"],
    ["docker exec box server", undefined],
    ["node npx.js", undefined],
  ])("suspects a download in a slow start of %s: %s", (target, launcher) => {
    const started = after([server("a", target)], connecting("a"));
    expect(describeActivity(started, START + 2000)).toBe("starting a … 2 s");
    const activity = withDetail(started, "a", { tools: 0 });
    expect(describeActivity(activity, START + 1000)).toBe("starting a … 1 s");
    const hint = launcher === undefined ? "" : ` (${launcher} may be downloading it)`;
    expect(describeActivity(activity, START + 2000)).toBe(`starting a … 2 s${hint}`);
  });

  it("suspects no download if the tools are known from an earlier start", () => {
    const activity = withDetail(after([server("a", "npx x")], connecting("a")), "a", { tools: 3 });
    expect(describeActivity(activity, START + 2000)).toBe("starting a … 2 s");
  });

  it("quotes the last line that a slow server has written to stderr", () => {
    const activity = withDetail(after([server("a", "npx x")], connecting("a")), "a", {
      stderr: "one\nDownloading torch\n",
      tools: 0,
    });
    expect(describeActivity(activity, START + 9000)).toBe("starting a … 9 s “Downloading torch”");
  });

  it("says when a failed server is started again, and why it failed", () => {
    const error = new HostError("SERVER_UNREACHABLE", { server: "n", reason: "the connection was refused" }).toJSON();
    const activity = after([http("n")], connecting("n"), connecting("n", { error, retryAt: START + 3000 }));
    expect(describeActivity(activity, START)).toMatch(/^n: retrying in 3 s: "n" can't be reached: the connection/);
  });

  it("says that another login is in progress, until it ends", () => {
    const waiting = [{ type: "login.waiting", server: "n" }] as const;
    expect(describeActivity(after([http("n")], ...waiting), START + 2000)).toBe("waiting for another login to n … 2 s");
    const done = { type: "login.changed", server: "n", change: "logged_in" } as const;
    expect(describeActivity(after([http("n")], ...waiting, done), START)).toBeUndefined();
  });

  it("ignores servers of other workspaces", () => {
    expect(describeActivity(after([server("a")], connecting("b")), START)).toBeUndefined();
  });

  it("includes servers that were starting before the command began", () => {
    expect(describeActivity(after([server("a", "x", { state: "connecting" })]), START + 1000)).toBe("starting a … 1 s");
  });
});

it("runningServers returns the servers that are ready or starting", () => {
  const servers = ["a", "b", "c"].map((id) => server(id));
  const failed = { type: "server.changed", server: "c", state: "error" } as const;
  const activity = after(servers, connecting("a"), connecting("b"), ready("b"), connecting("c"), failed);
  expect(runningServers(activity)).toEqual(["a", "b"]);
});
