/** A running host with a way to send requests as each holder of the table of rights. */
import { request } from "node:http";
import { controlPaths, PAGE_KEY_HEADER, PAGE_SESSION_PATH } from "@plugboard/contracts";
import type { CallerKind, Holder } from "@plugboard/contracts";
import { socketPath } from "@plugboard/store";
import type { DaemonOptions } from "@plugboard/daemon";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { addNamedToken, startDaemonWith } from "./running-host.ts";
import type { RunningHost } from "./running-host.ts";
import { openTokenIssuer } from "./token-issuer.ts";

const AUDIENCE = "https://mcp.example.com/mcp";

/** The headers and the address of one holder's requests. */
interface Credentials {
  readonly overSocket?: true;
  readonly headers: { readonly [name: string]: string };
}

export interface Received {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** The response, or the first event of a stream. */
  readonly body: unknown;
}

/** The holders that send HTTP requests. An App speaks only to the page, a stdio client over an upgraded connection. */
export type RequestingHolder = Exclude<Holder, "app" | "stdio">;

export interface Doors {
  readonly host: RunningHost;
  readonly credentials: { readonly [H in RequestingHolder]: Credentials };
  send(holder: RequestingHolder, method: string, path: string, body?: unknown): Promise<Received>;
  /** Opens a channel, which ends with the host. */
  openChannel(holder: RequestingHolder, options?: object): Promise<Received>;
  close(): Promise<void>;
}

/** The kind of caller that a holder is on a channel. */
export const KINDS: { readonly [H in RequestingHolder]?: CallerKind } = {
  owner_token: "api",
  page: "page",
  socket: "cli",
  chat: "chat",
};

export async function openDoors(
  options: Partial<DaemonOptions> = {},
  permissions: Parameters<typeof startDaemonWith>[3] = { allow: ["*"] },
  variables: { readonly [name: string]: string } = {},
): Promise<Doors> {
  const issuer = await openTokenIssuer();
  const scopes = { mcp: "*" };
  const auth = { issuer: issuer.url, audience: AUDIENCE, scopes, approve_scope: "mcp:approve" };
  const host = await startDaemonWith(variables, { s: scriptedLegacy() }, options, permissions, {}, { auth });
  const tokenOf = (name: string, mayApprove: boolean) => addNamedToken(host.env, { name, mayApprove, now: 0 });
  const subject = (scope: string) => issuer.sign({ aud: AUDIENCE, sub: "ann", scope });
  const streams: (() => void)[] = [];
  const send = (credentials: Credentials, method: string, path: string, body?: unknown): Promise<Received> =>
    new Promise((resolve, reject) => {
      const { overSocket, headers } = credentials;
      const { port } = new URL(host.url);
      const address = overSocket ? { socketPath: socketPath(host.env) } : { host: "127.0.0.1", port };
      const sent = request({ ...address, path, method, headers, agent: false }, (response) => {
        let text = "";
        const finish = () => resolve({ status: response.statusCode!, headers: response.headers, body: parse(text) });
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
          if (isStream(response.headers) && text.includes("\n\n")) finish();
        });
        response.on("end", finish).on("error", reject);
      });
      streams.push(() => sent.destroy());
      sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  const bearer = (token: string): Credentials => ({ headers: { authorization: `Bearer ${token}` } });
  const credentials: Doors["credentials"] = {
    stranger: { headers: {} },
    client: bearer(await tokenOf("plain", false)),
    approving_client: bearer(await tokenOf("approving", true)),
    subject: bearer(await subject("mcp")),
    approving_subject: bearer(await subject("mcp mcp:approve")),
    owner_token: bearer(host.token),
    page: await signIn(host, send),
    socket: { overSocket: true, headers: {} },
    chat: { overSocket: true, headers: {} },
  };
  const sendAs: Doors["send"] = (holder, method, path, body) => send(credentials[holder], method, path, body);
  return {
    host,
    credentials,
    send: sendAs,
    openChannel: (holder, more = {}) =>
      sendAs(holder, "POST", controlPaths.channels, { kind: KINDS[holder] ?? "api", ...more }),
    close: async () => {
      for (const end of streams) end();
      await host.close();
      issuer.stop();
    },
  };
}

async function signIn(
  { daemon, url }: RunningHost,
  send: (credentials: Credentials, method: string, path: string, body: unknown) => Promise<Received>,
): Promise<Credentials> {
  const code = daemon.openPage().url.split("#code=")[1];
  const { origin } = new URL(url);
  const { headers, body } = await send({ headers: { origin } }, "POST", PAGE_SESSION_PATH, { code });
  const [cookie = ""] = String(headers["set-cookie"]).split(";");
  return { headers: { cookie, [PAGE_KEY_HEADER]: (body as { key: string }).key } };
}

function isStream(headers: Received["headers"]): boolean {
  return headers["content-type"] === "text/event-stream";
}

function parse(text: string): unknown {
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return text;
  }
}
