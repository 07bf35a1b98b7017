/** Finding out which era a real server speaks, and how often it is started for that. */
import {
  everythingStdio,
  modernDualStdio,
  modernStdio,
  scriptedLegacy,
  startEverythingHttp,
  startModernHttp,
  startScriptedHttp,
} from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, connect, makeConnection, text } from "./connect.ts";

describe("over stdio", () => {
  it.each([
    ["a legacy server that refuses the probe", scriptedLegacy()],
    ["a legacy server that does not answer the probe", scriptedLegacy("--silent-on-discover")],
    ["the everything server", everythingStdio()],
  ])("opens %s with one start", async (_, command) => {
    const { session, starts, remembered } = await connect(command, { limits: { silenceMs: 200 } });
    expect(session.era).toBe("legacy");
    expect(starts()).toBe(1);
    expect(remembered()).toBe("legacy");
  });

  it("starts a server that exits on the probe once more, as legacy", async () => {
    const { session, starts, remembered } = await connect(scriptedLegacy("--exit-on-discover"));
    expect(session.era).toBe("legacy");
    expect(starts()).toBe(2);
    expect(remembered()).toBe("legacy");
    expect(text(await call(session, "echo", { text: "hi" }))).toBe("hi");
  });

  it("starts it once when its era is remembered", async () => {
    const { session, starts } = await connect(scriptedLegacy("--exit-on-discover"), { remembered: "legacy" });
    expect(session.era).toBe("legacy");
    expect(starts()).toBe(1);
  });

  it("stays modern with a modern server that is slow to start", async () => {
    const { session, starts } = await connect(modernStdio(), { limits: { silenceMs: 1 } });
    expect(session.era).toBe("modern");
    expect(starts()).toBe(1);
  });

  it("uses the handshake that a hurried server of both eras has made, and remembers the better era", async () => {
    const { session, remembered, starts } = await connect(modernDualStdio(), { limits: { silenceMs: 1 } });
    expect(session.era).toBe("legacy");
    expect(remembered()).toBe("modern");
    expect(starts()).toBe(1);
    expect(text(await call(session, "echo", { text: "hi" }))).toBe("hi");
  });

  it("does not hurry a server that is known to be modern", async () => {
    const { session } = await connect(modernDualStdio(), { limits: { silenceMs: 1 }, remembered: "modern" });
    expect(session.era).toBe("modern");
  });

  it("finds out anew when the remembered era is wrong", async () => {
    const { session, remembered } = await connect(modernStdio(), { remembered: "legacy" });
    expect(session.era).toBe("modern");
    expect(remembered()).toBe("modern");
  });

  it("gives up on a server that never answers, and says so", async () => {
    const { connection } = makeConnection(scriptedLegacy("--never-start"), {
      startupTimeoutMs: 300,
      limits: { silenceMs: 50 },
    });
    await expect(connection.ready()).rejects.toMatchObject({
      code: "SERVER_NOT_RESPONDING",
      details: { afterMs: 300 },
    });
    expect(connection.state.phase).toBe("error");
  });

  it("reports the one it can't speak with", async () => {
    const { connection } = makeConnection(scriptedLegacy("--revision=1999-01-01"));
    await expect(connection.ready()).rejects.toMatchObject({ code: "UNSUPPORTED_VERSION" });
  });

  it("can be opened again after it failed or was lost", async () => {
    const { connection, session } = await connect(scriptedLegacy());
    await call(session, "crash");
    expect(connection.state.phase).toBe("error");
    const again = await connection.ready();
    expect(text(await call(again, "echo", { text: "back" }))).toBe("back");
  });

  it("opens once for all who wait, and one who gives up does not stop the others", async () => {
    const { connection, starts } = makeConnection(scriptedLegacy("--slow-start=150"));
    const abort = new AbortController();
    const impatient = connection.ready(abort.signal);
    const patient = connection.ready();
    abort.abort();
    await expect(impatient).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(patient).resolves.toBeDefined();
    expect(starts()).toBe(1);
  });
});

describe("over HTTP", () => {
  it("falls back to the handshake with the everything server", async () => {
    const server = await startEverythingHttp();
    onTestFinished(() => server.close());
    const { session, remembered } = await connect({ url: server.url });
    expect(session).toMatchObject({ era: "legacy", version: "2025-11-25" });
    expect(remembered()).toBe("legacy");
    expect(text(await call(session, "get-sum", { a: 2, b: 3 }))).toContain("5");
  });

  it("stays modern with a server of both eras", async () => {
    const server = await startModernHttp({ dual: true });
    onTestFinished(() => server.close());
    const { session } = await connect({ url: server.url });
    expect(session.era).toBe("modern");
  });

  it.each([
    ["a login is wanted", 401, "AUTH_REQUIRED", "auth_required"],
    ["the server is overloaded", 503, "SERVER_UNREACHABLE", "error"],
    ["there is no MCP endpoint", 404, "UNEXPECTED_RESPONSE", "error"],
  ])("says that %s", async (_, status, code, phase) => {
    const server = await startScriptedHttp((_request, response) => void response.writeHead(status).end("<html>"));
    onTestFinished(() => server.close());
    const { connection } = makeConnection({ url: server.url });
    await expect(connection.ready()).rejects.toMatchObject({ code });
    expect(connection.state.phase).toBe(phase);
  });

  it("says that nobody listens", async () => {
    const server = await startScriptedHttp(() => {});
    await server.close();
    const { connection } = makeConnection({ url: server.url });
    await expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
  });
});
