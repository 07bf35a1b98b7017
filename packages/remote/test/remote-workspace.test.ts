/** Tests the requests of a remote workspace, against a host that only records them. */
import { callMethod, controlPaths, WORKSPACE_METHODS } from "@plugboard/contracts";
import type { Progress, WorkspaceMethodPath } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ControlClient } from "#control-client.js";
import type { FetchLike, RemoteRequest } from "#http/fetch-like.js";
import { remoteWorkspace } from "#remote-workspace.js";

const PATHS = Object.keys(WORKSPACE_METHODS) as WorkspaceMethodPath[];

/** Creates a workspace whose host responds to every request with this text and records the requests. */
function recordingWorkspace(text: string) {
  const requests: (RemoteRequest & { readonly path: string })[] = [];
  const fetch: FetchLike = async (path, request) => {
    requests.push({ path, ...request });
    return { status: 200, body: bodyOf(text) };
  };
  return { workspace: remoteWorkspace(new ControlClient(fetch, "1.0.0"), "c", "w", () => {}), requests };
}

async function* bodyOf(text: string) {
  yield new TextEncoder().encode(text);
}

describe("remoteWorkspace", () => {
  it.each(PATHS)("sends one POST request for %s", async (path) => {
    const { workspace, requests } = recordingWorkspace('data: {"result":1}\n\n');
    await callMethod(workspace, path, ["a", "b"]).catch(() => {});
    expect(requests).toMatchObject([{ method: "POST", path: controlPaths.invoke("c", "w", path) }]);
    expect(JSON.parse(requests[0]!.body!)).toHaveLength(WORKSPACE_METHODS[path].params.length);
  });

  it("returns the JSON of the response", async () => {
    const { workspace } = recordingWorkspace('[{"id":"s"}]');
    expect(await workspace.status()).toEqual([{ id: "s" }]);
  });

  it("reports progress and returns the result of a stream", async () => {
    const { workspace } = recordingWorkspace('data: {"progress":{"progress":1}}\n\ndata: {"result":[{"uri":"a"}]}\n\n');
    const seen: Progress[] = [];
    expect(await workspace.resources.read("s", "a", { onProgress: (progress) => seen.push(progress) })).toEqual([
      { uri: "a" },
    ]);
    expect(seen).toEqual([{ progress: 1 }]);
  });

  it("throws the error that a stream contains", async () => {
    const error = { code: "SERVER_UNKNOWN", message: "x", details: { server: "s", known: [] } };
    const { workspace } = recordingWorkspace(`data: ${JSON.stringify({ error })}\n\n`);
    await expect(workspace.tools.call("s:echo")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });

  it("throws HOST_UNREACHABLE if a stream ends without a result", async () => {
    const { workspace } = recordingWorkspace("");
    await expect(workspace.tools.call("s:echo")).rejects.toMatchObject({ code: "HOST_UNREACHABLE" });
  });

  it.each([
    ["is torn", '{"error":{"co'],
    ["has no details", '{"error":{"code":"SERVER_UNKNOWN"}}'],
    ["has the name of an object's method as its code", '{"error":{"code":"toString","details":{}}}'],
  ])("throws HOST_UNREACHABLE if an error %s", async (_case, text) => {
    const fetch: FetchLike = async () => ({ status: 500, body: bodyOf(text) });
    const workspace = remoteWorkspace(new ControlClient(fetch, "1.0.0"), "c", "w", () => {});
    await expect(workspace.status()).rejects.toMatchObject({ code: "HOST_UNREACHABLE" });
  });

  it("throws HOST_UNREACHABLE if the connection ends in the middle of an error", async () => {
    const lost = async function* () {
      yield new TextEncoder().encode('{"error"');
      throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    };
    const fetch: FetchLike = async () => ({ status: 500, body: lost() });
    const workspace = remoteWorkspace(new ControlClient(fetch, "1.0.0"), "c", "w", () => {});
    await expect(workspace.status()).rejects.toMatchObject({ code: "HOST_UNREACHABLE" });
  });

  it("passes the caller's signal to the request and sends the other options as JSON", async () => {
    const { workspace, requests } = recordingWorkspace("{}");
    const { signal } = new AbortController();
    await workspace.servers.connect("s", { definition: { command: "x" }, signal });
    expect(requests[0]!.signal).toBe(signal);
    expect(JSON.parse(requests[0]!.body!)).toEqual(["s", { definition: { command: "x" } }]);
  });
});
