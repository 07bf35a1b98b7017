/** Connects the official MCP clients, 1.x and 2.x, to a running host: over HTTP, or through `plugboard stdio`. */
import { fileURLToPath } from "node:url";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { recorderEnv } from "@plugboard/testkit/recorder-env";
import { z } from "zod";
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";

export type ElicitationReply =
  | { action: "accept"; content: Record<string, string> }
  | { action: "decline" }
  | { action: "cancel" };

export type AnswerElicitation = (message: string) => ElicitationReply | Promise<ElicitationReply>;

export interface OfficialClient {
  listTools(): Promise<string[]>;
  /** Returns the text of the result. */
  call(tool: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<string>;
  /** Sends any request, also one that the client's own methods would not send. */
  request(method: string, params: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

export const clientKinds = ["legacy over HTTP", "modern over HTTP", "legacy over stdio", "modern over stdio"] as const;
export type ClientKind = (typeof clientKinds)[number];

const info = { name: "front", version: "1.0.0" };
const command = fileURLToPath(new URL("../../../cli/bin/plugboard.js", import.meta.url));

export async function openClient(
  kind: ClientKind,
  host: RunningHost,
  answer: AnswerElicitation,
): Promise<OfficialClient> {
  return kind.startsWith("legacy") ? openLegacy(kind, host, answer) : openModern(kind, host, answer);
}

function http({ url, token }: RunningHost) {
  return [new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }] as const;
}

function stdio({ env }: RunningHost) {
  return { command: process.execPath, args: [command, "stdio"], env: { ...env, ...recorderEnv() } };
}

async function openLegacy(kind: ClientKind, host: RunningHost, answer: AnswerElicitation): Promise<OfficialClient> {
  const client = new LegacyClient(info, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
  const transport = kind.endsWith("HTTP") ? new LegacyHttp(...http(host)) : new LegacyStdio(stdio(host));
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, signal) =>
      textOf(await client.callTool({ name, arguments: args }, undefined, signal && { signal })),
    request: (method, params) => client.request({ method, params }, ResultSchema),
    close: () => client.close(),
  };
}

async function openModern(kind: ClientKind, host: RunningHost, answer: AnswerElicitation): Promise<OfficialClient> {
  const client = new ModernClient(info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  client.setRequestHandler("elicitation/create", ({ params }) => answer(params.message));
  const transport = kind.endsWith("HTTP") ? new ModernHttp(...http(host)) : new ModernStdio(stdio(host));
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, signal) =>
      textOf(await client.callTool({ name, arguments: args }, signal && { signal })),
    request: (method, params) => client.request({ method, params } as never, z.looseObject({})),
    close: () => client.close(),
  };
}

function textOf(result: { [key: string]: unknown }): string {
  return (result["content"] as { text?: string }[]).map(({ text = "" }) => text).join("\n");
}
