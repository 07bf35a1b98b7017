import { HeldLogin } from "#login/held-login.js";
import { LoginStore } from "#login/login-store.js";
import { expect, it } from "vitest";
import { login, NO_KEYRING, NOTES } from "./login-samples.ts";

it("keeps a newer login when the refresh of an older one is rejected", async () => {
  const store = new LoginStore({ file: undefined, keyring: NO_KEYRING });
  const held = new HeldLogin({
    key: NOTES,
    server: "notes",
    store,
    state: () => {},
    fits: () => true,
    onTaken: () => {},
    conceal: (error) => error,
  });
  const older = login(NOTES);
  await held.keep(older);
  // Another process logs in while the authorization server rejects the older refresh token.
  const newer = login(NOTES, { access_token: "newer access", refresh_token: "newer refresh" });
  await store.save(NOTES, "notes", newer);
  await held.giveUp(older);
  expect(await store.find(NOTES)).toEqual(newer);
  expect(held.now).toBeUndefined();
  expect(await held.read()).toBe(true);
  expect(held.now).toEqual(newer);

  await held.giveUp(newer);
  expect(await store.find(NOTES)).toBeUndefined();
});
