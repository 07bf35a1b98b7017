/** What a login asks: at a terminal, and where there is none. */
import { answerOnTerminal } from "#prompt/answer-on-terminal.js";
import { loginWithoutTerminal } from "#prompt/login-without-terminal.js";
import { reportLogins } from "#events/report-logins.js";
import type { OpenUrlResult } from "#terminal/cli-context.js";
import { HostError } from "@plugboard/contracts";
import type { Answer, HostEvent, LoginQuestion, LoginStep, Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { caller, startScriptedHost, waitUntil } from "../helpers/scripted-host.ts";
import type { ScriptedHostOptions } from "../helpers/scripted-host.ts";

const REDIRECT = "http://127.0.0.1:4711/callback";
const browser: LoginStep = {
  type: "browser",
  url: "https://login.example.com/authorize?client_id=x&state=s1",
  redirectUri: REDIRECT,
};
const PASTED = `${REDIRECT}?code=the-code&state=s1&iss=https%3A%2F%2Flogin.example.com`;
const device: LoginStep = { type: "device", url: "https://login.example.com/device", code: "WDJB-MJHT" };

function login(about: Partial<LoginQuestion> = {}): LoginQuestion {
  return { type: "login", id: "q", owner: caller, server: "notes", reason: "first", askedAt: 0, deadline: 0, ...about };
}

function asked(question: Question): HostEvent {
  return { type: "question.asked", question, seq: 1, at: 0 };
}

function withdrawn(question: Question) {
  return { type: "question.settled", question, settlement: { by: "withdrawn" } } as const;
}

const onTerminal = (question: Question, given: ScriptedHostOptions = {}) =>
  startScriptedHost(answerOnTerminal, { events: [asked(question)], ...given });
const withoutTerminal = (question: Question, given: ScriptedHostOptions = {}) =>
  startScriptedHost(loginWithoutTerminal, { events: [asked(question)], ...given });

describe("whether to begin", () => {
  it.each([
    ["first", "notes wants you to log in."],
    ["expired", "notes wants you to log in again"],
    ["scope", "notes wants you to grant more"],
  ] as const)("is asked with the reason: %s", async (reason, words) => {
    const { seen } = onTerminal(login({ reason }));
    await seen(words);
    await seen("Log in to notes now, in the browser? y / n: ");
  });

  it(
    "is asked with the account, the place and what would be granted, and none of it acts on the terminal",
    { meta: { covers: ["A7"] } },
    async () => {
      const { seen, screen } = onTerminal(
        login({ account: "work", issuer: "https://login.example.com\u001b[2J", scope: "read\u202e write\nall" }),
      );
      await seen("Log in to notes now, in the browser? y / n: ");
      expect(screen()).toContain("│ account: work\n");
      expect(screen()).toContain("│ you log in at: https://login.example.com<U+001B>[2J\n");
      expect(screen()).toContain("│ you would grant: read<U+202E> write⏎all\n");
    },
  );

  it.each([
    ["y", { type: "login", action: "begin" }],
    ["n", { type: "login", action: "cancel" }],
    [":cancel", { type: "login", action: "cancel" }],
  ])("opens nothing before it is answered: %s", { meta: { covers: ["R2.56"] } }, async (typed, answer) => {
    const { stdin, answered, opened, seen, clear } = onTerminal(login());
    await seen("Log in to notes now, in the browser? y / n: ");
    clear();
    stdin.write("perhaps\r");
    await seen("Log in to notes now, in the browser? y / n: ");
    expect(opened).toEqual([]);
    stdin.write(`${typed}\r`);
    await waitUntil(() => expect(answered).toEqual([["q", answer]]));
    expect(opened).toEqual([]);
  });
});

const ENDS_AT = `the address that the browser ends at begins with ${REDIRECT}`;
const PASTE = "Log in to notes: if the browser is on another machine, paste the address it ends at here: ";

describe("the browser's step at a terminal", () => {
  it(
    "prints the address, opens it, and goes on by itself when the browser has come back",
    { meta: { covers: ["R2.57"] } },
    async () => {
      const question = login({ account: "work", step: browser });
      const { opened, answered, dismissed, seen, tell, screen } = onTerminal(question);
      await seen(PASTE);
      expect(opened).toEqual([browser.url]);
      expect(screen()).toContain(`Log in to notes (account work) at login.example.com:\n    ${browser.url}\n`);
      expect(screen()).toContain("The browser was opened.");
      const before = screen().length;
      tell(withdrawn(question));
      await waitUntil(() => expect(screen().slice(before)).toContain("\n"));
      expect(screen()).not.toContain("taken back");
      expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
    },
  );

  it("says nothing more once the browser is back, also if that was sooner than it was known to be open", async () => {
    const question = login({ step: browser });
    let settle: (result: OpenUrlResult) => void = () => {};
    const openUrl = () => new Promise<OpenUrlResult>((resolve) => (settle = resolve));
    const { opened, answered, dismissed, seen, tell, screen } = onTerminal(question, { openUrl });
    await waitUntil(() => expect(opened).toHaveLength(1));
    tell(withdrawn(question));
    tell({ type: "question.asked", question: login({ id: "next", step: device }) });
    await seen("WDJB-MJHT");
    settle({ opened: true });
    await seen("waiting until you have done so");
    expect(screen()).toContain(`${browser.url}\n\nLog in to notes`);
    expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
  });

  it("says that the browser could not be opened, and takes the address from wherever it was", async () => {
    const openUrl = () => Promise.resolve({ opened: false, reason: "xdg-open was not found" } as const);
    const { stdin, answered, seen } = onTerminal(login({ step: browser }), { openUrl });
    await seen("The browser could not be opened: xdg-open was not found. Open the address yourself.");
    await seen(PASTE);
    stdin.write(`  ${PASTED} \r`);
    const url = PASTED;
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "redirected", url }]]));
  });

  it("opens nothing with --no-browser", async () => {
    const { stdin, opened, answered, seen, screen } = onTerminal(login({ step: browser }), { browser: false });
    await seen("Log in to notes: paste the address that the browser ends at here: ");
    expect(opened).toEqual([]);
    expect(screen()).toContain(browser.url);
    expect(screen()).not.toContain("on another machine");
    stdin.write(":cancel\r");
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "cancel" }]]));
  });

  it.each([
    ["no address", "the-code", "it is no address"],
    ["the page's own address", browser.url, ENDS_AT],
    ["another path", "http://127.0.0.1:4711/else?code=1&state=s1", ENDS_AT],
    ["another port", "http://127.0.0.1:4712/callback?code=1&state=s1", ENDS_AT],
    ["one without its code", `${REDIRECT}?state=s1`, "it is not whole: copy all of it"],
    ["one without its state", `${REDIRECT}?code=the-code`, "it is not whole: copy all of it"],
    ["one of another login", `${REDIRECT}?code=the-code&state=s0`, "it belongs to another login"],
  ])("asks again for %s, and says why", async (_, pasted, why) => {
    const { stdin, answered, seen, clear } = onTerminal(login({ step: browser }));
    await seen(PASTE);
    clear();
    stdin.write(`${pasted}\r`);
    await seen(`That can't be it: ${why}.\n`);
    await seen(PASTE);
    expect(answered).toEqual([]);
    stdin.write(`${PASTED}\r`);
    await waitUntil(() => expect(answered).toHaveLength(1));
  });

  it("asks again, without opening anything twice, when the host does not take the address", async () => {
    let refusals = 1;
    const onSettle = (question: string) => {
      if (refusals-- > 0) throw new HostError("ANSWER_INVALID", { question, reason: "the state is another" });
    };
    const { stdin, answered, opened, seen, clear } = onTerminal(login({ step: browser }), { onSettle });
    await seen(PASTE);
    clear();
    stdin.write(`${PASTED}\r`);
    await seen("That is no answer: the state is another.");
    await seen(PASTE);
    stdin.write(`${PASTED}\r`);
    await waitUntil(() => expect(answered).toHaveLength(1));
    expect(opened).toHaveLength(1);
  });

  it("shows an address that can't act on the terminal, with its host apart", { meta: { covers: ["A7"] } }, async () => {
    const url = "https://login.example.com@evil.example/\u001b[2J";
    const { seen } = onTerminal(login({ step: { ...browser, url } }), { browser: false });
    await seen("Log in to notes at evil.example:\n    https://login.example.com@evil.example/<U+001B>[2J\n");
  });
});

describe("the step with a code", () => {
  it("shows both, opens nothing, and waits until it is taken back", async () => {
    const completeUrl = "https://login.example.com/device?user_code=WDJB-MJHT";
    const question = login({ step: { ...device, completeUrl } });
    const { opened, answered, dismissed, seen, tell, screen } = onTerminal(question);
    await seen("waiting until you have done so");
    expect(screen()).toContain("    https://login.example.com/device\n  The code to type there: WDJB-MJHT\n");
    expect(screen()).toContain(completeUrl);
    const before = screen().length;
    tell(withdrawn(question));
    await waitUntil(() => expect(screen().slice(before)).toContain("\n"));
    expect({ opened, answered, dismissed }).toEqual({ opened: [], answered: [], dismissed: [] });
  });

  it("is given up with :cancel", async () => {
    const { stdin, answered, seen } = onTerminal(login({ step: device }));
    await seen("waiting until you have done so");
    stdin.write(":cancel\r");
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "cancel" }]]));
  });
});

describe("where there is no terminal", () => {
  it("the address is printed and opened, and the browser waited for; stdin is left alone", async () => {
    const { stdin, opened, answered, dismissed, seen, screen } = withoutTerminal(login({ step: browser }));
    await seen("The browser was opened.");
    await seen(browser.url);
    expect(screen()).not.toContain("Other ways");
    expect(opened).toEqual([browser.url]);
    stdin.end(`${PASTED}\n`);
    expect(stdin.readableFlowing).toBeNull();
    expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
  });

  it("a browser that could not be opened is waited for, and it is said until when and what else could be done", async () => {
    const openUrl = () => Promise.resolve({ opened: false, reason: "xdg-open was not found" } as const);
    const deadline = new Date(2030, 0, 1, 9, 5).getTime();
    const { answered, dismissed, seen } = withoutTerminal(login({ step: browser, deadline }), { openUrl });
    await seen("The browser could not be opened: xdg-open was not found. Open the address yourself.\n");
    await seen(
      "  Waiting for it until 09:05. Other ways: `plugboard login notes --no-browser`, `plugboard login notes --device`.\n",
    );
    expect({ answered, dismissed }).toEqual({ answered: [], dismissed: [] });
  });

  it("the address that a browser elsewhere ended at is a line of stdin, with --no-browser", async () => {
    const { stdin, opened, answered, seen, screen } = withoutTerminal(login({ step: browser }), { browser: false });
    await seen("on one line of stdin");
    stdin.write("nonsense\n\n");
    await seen("That can't be it: it is no address.");
    stdin.write(`${PASTED}\n`);
    const url = PASTED;
    await waitUntil(() => expect(answered).toEqual([["q", { type: "login", action: "redirected", url }]]));
    expect(opened).toEqual([]);
    expect(screen()).not.toContain("the-code");
  });

  it("a wrong address and no other gives the login up", async () => {
    const { stdin, dismissed, seen } = withoutTerminal(login({ step: browser }), { browser: false });
    stdin.end(`${REDIRECT}?state=s1\n`);
    await seen("That can't be it: it is not whole: copy all of it.");
    await waitUntil(() => expect(dismissed).toEqual(["q"]));
  });

  it("an address that the host does not take is told, and another is read", async () => {
    let refusals = 1;
    const onSettle = (question: string) => {
      if (refusals-- > 0) throw new HostError("ANSWER_INVALID", { question, reason: "the state is another" });
    };
    const { stdin, answered, seen } = withoutTerminal(login({ step: browser }), { browser: false, onSettle });
    stdin.write(`${PASTED}\n`);
    await seen("That can't be it: the state is another.");
    stdin.write(`${PASTED}\n`);
    await waitUntil(() => expect(answered).toHaveLength(1));
  });

  it("an input that is empty leaves the browser of this machine", async () => {
    const question = login({ step: browser });
    const { stdin, dismissed, seen, tell } = withoutTerminal(question, { browser: false });
    await seen("on one line of stdin");
    stdin.end();
    await new Promise((resolve) => stdin.once("end", resolve));
    tell(withdrawn(question));
    const next = login({ id: "next", step: device });
    tell({ type: "question.asked", question: next });
    await seen("WDJB-MJHT");
    expect(dismissed).toEqual([]);
  });

  it("a code is shown, and waited for", async () => {
    const { opened, seen } = withoutTerminal(login({ step: device }));
    await seen("  The code to type there: WDJB-MJHT\n");
    expect(opened).toEqual([]);
  });

  it("nobody is asked anything else", async () => {
    const { dismissed, opened, seen } = withoutTerminal(login());
    await seen("notes has a question (login) that can't be asked here; it is dismissed.");
    await waitUntil(() => expect(dismissed).toEqual(["q"]));
    expect(opened).toEqual([]);
  });
});

describe("what becomes of logins meanwhile", () => {
  const reported = (server?: string) => startScriptedHost((asking) => reportLogins(asking, server), {});
  const WAITS = "Another login at notes is under way; waiting for it. Ctrl-C stops waiting.\n";
  const loggedIn = (server: string) => ({ type: "login.changed", server, change: "logged_in" }) as const;
  const settled = (question: Question, answer: Answer) =>
    ({ type: "question.settled", question, settlement: { by: "answered", answer } }) as const;
  const begin = { type: "login", action: "begin" } as const;
  const cancel = { type: "login", action: "cancel" } as const;

  it("is told once: somebody else is at it, and is waited for", async () => {
    const { tell, seen, screen } = reported("notes");
    tell({ type: "login.waiting", server: "repo" });
    tell({ type: "login.waiting", server: "notes" });
    tell({ type: "login.waiting", server: "notes" });
    tell(loggedIn("notes"));
    tell({ type: "login.waiting", server: "notes" });
    await seen(WAITS + WAITS);
    expect(screen()).toBe(WAITS + WAITS);
  });

  it("is told of any server where the command may be about any", async () => {
    const { tell, seen } = reported();
    tell({ type: "login.waiting", server: "notes" });
    await seen(WAITS);
  });

  it("is told once more when what was agreed to is done, and not of what others do", async () => {
    const { tell, seen, screen } = reported("notes");
    tell(loggedIn("notes"));
    tell(settled(login(), cancel));
    tell(loggedIn("notes"));
    tell(settled(login({ owner: { ...caller, id: "another" } }), begin));
    tell(loggedIn("notes"));
    tell(settled(login(), begin));
    tell({ type: "login.changed", server: "notes", change: "renewed" });
    tell(loggedIn("repo"));
    tell({ type: "login.waiting", server: "notes" });
    tell(loggedIn("notes"));
    tell(loggedIn("notes"));
    tell({ type: "login.waiting", server: "notes" });
    const told = `${WAITS}Logged in at notes.\n${WAITS}`;
    await seen(told);
    expect(screen()).toBe(told);
  });
});
