/** Tests the client, the permission and the log entries of a request that the gateway sends to a server. */
import { compoundKey } from "@plugboard/contracts";
import type { Caller, LogEntry } from "@plugboard/contracts";
import type { FrontContext } from "@plugboard/mcp";
import { frontCall, frontSink, serverContext } from "#requests/front-request.js";
import { describe, expect, it, vi } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

const stdio: Caller = { kind: "front", id: "a" };
const http = (mayApprove: boolean): Caller => ({ ...stdio, principal: { id: "token:ann", name: "ann", mayApprove } });

function requestOf(caller: Caller, fields: Partial<FrontContext> = {}) {
  const ctx: FrontContext = {
    ...{ session: { ...caller, id: "session" }, signal: new AbortController().signal, revision: revisionNamed() },
    ...{ elicitation: { form: true, url: true }, sampling: false, tasks: false, ...fields },
  };
  return { caller, ctx, sink: frontSink(ctx) };
}

const callOf = (...request: Parameters<typeof requestOf>) =>
  frontCall({ server: "s", tool: "t" }, {}, requestOf(...request), () => ({}) as never);

describe("a call of a client", () => {
  it.each([
    ["stdio", stdio, "editor", "session"],
    ["HTTP without a name", http(false), undefined, "session"],
    ["HTTP with a name", http(false), "editor", compoundKey("session", "editor")],
  ])("belongs to the client with its session and, over HTTP, its name (%s)", (_, caller, clientName, client) => {
    expect(callOf(caller, { clientName }).client).toBe(client);
    expect(serverContext("s", requestOf(caller, { clientName })).client).toBe(client);
  });

  it.each([
    [true, true, [true, true]],
    [true, false, [true, false]],
    [false, true, [false, false]],
  ])(
    "is approved in a form only if the token may approve (%s) and the client supports forms (%s)",
    (mayApprove, form, expected) => {
      const { impliesPermission, approvesByForm } = callOf(http(mayApprove), { elicitation: { form, url: false } });
      expect([impliesPermission, approvesByForm]).toEqual(expected);
    },
  );

  it("reports log entries under the name of the server, if the client has set a level", () => {
    const onLog = vi.fn<(entry: LogEntry) => void>();
    expect(callOf(stdio, { onLog }).onLog).toBeUndefined();
    const { forwarded } = serverContext("s", requestOf(stdio, { onLog, logLevel: "info" }));
    forwarded?.onLog?.({ level: "info", data: 1 });
    callOf(stdio, { onLog, logLevel: "info" }).onLog?.({ level: "info", data: 2, logger: "db" });
    expect(onLog.mock.calls).toEqual([
      [{ level: "info", data: 1, logger: "s" }],
      [{ level: "info", data: 2, logger: "s:db" }],
    ]);
  });
});
