import { CurrentLogin } from "#auth/oauth/current-login.js";
import { LoginStore } from "#auth/vault/login-store.js";
import { expect, it } from "vitest";
import { sampleLogin, NO_KEYRING, NOTES } from "../../helpers/auth/login-samples.ts";

it("CurrentLogin keeps a newer login when the refresh of an older one is rejected", async () => {
  const store = new LoginStore({ file: undefined, keyring: NO_KEYRING });
  const current = new CurrentLogin({
    key: NOTES,
    server: "notes",
    store,
    emit: () => {},
    isUsable: () => true,
    onChange: () => {},
    redact: (error) => error,
  });
  const older = sampleLogin(NOTES);
  await current.save(older);
  // Another process logs in while the authorization server rejects the older refresh token.
  const newer = sampleLogin(NOTES, { access_token: "newer access", refresh_token: "newer refresh" });
  await store.save(NOTES, "notes", newer);
  await current.discardRejected(older);
  expect(await store.find(NOTES)).toEqual(newer);
  expect(current.record).toBeUndefined();
  expect(await current.read()).toBe(true);
  expect(current.record).toEqual(newer);

  await current.discardRejected(newer);
  expect(await store.find(NOTES)).toBeUndefined();
});
