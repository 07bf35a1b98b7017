/** Tests how much a stranger can send before the host knows who it is. */
import { once } from "node:events";
import { connect } from "node:net";
import { PAGE_SESSION_PATH } from "@plugboard/contracts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

const clock = new ManualClock();
let host: RunningHost;
beforeAll(async () => void (host = await startRunningHost({}, { clock })));
afterAll(() => host.close());

/** The routes that read a body before a token has been checked. */
const ROUTES = [
  { route: "the sign-in of the page", path: PAGE_SESSION_PATH, port: () => new URL(host.url).port },
  { route: "the link's port", path: "/", port: () => new URL(host.daemon.openPage().url).port },
];

describe.each(ROUTES)("$route", { meta: { covers: ["S32"] } }, ({ path, port }) => {
  /** Sends the head of a request and a part of its body. */
  function begin(lines: readonly string[], body: string) {
    const address = `127.0.0.1:${port()}`;
    const socket = connect(Number(port()), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const head = [`POST ${path} HTTP/1.1`, `Host: ${address}`, `Origin: http://${address}`, ...lines];
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const closed = once(socket, "close");
    return { socket, closed, text: () => text };
  }

  it("rejects a body by its content-length, before any of it has arrived", async () => {
    const { closed, text } = begin(["Content-Length: 1025"], "");
    await closed;
    expect(text()).toMatch(/^HTTP\/1\.1 400 .*at most 1024 bytes/s);
  });

  it("rejects a body without a length when it exceeds 1 KiB, and reads no more of it", async () => {
    const chunk = `400\r\n${" ".repeat(1024)}\r\n`;
    const { closed, text, socket } = begin(["Transfer-Encoding: chunked"], chunk + chunk);
    // The attacker sends the rest of the body, and the host closes the connection instead of storing it.
    socket.on("error", () => {});
    await closed;
    expect(text()).toMatch(/^HTTP\/1\.1 400 .*at most 1024 bytes/s);
  });

  it("accepts a body of 1 KiB", async () => {
    const body = JSON.stringify({ code: "wrong" }).padEnd(1024);
    const { closed, text } = begin(["Content-Length: 1024"], body);
    await closed;
    expect(text()).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("answers and closes a connection whose body does not arrive within five seconds", async () => {
    const timers = clock.pendingTimers;
    const { closed, text } = begin(["Content-Length: 100"], "{");
    await expect.poll(() => clock.pendingTimers).toBe(timers + 1);
    clock.advance(4999);
    expect(text()).toBe("");
    clock.advance(1);
    await closed;
    expect(text()).toMatch(/^HTTP\/1\.1 400 .*longer than 5000 ms/s);
  });
});
