/** Tests that the front reports each request and stream of a client, with the client's name, version and revision. */
import { describe, expect, it, vi } from "vitest";
import { done, serveFront } from "../helpers/served-front.ts";

const META = "io.modelcontextprotocol/";
const client = { name: "c", version: "1.2" };

describe("the requests that an HTTP front reports", () => {
  it("stay open until they are answered, and a legacy client's stream until the client closes it", async () => {
    const front = await serveFront();
    const accept = "application/json, text/event-stream";
    const send = (method: string, headers: object, body?: object, signal?: AbortSignal) =>
      fetch(front.url, {
        method,
        headers: { accept, ...headers },
        ...(body && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) }),
        ...(signal && { signal }),
      });
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client };
    const opened = await send("POST", {}, { method: "initialize", params });
    await opened.text();
    const legacy = { ...client, revision: "2025-06-18" };
    expect(front.reported).toEqual([{ ...legacy, isOpen: false }]);

    const session = { "mcp-session-id": opened.headers.get("mcp-session-id")! };
    const called = send("POST", session, { method: "tools/call", params: { name: "t" } });
    const { answer } = await front.next();
    expect(front.reported.slice(1)).toEqual([{ ...legacy, isOpen: true }]);
    answer(done);
    await (await called).text();
    expect(front.reported[1]!.isOpen).toBe(false);

    const connection = new AbortController();
    await send("GET", session, undefined, connection.signal);
    expect(front.reported.slice(2)).toEqual([{ ...legacy, isOpen: true }]);
    connection.abort();
    await vi.waitFor(() => expect(front.reported[2]!.isOpen).toBe(false));
  });

  it("name a modern client already in its first request, server/discover", async () => {
    const front = await serveFront();
    const _meta = {
      [`${META}protocolVersion`]: "2026-07-28",
      [`${META}clientInfo`]: client,
      [`${META}clientCapabilities`]: {},
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } });
    const response = await fetch(front.url, { method: "POST", headers, body });
    expect(await response.json()).toHaveProperty("result");
    expect(front.reported).toEqual([{ ...client, revision: "2026-07-28", isOpen: false }]);
  });
});
