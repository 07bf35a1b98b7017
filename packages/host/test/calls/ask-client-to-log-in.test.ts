/** Tests how a gateway client is asked to log in, which depends on the client and on the authorization server. */
import { ClientLogin, clientLoginError } from "#auth/oauth/client-login.js";
import type { LoginInteraction } from "#auth/oauth/obtain-tokens.js";
import { askClientToLogIn, loginInstructions } from "#calls/ask-client-to-log-in.js";
import { ServerRequests } from "#calls/server-requests.js";
import type { RequestTarget, ServerRequestsOptions } from "#calls/server-requests.js";
import { HostError } from "@plugboard/contracts";
import type { LoginStep } from "@plugboard/contracts";
import type { AskAnswer, Outcome, Suspended } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { makeTelemetry } from "../helpers/make-telemetry.ts";

const DEVICE: LoginStep = {
  type: "device",
  url: "https://as/device",
  code: "AB-CD",
  completeUrl: "https://as/device?c",
};
const BROWSER: LoginStep = { type: "browser", url: "https://as/auth", redirectUri: "http://127.0.0.1:7439/callback" };
const COMPLETE: Outcome = { type: "complete", result: { content: [] } };
const REDIRECT = "http://127.0.0.1:7439/callback?code=c&state=s";

/** Begins a login with this step. The login ends when a URL is pasted or `finish` is called. */
async function begin(step: LoginStep, clock = new ManualClock()) {
  const pasted: string[] = [];
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const logIn = async ({ promptStep, signal }: LoginInteraction) => {
    const url = promptStep(step, { issuer: "https://as" }, signal!).then(({ href }) => void pasted.push(href));
    const aborted = new Promise<never>((_, reject) =>
      signal!.addEventListener("abort", () => reject(new HostError("CANCELLED", { reason: "too late" }))),
    );
    await Promise.race([url, finished, aborted]);
  };
  const login = (await ClientLogin.begin("x", logIn, clock))!;
  return { login, error: clientLoginError(login), pasted, finish, clock };
}

function askFor(error: HostError, elicitation: { form: boolean; url: boolean }): Suspended | undefined {
  return askClientToLogIn(error, elicitation, async () => COMPLETE);
}

const modeOf = (suspended: Suspended | undefined) => {
  const ask = suspended?.asks["login"];
  return ask?.type === "elicitation" ? ask.elicitation.mode : undefined;
};

const answer = (suspended: Suspended, login: AskAnswer) =>
  suspended.resume({ login }, {}) as Promise<Outcome & Suspended>;

describe("askClientToLogIn", () => {
  it.each([
    { login: "a device code", step: DEVICE, form: true, url: true, mode: "url" },
    { login: "a device code", step: DEVICE, form: true, url: false, mode: undefined },
    { login: "a device code", step: DEVICE, form: false, url: false, mode: undefined },
    { login: "a pasted URL", step: BROWSER, form: true, url: true, mode: "url" },
    { login: "a pasted URL", step: BROWSER, form: true, url: false, mode: "form" },
    { login: "a pasted URL", step: BROWSER, form: false, url: true, mode: undefined },
  ])(
    "asks for $login with the mode $mode if the client supports forms: $form, URLs: $url",
    async ({ step, form, url, mode }) => {
      const { error } = await begin(step);
      expect(modeOf(askFor(error, { form, url }))).toBe(mode);
    },
  );

  it("repeats the request when the user has entered the code", async () => {
    const { error, finish } = await begin(DEVICE);
    const resumed = answer(askFor(error, { form: false, url: true })!, { action: "accept" });
    finish();
    expect(await resumed).toBe(COMPLETE);
  });

  it("opens the page, asks for the redirect URL, and repeats the request after it is pasted", async () => {
    const { error, pasted } = await begin(BROWSER);
    const form = await answer(askFor(error, { form: true, url: true })!, { action: "accept" });
    expect(modeOf(form)).toBe("form");
    expect(await answer(form, { action: "accept", content: { redirect_url: REDIRECT } })).toBe(COMPLETE);
    expect(pasted).toEqual([REDIRECT]);
  });

  it("names the page in the form for a client that can't open it", async () => {
    const { error } = await begin(BROWSER);
    expect(JSON.stringify(askFor(error, { form: true, url: false })!.asks)).toContain("https://as/auth");
  });

  it("cancels the login if the user declines", async () => {
    const { login, error } = await begin(BROWSER);
    const declined = await answer(askFor(error, { form: true, url: true })!, { action: "decline" });
    expect(declined).toMatchObject({ type: "failed", error: { code: "LOGIN_FAILED" } });
    await expect(login.done).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("keeps the login for a later request if the client gives no answer", async () => {
    const { login, error, finish } = await begin(DEVICE);
    await answer(askFor(error, { form: true, url: true })!, { action: "cancel" });
    expect(login.ended.aborted).toBe(false);
    finish();
    await login.done;
  });

  it("repeats the request without an answer if the user has logged in meanwhile", async () => {
    const { login, error, finish } = await begin(DEVICE);
    const suspended = askFor(error, { form: true, url: true })!;
    finish();
    await login.done;
    expect(suspended.obsolete.aborted).toBe(true);
    expect(await suspended.resume({}, {})).toBe(COMPLETE);
  });

  it("fails the request if the client cancels, or nobody logs in within ten minutes", async () => {
    const { error, clock } = await begin(BROWSER);
    const resumed = answer(askFor(error, { form: true, url: false })!, { action: "cancel" });
    expect(await resumed).toMatchObject({ type: "failed" });
    const late = await begin(DEVICE, clock);
    const waiting = answer(askFor(late.error, { form: true, url: true })!, { action: "accept" });
    clock.advance(10 * 60_000);
    expect(await waiting).toMatchObject({ error: { code: "LOGIN_FAILED", details: { own: true } } });
  });

  it("asks nothing for an error that did not begin a login", () => {
    const error = new HostError("AUTH_REQUIRED", { server: "x" });
    expect(askFor(error, { form: true, url: true })).toBeUndefined();
    expect(loginInstructions(error)).toBeUndefined();
  });

  it("leaves the page and the code out of the error, because the owner can read it", async () => {
    const { error } = await begin(DEVICE);
    expect(JSON.stringify(error)).not.toMatch(/AB-CD|as\/device/);
    expect(loginInstructions(error)).toMatch(/https:\/\/as\/device\?c[^]*AB-CD/);
  });
});

describe("ServerRequests", () => {
  it.each([
    { method: "resources/read", params: { uri: "a:b" }, type: "asks" },
    { method: "prompts/get", params: { name: "p", arguments: {} }, type: "asks" },
    // The protocol allows no questions during this request.
    { method: "tasks/get", params: { taskId: "1" }, type: "failed" },
  ])(
    "returns an outcome of type $type for $method if the client is not logged in",
    async ({ method, params, type }) => {
      const { error } = await begin(DEVICE);
      const options = { telemetry: makeTelemetry() } as unknown as ServerRequestsOptions;
      const target = { server: "x", lease: () => Promise.reject(error), timeoutMs: 1, maxMs: 1 } as RequestTarget;
      const context = { caller: { kind: "front", id: "1" }, elicitation: { form: true, url: true } } as const;
      const outcome = await new ServerRequests(options).request({ method, params } as never, target, context);
      expect(outcome.type).toBe(type);
    },
  );
});
