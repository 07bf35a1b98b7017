/** Opens a session on a transport of the test and closes it after the test. */
import { openSession } from "#dialect/open-session.js";
import type { Transport } from "#wire/transport.js";
import { systemClock } from "@plugboard/contracts";
import type { Session } from "@plugboard/mcp";
import { onTestFinished } from "vitest";

export async function openSessionOn(connect: () => Promise<Transport>): Promise<Session> {
  const session = await openSession(
    {
      server: "tested",
      clock: systemClock,
      random: Math.random,
      identity: { name: "plugboard-test", version: "0.0.0" },
      silenceMs: 5000,
      ports: { onUnattributedRequest: () => Promise.resolve({ action: "decline" }) },
    },
    { connect, signal: AbortSignal.timeout(15_000), onClosed: () => {} },
  );
  onTestFinished(() => session.close());
  return session;
}
