/** A protected server with its authorization server, both real; a home whose hosts keep their logins in it; and users. */
import type { LoginAnswer, LoginQuestion, Question, ToolResult } from "@plugboard/contracts";
import type { CreateHostOptions, EmbeddedHost } from "@plugboard/host";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from "@plugboard/testkit/authorization-server";
import {
  type ProtectedServer,
  type ProtectedServerOptions,
  startProtectedServer,
} from "@plugboard/testkit/protected-server";
import type { RecordedRequest } from "@plugboard/testkit/recording-http";
import { completeLogin, type CompletedLogin } from "@plugboard/testkit/complete-login";
import { expect, onTestFinished, vi } from "vitest";
import { type TestHome, makeTestHome } from "./embedded-host.ts";
import { resultText } from "./test-project.ts";

/** Whole logins take their time where much else is going on. */
vi.setConfig({ testTimeout: 60_000 });

export interface ProtectedFixture {
  readonly as: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly home: TestHome;
  /** The server's id is `x`. Every host of the home shares its logins. */
  host(ports?: CreateHostOptions["ports"]): Promise<EmbeddedHost>;
}

export async function makeProtectedFixture(
  options?: AuthorizationServerOptions & ProtectedServerOptions,
): Promise<ProtectedFixture> {
  const as = await startAuthorizationServer(options);
  onTestFinished(() => as.close());
  const server = await startProtectedServer(as, options);
  onTestFinished(() => server.close());
  const home = await makeTestHome();
  const servers = { x: { url: server.url, start: "lazy" as const } };
  return { as, server, home, host: (ports = {}) => home.host({ servers, ports }) };
}

export interface TestUser {
  readonly ports: NonNullable<CreateHostOptions["ports"]>;
  /** What they were asked. */
  readonly questions: LoginQuestion[];
  /** What was opened in their browser. */
  readonly openedUrls: string[];
  /** Where the browser ended, each time. */
  readonly finalPages: Promise<Pick<CompletedLogin, "url" | "text">>[];
}

/** Logs in on whatever page opens, but is not there to be asked whether to. */
export function browserWithoutPrompts(user = browsingUser()): NonNullable<CreateHostOptions["ports"]> {
  const { openUrl } = user.ports;
  return openUrl ? { openUrl } : {};
}

/** Agrees to log in, and does so on whatever page opens. */
export function browsingUser(
  browse: (url: string) => Promise<Pick<CompletedLogin, "url" | "text">> = (url) =>
    completeLogin(url, { callback: "visit" }),
): TestUser {
  const [asked, opened, ended]: [LoginQuestion[], string[], TestUser["finalPages"]] = [[], [], []];
  return {
    questions: asked,
    openedUrls: opened,
    finalPages: ended,
    ports: {
      openUrl: async (url: string) => {
        opened.push(url);
        ended.push(browse(url));
      },
      answer: async (question, signal) => {
        const login = loginOf(question);
        asked.push(login);
        return login.step ? untilWithdrawn(signal) : { type: "login", action: "begin" };
      },
    },
  };
}

/** Answers only what is asked about logins, and that by hand. */
export function answeringUser(answer: (question: LoginQuestion) => LoginAnswer | Promise<LoginAnswer | undefined>) {
  const asked: LoginQuestion[] = [];
  const ports = {
    answer: async (question: Question, signal: AbortSignal) => {
      const login = loginOf(question);
      asked.push(login);
      return (await answer(login)) ?? untilWithdrawn(signal);
    },
  };
  return { asked, ports };
}

export async function whoami(host: EmbeddedHost): Promise<unknown> {
  return JSON.parse(textOfResult(await host.tools.call("x:whoami", {})));
}

export function textOfResult(result: ToolResult): string {
  return resultText(result);
}

/** What the one server is like now. */
export function serverStatusOf(host: EmbeddedHost) {
  return host.status().find(({ id }) => id === "x");
}

/** A login is there that an earlier host has made and left. */
export async function createEarlierLogin(fixture: ProtectedFixture): Promise<void> {
  const host = await fixture.host(browsingUser().ports);
  await host.servers.login("x");
  await waitUntilIdle(fixture);
  await host.close();
}

/** Resolves when the server has let in whatever hosts have asked on their own, up to the request by which each listens. */
export async function waitUntilIdle({ as, server }: Pick<ProtectedFixture, "as" | "server">, hosts = 1): Promise<void> {
  const isListening = ({ headers, body }: RecordedRequest) =>
    headers.authorization !== undefined && body.includes('"subscriptions/listen"');
  const wasAskedAbout = ({ path, response }: RecordedRequest) =>
    path === "/token/introspection" && response !== undefined;
  await expect
    .poll(() => {
      const sent = server.requests.filter(({ headers }) => headers.authorization !== undefined).length;
      const listening = server.requests.filter(isListening).length;
      return listening >= hosts && as.requests.filter(wasAskedAbout).length >= sent;
    })
    .toBe(true);
}

function loginOf(question: Question): LoginQuestion {
  if (question.type !== "login") throw new Error(`asked about ${question.type}`);
  return question;
}

function untilWithdrawn(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
}
