/** Tests which own logins of principals are deleted. */
import { writeFile } from "node:fs/promises";
import { addNamedToken, readNamedTokens, principalOf, tokenFilePath } from "@plugboard/host/tokens";
import type { HostEventData } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { RevokedLogins } from "#auth/revoked-logins.js";
import type { RevokedLoginsOptions } from "#auth/revoked-logins.js";
import { testEnv } from "../helpers/running-host.ts";

/** `asked` has the function that RevokedLogins gives the host at each search: whether a principal was revoked. */
async function setUp() {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  await addNamedToken(env, { name: "cursor", mayApprove: false, now: 7 });
  const existing = principalOf((await readNamedTokens(env))[0]!).id;
  const asked: ((id: string) => boolean)[] = [];
  const events: HostEventData[] = [];
  const host = {
    logOutPrincipals: async (isRevoked: (id: string) => boolean) => void asked.push(isRevoked),
    events: { emit: (event: HostEventData) => void events.push(event) },
  };
  const options = { env, host } as unknown as RevokedLoginsOptions;
  return { env, existing, asked, events, logins: new RevokedLogins(options) };
}

describe("RevokedLogins", () => {
  it("deletes only the logins of tokens that no longer exist", async () => {
    const { logins, asked, existing } = await setUp();
    await logins.delete();
    const revoked = principalOf({ name: "gone", digest: "0".repeat(64), createdAt: 7, mayApprove: false }).id;
    expect(["owner", existing, revoked].map(asked[0]!)).toEqual([false, false, true]);
  });

  it("deletes nothing and reports it if the tokens can't be read", async () => {
    const { env, logins, asked, events } = await setUp();
    await writeFile(tokenFilePath(env), "{");
    await logins.delete();
    expect(asked).toEqual([]);
    expect(events).toMatchObject([{ type: "state.failed", error: { code: expect.any(String) as string } }]);
  });

  it("looks for such logins once by itself, and again on request", async () => {
    const { logins, asked } = await setUp();
    await logins.delete();
    logins.deleteOnce();
    expect(asked).toHaveLength(1);
    await logins.delete();
    expect(asked).toHaveLength(2);
  });
});
