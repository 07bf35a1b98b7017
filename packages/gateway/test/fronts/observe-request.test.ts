/** Tests how a request of a client is recorded. */
import type { Caller } from "@plugboard/contracts";
import type { Telemetry } from "@plugboard/host/tracing";
import type { FrontContext, Op, Outcome } from "@plugboard/mcp";
import { observeRequest } from "#fronts/observe-request.js";
import { describe, expect, it, vi } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

const done: Outcome = { type: "complete", result: {} };
const stdio: Caller = { kind: "front", id: "a" };
const http: Caller = { ...stdio, principal: { id: "token:ann", name: "ann", mayApprove: false } };
const [modern, legacy] = [revisionNamed("2026-07-28"), revisionNamed("2025-06-18")];
const list: Op = { method: "tools/list", params: {} };

async function observe(op: Op, caller: Caller, ctx: Partial<FrontContext> = {}, trace?: { traceparent: string }) {
  const end = vi.fn();
  const start = vi.fn<Telemetry["start"]>(() => ({ trace, end }));
  const run = vi.fn<(ctx: FrontContext) => Promise<Outcome>>(async () => done);
  const all = { revision: modern, ...ctx } as FrontContext;
  expect(await observeRequest({ start } as unknown as Telemetry, { op, caller, ctx: all }, run)).toBe(done);
  expect(end).toHaveBeenCalledExactlyOnceWith(done);
  const [operation, parent] = start.mock.calls[0]!;
  return { operation, parent, meta: run.mock.calls[0]![0].meta };
}

describe("observeRequest", () => {
  it.each<[Op, object]>([
    [list, { method: "tools/list" }],
    [
      { method: "tools/call", params: { name: "t", arguments: {} } },
      { method: "tools/call", tool: "t" },
    ],
    [
      { method: "prompts/get", params: { name: "p" } },
      { method: "prompts/get", prompt: "p" },
    ],
    [
      { method: "resources/read", params: { uri: "a:b" } },
      { method: "resources/read", uri: "a:b" },
    ],
    [{ method: "extension", params: { method: "notes/add", params: {} } }, { method: "notes/add" }],
  ])("describes $method", async (op, expected) => {
    const { operation } = await observe(op, stdio);
    const common = { side: "server", caller: "front", revision: "2026-07-28", transport: "pipe" };
    expect(operation).toEqual({ ...common, ...expected });
  });

  it.each([
    ["stdio", stdio, legacy, { transport: "pipe", session: undefined }],
    ["modern HTTP", http, modern, { transport: "tcp", session: undefined }],
    ["legacy HTTP", http, legacy, { transport: "tcp", session: "a" }],
  ])("records the transport and the session of a client of %s", async (_, caller, revision, expected) => {
    expect((await observe(list, caller, { revision })).operation).toMatchObject(expected);
  });

  it("continues the trace of the client, and passes its own span on to the server", async () => {
    const parent = { traceparent: "00-client" };
    const meta = { ...parent, other: 1 };
    expect(await observe(list, stdio, { meta }, { traceparent: "00-own" })).toMatchObject({
      parent,
      meta: { traceparent: "00-own", other: 1 },
    });
    expect(await observe(list, stdio, { meta })).toMatchObject({ parent, meta });
  });
});
