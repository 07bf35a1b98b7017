/** What one authorization server has given, or was shown, is for no other: whoever says that it should be. */
import { startRecordingHttp } from "@plugboard/testkit/recording-http";
import { expect, it, onTestFinished } from "vitest";
import { logInBefore, makeProtected, whoami } from "./protected.ts";

it("[S9] a definition of the same server with another token URL gets no refresh token there", async () => {
  const world = await makeProtected();
  const { as, server, home } = world;
  await logInBefore(world);
  as.revokeAccessTokens();
  let elsewhere = "";
  const thief = await startRecordingHttp((origin) => {
    elsewhere = origin;
    return async (_, response) => void response.writeHead(500).end();
  });
  onTestFinished(() => thief.close());
  const auth = { type: "oauth" as const, token_url: `${elsewhere}/token` };
  const host = await home.host({ servers: { x: { url: server.url, auth } } });
  await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
  expect(thief.requests).toEqual([]);
  expect((await host.logins.list()).logins).toHaveLength(1);
});
