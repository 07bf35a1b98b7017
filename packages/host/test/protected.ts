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
import { walkLogin, type WalkEnd } from "@plugboard/testkit/walk-login";
import { expect, onTestFinished, vi } from "vitest";
import { type Home, makeHome } from "./embedded-host.ts";
import { textOf } from "./flow.ts";

/** Whole logins take their time where much else is going on. */
vi.setConfig({ testTimeout: 60_000 });

export interface Protected {
  readonly as: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly home: Home;
  /** The server's id is `x`. Every host of the home shares its logins. */
  host(ports?: CreateHostOptions["ports"]): Promise<EmbeddedHost>;
}

export async function makeProtected(options?: AuthorizationServerOptions & ProtectedServerOptions): Promise<Protected> {
  const as = await startAuthorizationServer(options);
  onTestFinished(() => as.close());
  const server = await startProtectedServer(as, options);
  onTestFinished(() => server.close());
  const home = await makeHome();
  const servers = { x: { url: server.url, start: "lazy" as const } };
  return { as, server, home, host: (ports = {}) => home.host({ servers, ports }) };
}

export interface User {
  readonly ports: NonNullable<CreateHostOptions["ports"]>;
  /** What they were asked. */
  readonly asked: LoginQuestion[];
  /** What was opened in their browser. */
  readonly opened: string[];
  /** Where the browser ended, each time. */
  readonly ended: Promise<Pick<WalkEnd, "url" | "text">>[];
}

/** Logs in on whatever page opens, but is not there to be asked whether to. */
export function browserAlone(user = userWith()): NonNullable<CreateHostOptions["ports"]> {
  const { openUrl } = user.ports;
  return openUrl ? { openUrl } : {};
}

/** Agrees to log in, and does so on whatever page opens. */
export function userWith(
  browse: (url: string) => Promise<Pick<WalkEnd, "url" | "text">> = (url) => walkLogin(url, { callback: "visit" }),
): User {
  const [asked, opened, ended]: [LoginQuestion[], string[], User["ended"]] = [[], [], []];
  return {
    asked,
    opened,
    ended,
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
export function userWho(answer: (question: LoginQuestion) => LoginAnswer | Promise<LoginAnswer | undefined>) {
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
  return JSON.parse(said(await host.tools.call("x:whoami", {})));
}

export function said(result: ToolResult): string {
  return textOf(result);
}

/** What the one server is like now. */
export function statusOf(host: EmbeddedHost) {
  return host.status().find(({ id }) => id === "x");
}

/** A login is there that an earlier host has made and left. */
export async function logInBefore(world: Protected): Promise<void> {
  const host = await world.host(userWith().ports);
  await host.login("x");
  await atRest(world);
  await host.close();
}

/** Resolves when the server has let in whatever hosts have asked on their own, up to the request by which each listens. */
export async function atRest({ as, server }: Pick<Protected, "as" | "server">, hosts = 1): Promise<void> {
  const isListening = ({ headers, body }: RecordedRequest) =>
    headers.authorization !== undefined && body.includes('"subscriptions/listen"');
  const wasAskedAbout = ({ path, answer }: RecordedRequest) => path === "/token/introspection" && answer !== undefined;
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
