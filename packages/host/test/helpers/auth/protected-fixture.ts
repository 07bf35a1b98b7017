/** Starts an MCP server that needs a login, its authorization server, and hosts with a common home. Simulates users. */
import type { LoginAnswer, LoginQuestion, Question } from "@plugboard/contracts";
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
import { expect, onTestFinished } from "vitest";
import { type TestHome, makeTestHome } from "../embedded-host.ts";
import { resultText } from "../test-project.ts";

export interface ProtectedFixture {
  /** The authorization server. */
  readonly as: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly home: TestHome;
  /** Creates a host with the server `x`. All hosts share the logins of the home. */
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
  /** The questions to the user. */
  readonly questions: LoginQuestion[];
  /** The URLs that the host opened in the browser. */
  readonly openedUrls: string[];
  /** The last page of each login in the browser. */
  readonly finalPages: Promise<Pick<CompletedLogin, "url" | "text">>[];
}

/** Returns the ports of a user who logs in on each page that opens, but answers no questions. */
export function browserWithoutPrompts(user = browsingUser()): NonNullable<CreateHostOptions["ports"]> {
  const { openUrl } = user.ports;
  return openUrl ? { openUrl } : {};
}

/** Simulates a user who agrees to each login and completes it in the browser. */
export function browsingUser(
  browse: (url: string) => Promise<Pick<CompletedLogin, "url" | "text">> = (url) =>
    completeLogin(url, { callback: "visit" }),
): TestUser {
  const questions: LoginQuestion[] = [];
  const openedUrls: string[] = [];
  const finalPages: TestUser["finalPages"] = [];
  return {
    questions,
    openedUrls,
    finalPages,
    ports: {
      openUrl: async (url: string) => {
        openedUrls.push(url);
        finalPages.push(browse(url));
      },
      answer: async (question, signal) => {
        const login = requireLoginQuestion(question);
        questions.push(login);
        // If the question has a step, the login has begun, and the browser completes it without an answer.
        return login.step ? waitUntilWithdrawn(signal) : { type: "login", action: "begin" };
      },
    },
  };
}

/** Simulates a user without a browser, whose answers to login questions come from the test. */
export function answeringUser(answer: (question: LoginQuestion) => LoginAnswer | Promise<LoginAnswer | undefined>) {
  const asked: LoginQuestion[] = [];
  const ports = {
    answer: async (question: Question, signal: AbortSignal) => {
      const login = requireLoginQuestion(question);
      asked.push(login);
      return (await answer(login)) ?? waitUntilWithdrawn(signal);
    },
  };
  return { asked, ports };
}

export async function whoami(host: EmbeddedHost): Promise<unknown> {
  return JSON.parse(resultText(await host.tools.call("x:whoami", {})));
}

export function serverStatusOf(host: EmbeddedHost) {
  return host.status().find(({ id }) => id === "x");
}

/** Stores a login: logs in with a host, and closes the host. */
export async function createEarlierLogin(fixture: ProtectedFixture): Promise<void> {
  const host = await fixture.host(browsingUser().ports);
  await host.servers.login("x");
  await waitUntilIdle(fixture);
  await host.close();
}

/** Resolves when the server has answered all requests that hosts send after connecting. */
export async function waitUntilIdle({ as, server }: Pick<ProtectedFixture, "as" | "server">, hosts = 1): Promise<void> {
  const isListening = ({ headers, body }: RecordedRequest) =>
    headers.authorization !== undefined && body.includes('"subscriptions/listen"');
  // Before the server answers a request, it sends the token to the authorization server to be checked.
  const isTokenCheck = ({ path, response }: RecordedRequest) =>
    path === "/token/introspection" && response !== undefined;
  await expect
    .poll(() => {
      const withToken = server.requests.filter(({ headers }) => headers.authorization !== undefined).length;
      const listening = server.requests.filter(isListening).length;
      return listening >= hosts && as.requests.filter(isTokenCheck).length >= withToken;
    })
    .toBe(true);
}

function requireLoginQuestion(question: Question): LoginQuestion {
  if (question.type !== "login") throw new Error(`unexpected question: ${question.type}`);
  return question;
}

function waitUntilWithdrawn(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
}
