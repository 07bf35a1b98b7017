/** Tests that several tokens together can't lock out the owner or another token. */
import { addNamedToken } from "@plugboard/host/tokens";
import { HttpSessions } from "@plugboard/mcp/server-transport";
import { describe, expect, it, onTestFinished } from "vitest";
import { frontWith } from "./helpers/front-requests.ts";
import { startRunningHost } from "./helpers/running-host.ts";

const LIMITS = { perPrincipal: 25, total: 100, idleMs: 30 * 60_000 };

describe("four tokens that have all sessions of the gateway", { meta: { covers: ["S33", "S23"] } }, () => {
  it("lock out neither the owner nor another token, and can open no more sessions", { timeout: 60_000 }, async () => {
    const sessions = new HttpSessions(undefined, LIMITS);
    const host = await startRunningHost({}, { gateway: { sessions } });
    onTestFinished(host.close);
    const front = async (name: string) =>
      frontWith(host, await addNamedToken(host.env, { name, mayApprove: false, now: 0 }));
    const flooding = await Promise.all(["a", "b", "c", "d"].map(front));
    const [first] = await Promise.all(flooding.map((token) => token.start()));
    for (const token of flooding) await Promise.all(Array.from({ length: 24 }, () => token.start()));

    const others = [frontWith(host, host.token), await front("fresh")];
    for (const other of others) {
      const session = await other.open();
      expect((await other.ping({ session })).status).toBe(200);
    }
    const gone = await flooding[0]!.ping({ session: first! });
    expect(gone.status).toBe(404);
    expect(await gone.json()).toMatchObject({
      error: { message: expect.stringContaining("initialize again") as string },
    });
    const refused = await Promise.all(flooding.map((token) => token.initialize()));
    expect(refused.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([429, 429, 503, 503]);
  });
});
