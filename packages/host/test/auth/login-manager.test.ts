import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { waitForEvent } from "../helpers/embedded-host.ts";
import { createEarlierLogin, makeProtectedFixture, whoami } from "../helpers/auth/protected-fixture.ts";

it("a host emits state.failed and restricts the login file if other users can read it", async () => {
  const fixture = await makeProtectedFixture();
  await createEarlierLogin(fixture);
  const file = join(fixture.home.stateFolder, "mcp-auth.json");
  await chmod(file, 0o644);
  const host = await fixture.host();
  expect(await whoami(host)).toMatchObject({ sub: "ada" });
  expect(await waitForEvent(host, "state.failed")).toMatchObject({
    error: { code: "STORE_EXPOSED", details: { file, mode: "0644" } },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
