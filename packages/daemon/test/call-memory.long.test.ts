/**
 * Tests that the host holds the allowed number of legacy sessions, and that its memory does not grow with their calls.
 */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it } from "vitest";
import { INITIALIZE, MIB, repeat, startMeasuredHost } from "./helpers/measured-host.ts";

const SESSIONS = 1000;
const [WARM_UP, TOTAL] = [10_000, 100_000];

it.runIf(process.platform === "linux")(
  "a thousand sessions stay open for 100 000 calls in bounded memory, and one more is refused",
  { meta: { covers: ["S18"] }, timeout: 900_000 },
  async () => {
    const config = { mcp: { servers: { s: scriptedLegacy() }, permissions: { allow: ["*"] } } };
    const { send, residentBytes } = await startMeasuredHost(config);
    const sessions: string[] = [];
    await repeat(SESSIONS, async () => {
      const { session } = await send("POST", {}, INITIALIZE);
      sessions.push(session!);
    });
    expect(new Set(sessions).size).toBe(SESSIONS);

    const refused = await send("POST", {}, INITIALIZE);
    expect(refused).toMatchObject({ status: 429, session: undefined });
    expect(refused.text).toContain("This token has 1000 open sessions");

    /** Calls through one session after another, so that all of them are in use. */
    const call = async (index: number) => {
      const text = `call ${index}`;
      const params = { name: "s__echo", arguments: { text } };
      const headers = { "mcp-session-id": sessions[index % SESSIONS]! };
      const reply = await send("POST", headers, { jsonrpc: "2.0", id: index, method: "tools/call", params });
      if (!reply.text.includes(`"text":"${text}"`)) throw new Error(`${reply.status} ${reply.text}`);
    };
    await repeat(WARM_UP, call);
    const before = await residentBytes();
    await repeat(TOTAL - WARM_UP, call);
    const after = await residentBytes();
    expect(after - before).toBeLessThan(30 * MIB);

    // All sessions still work, and there is still no room for another one.
    await repeat(SESSIONS, call);
    expect(await send("POST", {}, INITIALIZE)).toMatchObject({ status: 429 });
  },
);
