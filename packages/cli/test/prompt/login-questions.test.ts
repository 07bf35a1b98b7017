/** Tests the questions and steps of a login, with and without a terminal. */
import { answerOnTerminal } from "#prompt/answer-on-terminal.js";
import { loginWithoutTerminal } from "#prompt/login-without-terminal.js";
import { reportLogins } from "#events/report-logins.js";
import type { OpenUrlResult } from "@plugboard/mcp/process";
import { HostError } from "@plugboard/contracts";
import type { Answer, HostEvent, LoginQuestion, LoginStep, Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { caller, startScriptedHost, waitUntil } from "../helpers/scripted-host.ts";
import type { ScriptedHostOptions } from "../helpers/scripted-host.ts";

const REDIRECT = "http://127.0.0.1:4711/callback";
const browserStep: LoginStep = {
  type: "browser",
  url: "https://login.example.com/authorize?client_id=x&state=s1",
  redirectUri: REDIRECT,
};
const REDIRECTED_URL = `${REDIRECT}?code=the-code&state=s1&iss=https%3A%2F%2Flogin.example.com`;
const deviceStep: LoginStep = { type: "device", url: "https://login.example.com/device", code: "WDJB-MJHT" };

function loginQuestion(fields: Partial<LoginQuestion> = {}): LoginQuestion {
  return {
    type: "login",
    id: "q",
    owner: caller,
    server: "notes",
    reason: "first",
    askedAt: 0,
    deadline: 0,
    ...fields,
  };
}

function askedEvent(question: Question): HostEvent {
  return { type: "question.asked", question, seq: 1, at: 0 };
}

function withdrawnEvent(question: Question) {
  return { type: "question.settled", question, settlement: { by: "withdrawn" } } as const;
}

const onTerminal = (question: Question, options: ScriptedHostOptions = {}) =>
  startScriptedHost(answerOnTerminal, { events: [askedEvent(question)], ...options });
const withoutTerminal = (question: Question, options: ScriptedHostOptions = {}) =>
  startScriptedHost(loginWithoutTerminal, { events: [askedEvent(question)], ...options });

describe("the login question on the terminal", () => {
  it.each([
    ["first", "notes wants you to log in."],
    ["expired", "notes wants you to log in again"],
    ["scope", "notes wants you to grant more"],
  ] as const)("gives the reason for the login: %s", async (reason, words) => {
    const { waitForText } = onTerminal(loginQuestion({ reason }));
    await waitForText(words);
    await waitForText("Log in to notes now, in the browser? y / n: ");
  });

  it(
    "shows the account, the issuer and the scopes, without control characters",
    { meta: { covers: ["A7"] } },
    async () => {
      const { waitForText, screen } = onTerminal(
        loginQuestion({
          account: "work",
          issuer: "https://login.example.com\u001b[2J",
          scope: "read\u202e write\nall",
        }),
      );
      await waitForText("Log in to notes now, in the browser? y / n: ");
      expect(screen()).toContain("│ account: work\n");
      expect(screen()).toContain("│ you log in at: https://login.example.com<U+001B>[2J\n");
      expect(screen()).toContain("│ you would grant: read<U+202E> write⏎all\n");
    },
  );

  it.each([
    ["y", { type: "login", action: "begin" }],
    ["n", { type: "login", action: "cancel" }],
    [":cancel", { type: "login", action: "cancel" }],
  ])("opens no browser before or after the answer %s", { meta: { covers: ["R2.56"] } }, async (typed, answer) => {
    const { stdin, answered, opened, waitForText, clear } = onTerminal(loginQuestion());
    await waitForText("Log in to notes now, in the browser? y / n: ");
    clear();
    stdin.write("perhaps\r");
    await waitForText("Log in to notes now, in the browser? y / n: ");
    expect(opened).toEqual([]);
    stdin.write(`${typed}\r`);
    await waitUntil(() => expect(answered).toEqual([["q", answer]]));
    expect(opened).toEqual([]);
  });
});

const WRONG_URL = `the redirect URL begins with ${REDIRECT}`;
const PASTE = "Log in to notes: if the browser is on another machine, paste the URL it was redirected to: ";

describe("the browser step of a login on the terminal", () => {
  it(
    "prints the URL, opens it, and continues when the browser has completed the login",
    { meta: { covers: ["R2.57"] } },
    async () => {
      const question = loginQuestion({ account: "work", step: browserStep });
      const { opened, answered, dismissed, waitForText, emit, screen } = onTerminal(question);
      await waitForText(PASTE);
      expect(opened).toEqual([browserStep.url]);
      expect(screen()).toContain(`Log in to notes (account work) at login.example.com:\n    ${browserStep.url}\n`);
      expect(screen()).toContain("The browser was opened.");
      const before = screen().length;
      emit(withdrawnEvent(question));
      await waitUntil(() => expect(screen().slice(before)).toContain("\n"));
      expect(screen()).not.toContain("withdrawn");
      expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
    },
  );

  it("prints nothing more if the login completes before the browser command returns", async () => {
    const question = loginQuestion({ step: browserStep });
    let settle: (result: OpenUrlResult) => void = () => {};
    const openUrl = () => new Promise<OpenUrlResult>((resolve) => (settle = resolve));
    const { opened, answered, dismissed, waitForText, emit, screen } = onTerminal(question, { openUrl });
    await waitUntil(() => expect(opened).toHaveLength(1));
    emit(withdrawnEvent(question));
    emit({ type: "question.asked", question: loginQuestion({ id: "next", step: deviceStep }) });
    await waitForText("WDJB-MJHT");
    settle({ opened: true });
    await waitForText("waiting for you to enter the code");
    expect(screen()).toContain(`${browserStep.url}\n\nLog in to notes`);
    expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
  });

  it("says that the browser could not be opened, and accepts a pasted redirect URL", async () => {
    const openUrl = () => Promise.resolve({ opened: false, reason: "xdg-open was not found" } as const);
    const { stdin, answered, waitForText } = onTerminal(loginQuestion({ step: browserStep }), { openUrl });
    await waitForText("The browser could not be opened: xdg-open was not found. Open the URL yourself.");
    await waitForText(PASTE);
    stdin.write(`  ${REDIRECTED_URL} \r`);
    const url = REDIRECTED_URL;
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "redirected", url }]]));
  });

  it("opens no browser with --no-browser", async () => {
    const { stdin, opened, answered, waitForText, screen } = onTerminal(loginQuestion({ step: browserStep }), {
      mayOpenBrowser: false,
    });
    await waitForText("Log in to notes: paste the URL that the browser was redirected to: ");
    expect(opened).toEqual([]);
    expect(screen()).toContain(browserStep.url);
    expect(screen()).not.toContain("on another machine");
    stdin.write(":cancel\r");
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "cancel" }]]));
  });

  it.each([
    ["text that is not a URL", "the-code", "it is not a URL"],
    ["the login URL itself", browserStep.url, WRONG_URL],
    ["a URL with another path", "http://127.0.0.1:4711/else?code=1&state=s1", WRONG_URL],
    ["a URL with another port", "http://127.0.0.1:4712/callback?code=1&state=s1", WRONG_URL],
    ["a URL without the code", `${REDIRECT}?state=s1`, "it is incomplete; copy all of it"],
    ["a URL without the state", `${REDIRECT}?code=the-code`, "it is incomplete; copy all of it"],
    ["the URL of another login", `${REDIRECT}?code=the-code&state=s0`, "it belongs to another login"],
  ])("asks again, with the reason, after the user pastes %s", async (_, pasted, why) => {
    const { stdin, answered, waitForText, clear } = onTerminal(loginQuestion({ step: browserStep }));
    await waitForText(PASTE);
    clear();
    stdin.write(`${pasted}\r`);
    await waitForText(`Not a valid redirect URL: ${why}.\n`);
    await waitForText(PASTE);
    expect(answered).toEqual([]);
    stdin.write(`${REDIRECTED_URL}\r`);
    await waitUntil(() => expect(answered).toHaveLength(1));
  });

  it("asks again, without opening the browser again, when the host rejects the URL", async () => {
    let refusals = 1;
    const onSettle = (question: string) => {
      if (refusals-- > 0) throw new HostError("ANSWER_INVALID", { question, reason: "the state is another" });
    };
    const { stdin, answered, opened, waitForText, clear } = onTerminal(loginQuestion({ step: browserStep }), {
      onSettle,
    });
    await waitForText(PASTE);
    clear();
    stdin.write(`${REDIRECTED_URL}\r`);
    await waitForText("Invalid answer: the state is another.");
    await waitForText(PASTE);
    stdin.write(`${REDIRECTED_URL}\r`);
    await waitUntil(() => expect(answered).toHaveLength(1));
    expect(opened).toHaveLength(1);
  });

  it("shows the URL without control characters, and its host separately", { meta: { covers: ["A7"] } }, async () => {
    const url = "https://login.example.com@evil.example/\u001b[2J";
    const { waitForText } = onTerminal(loginQuestion({ step: { ...browserStep, url } }), { mayOpenBrowser: false });
    await waitForText("Log in to notes at evil.example:\n    https://login.example.com@evil.example/<U+001B>[2J\n");
  });
});

describe("the device step of a login on the terminal", () => {
  it("shows the URL and the code, opens no browser, and waits until the question is withdrawn", async () => {
    const completeUrl = "https://login.example.com/device?user_code=WDJB-MJHT";
    const question = loginQuestion({ step: { ...deviceStep, completeUrl } });
    const { opened, answered, dismissed, waitForText, emit, screen } = onTerminal(question);
    await waitForText("waiting for you to enter the code");
    expect(screen()).toContain("    https://login.example.com/device\n  Enter this code there: WDJB-MJHT\n");
    expect(screen()).toContain(completeUrl);
    const before = screen().length;
    emit(withdrawnEvent(question));
    await waitUntil(() => expect(screen().slice(before)).toContain("\n"));
    expect({ opened, answered, dismissed }).toEqual({ opened: [], answered: [], dismissed: [] });
  });

  it("is cancelled with :cancel", async () => {
    const { stdin, answered, waitForText } = onTerminal(loginQuestion({ step: deviceStep }));
    await waitForText("waiting for you to enter the code");
    stdin.write(":cancel\r");
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "cancel" }]]));
  });
});

describe("loginWithoutTerminal", () => {
  it("prints and opens the URL, waits for the browser, and does not read stdin", async () => {
    const { stdin, opened, answered, dismissed, waitForText, screen } = withoutTerminal(
      loginQuestion({ step: browserStep }),
    );
    await waitForText("The browser was opened.");
    await waitForText(browserStep.url);
    expect(screen()).not.toContain("Other ways");
    expect(opened).toEqual([browserStep.url]);
    stdin.end(`${REDIRECTED_URL}\n`);
    expect(stdin.readableFlowing).toBeNull();
    expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
  });

  it("says until when it waits, and names other ways to log in, if the browser could not be opened", async () => {
    const openUrl = () => Promise.resolve({ opened: false, reason: "xdg-open was not found" } as const);
    const deadline = new Date(2030, 0, 1, 9, 5).getTime();
    const { answered, dismissed, waitForText } = withoutTerminal(loginQuestion({ step: browserStep, deadline }), {
      openUrl,
    });
    await waitForText("The browser could not be opened: xdg-open was not found. Open the URL yourself.\n");
    await waitForText(
      "  Waiting for the login until 09:05. Other ways to log in: `plugboard login notes --no-browser`, `plugboard login notes --device`.\n",
    );
    expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
  });

  it("reads the redirect URL from stdin with --no-browser", async () => {
    const { stdin, opened, answered, waitForText, screen } = withoutTerminal(loginQuestion({ step: browserStep }), {
      mayOpenBrowser: false,
    });
    await waitForText("as one line on stdin");
    stdin.write("nonsense\n\n");
    await waitForText("Not a valid redirect URL: it is not a URL.");
    stdin.write(`${REDIRECTED_URL}\n`);
    const url = REDIRECTED_URL;
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "redirected", url }]]));
    expect(opened).toEqual([]);
    expect(screen()).not.toContain("the-code");
  });

  it("dismisses the login if stdin contains only an invalid URL", async () => {
    const { stdin, dismissed, waitForText } = withoutTerminal(loginQuestion({ step: browserStep }), {
      mayOpenBrowser: false,
    });
    stdin.end(`${REDIRECT}?state=s1\n`);
    await waitForText("Not a valid redirect URL: it is incomplete; copy all of it.");
    await waitUntil(() => expect(dismissed).toEqual(["q"]));
  });

  it("reports a URL that the host rejects, and reads another", async () => {
    let refusals = 1;
    const onSettle = (question: string) => {
      if (refusals-- > 0) throw new HostError("ANSWER_INVALID", { question, reason: "the state is another" });
    };
    const { stdin, answered, waitForText } = withoutTerminal(loginQuestion({ step: browserStep }), {
      mayOpenBrowser: false,
      onSettle,
    });
    stdin.write(`${REDIRECTED_URL}\n`);
    await waitForText("Not a valid redirect URL: the state is another.");
    stdin.write(`${REDIRECTED_URL}\n`);
    await waitUntil(() => expect(answered).toHaveLength(1));
  });

  it("waits for the browser on this machine if stdin is empty", async () => {
    const question = loginQuestion({ step: browserStep });
    const { stdin, dismissed, waitForText, emit } = withoutTerminal(question, { mayOpenBrowser: false });
    await waitForText("as one line on stdin");
    stdin.end();
    await new Promise((resolve) => stdin.once("end", resolve));
    emit(withdrawnEvent(question));
    const next = loginQuestion({ id: "next", step: deviceStep });
    emit({ type: "question.asked", question: next });
    await waitForText("WDJB-MJHT");
    expect(dismissed).toEqual([]);
  });

  it("shows the code and waits", async () => {
    const { opened, waitForText } = withoutTerminal(loginQuestion({ step: deviceStep }));
    await waitForText("  Enter this code there: WDJB-MJHT\n");
    expect(opened).toEqual([]);
  });

  it("dismisses other questions", async () => {
    const { dismissed, opened, waitForText } = withoutTerminal(loginQuestion());
    await waitForText("notes has a question (login) that can't be asked here. It was dismissed.");
    await waitUntil(() => expect(dismissed).toEqual(["q"]));
    expect(opened).toEqual([]);
  });
});

describe("reportLogins", () => {
  const reported = (server?: string) => startScriptedHost((asking) => reportLogins(asking, server), {});
  const WAITS = "Another login to notes is in progress. Waiting for it; press Ctrl-C to stop.\n";
  const loggedIn = (server: string) => ({ type: "login.changed", server, change: "logged_in" }) as const;
  const settled = (question: Question, answer: Answer) =>
    ({ type: "question.settled", question, settlement: { by: "answered", answer } }) as const;
  const begin = { type: "login", action: "begin" } as const;
  const cancel = { type: "login", action: "cancel" } as const;

  it("reports once that it waits for the login of another caller", async () => {
    const { emit, waitForText, screen } = reported("notes");
    emit({ type: "login.waiting", server: "repo" });
    emit({ type: "login.waiting", server: "notes" });
    emit({ type: "login.waiting", server: "notes" });
    emit(loggedIn("notes"));
    emit({ type: "login.waiting", server: "notes" });
    await waitForText(WAITS + WAITS);
    expect(screen()).toBe(WAITS + WAITS);
  });

  it("reports waiting for any server if no server is given", async () => {
    const { emit, waitForText } = reported();
    emit({ type: "login.waiting", server: "notes" });
    await waitForText(WAITS);
  });

  it("reports that its own login succeeded, but not the logins of other callers", async () => {
    const { emit, waitForText, screen } = reported("notes");
    emit(loggedIn("notes"));
    emit(settled(loginQuestion(), cancel));
    emit(loggedIn("notes"));
    emit(settled(loginQuestion({ owner: { ...caller, id: "another" } }), begin));
    emit(loggedIn("notes"));
    emit(settled(loginQuestion(), begin));
    emit({ type: "login.changed", server: "notes", change: "refreshed" });
    emit(loggedIn("repo"));
    emit({ type: "login.waiting", server: "notes" });
    emit(loggedIn("notes"));
    emit(loggedIn("notes"));
    emit({ type: "login.waiting", server: "notes" });
    const expected = `${WAITS}Logged in to notes.\n${WAITS}`;
    await waitForText(expected);
    expect(screen()).toBe(expected);
  });
});
