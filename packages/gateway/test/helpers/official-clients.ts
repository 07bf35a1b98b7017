/** Connects the official MCP clients, 1.x and 2.x, to a running host: over HTTP, or through `plugboard stdio`. */
import { fileURLToPath } from "node:url";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { recorderEnv } from "@plugboard/testkit/recorder-env";
import { z } from "zod";
import type { RunningHost } from "../../../daemon/test/helpers/running-host.ts";

export type ElicitationReply =
  | { action: "accept"; content: Record<string, string> }
  | { action: "decline" }
  | { action: "cancel" };

/** Called with the message and all params of a question. */
export type AnswerElicitation = (
  message: string,
  params: Record<string, unknown>,
) => ElicitationReply | Promise<ElicitationReply>;

export interface OfficialClient {
  listTools(): Promise<string[]>;
  /** Returns the text of the result. */
  call(tool: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<string>;
  /** The instructions that the gateway gave. */
  readonly instructions: string | undefined;
  /** The capabilities that the gateway declared. */
  readonly capabilities: object | undefined;
  /** Subscribes to changes of lists and of one resource. */
  subscribe(uri: string): Promise<void>;
  /** Sets the lowest level of log entries that the client gets. */
  setLogLevel(level: "debug" | "info" | "error"): Promise<void>;
  /** The notifications that the client has got so far, except progress. */
  readonly notifications: { readonly method: string; readonly params?: Record<string, unknown> | undefined }[];
  /** The params of the elicitations that the client got so far. */
  readonly asked: Record<string, unknown>[];
  /** Sends any request, also one that the client's own methods would not send. */
  request(method: string, params: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

export const clientKinds = ["legacy over HTTP", "modern over HTTP", "legacy over stdio", "modern over stdio"] as const;
export type ClientKind = (typeof clientKinds)[number];

const info = { name: "front", version: "1.0.0" };
const command = fileURLToPath(new URL("../../../cli/bin/plugboard.js", import.meta.url));

/** A host, and the profile that the client uses. */
export interface ServedHost extends RunningHost {
  readonly profile?: string;
}

/** Answers sampling requests and has one root, if a model is given. */
export type Model = (prompt: string) => string;

export async function openClient(
  kind: ClientKind,
  host: ServedHost,
  answer: AnswerElicitation,
  model?: Model,
): Promise<OfficialClient> {
  return kind.startsWith("legacy") ? openLegacy(kind, host, answer, model) : openModern(kind, host, answer, model);
}

const ROOT = { uri: "file:///front", name: "front" };
const modelCapabilities = { sampling: { tools: {} }, roots: {} };

function sampled(model: Model, content: unknown) {
  const [block] = [content].flat() as { text?: string }[];
  return {
    role: "assistant" as const,
    model: "fixed",
    content: { type: "text" as const, text: model(block?.text ?? "") },
  };
}

function http({ url, token, profile }: ServedHost) {
  const address = profile === undefined ? url : `${url}/p/${profile}`;
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  return [new URL(address), { requestInit, fetch: fetchWithOwnSignal }] as const;
}

/**
 * Gives each POST a signal of its own until it is answered. Node's fetch keeps a listener at the signal until the response
 * is collected as garbage, and warns about the one signal that the clients use for thousands of requests.
 */
async function fetchWithOwnSignal(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const { signal } = init;
  if (init.method !== "POST" || !signal) return fetch(url, init);
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await fetch(url, { ...init, signal: own.signal });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function stdio({ env, profile }: ServedHost) {
  const args = [command, "stdio", ...(profile === undefined ? [] : ["--profile", profile])];
  return { command: process.execPath, args, env: { ...env, ...recorderEnv() } };
}

/**
 * Lets the transport send one message after another. By itself it adds a listener to its pipe for each message that the
 * pipe can't take yet, and Node warns about many of them.
 */
function inOrder<T extends LegacyStdio | ModernStdio>(transport: T): T {
  const send: (message: never) => Promise<void> = transport.send.bind(transport);
  let last = Promise.resolve();
  transport.send = (message: unknown) => (last = last.then(() => send(message as never)));
  return transport;
}

async function openLegacy(
  kind: ClientKind,
  host: ServedHost,
  answer: AnswerElicitation,
  model: Model | undefined,
): Promise<OfficialClient> {
  const elicitation = { form: {}, url: {} };
  const client = new LegacyClient(info, { capabilities: { elicitation, ...(model && modelCapabilities) } });
  if (model) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sampled(model, params.messages[0]?.content));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [ROOT] }));
  }
  const notifications: OfficialClient["notifications"] = [];
  client.fallbackNotificationHandler = async (notification) => void notifications.push(notification);
  const asked: OfficialClient["asked"] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return answer(params.message, params);
  });
  const transport = kind.endsWith("HTTP") ? new LegacyHttp(...http(host)) : inOrder(new LegacyStdio(stdio(host)));
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, signal) =>
      textOf(await client.callTool({ name, arguments: args }, undefined, signal && { signal })),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    notifications,
    asked,
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    setLogLevel: async (level) => void (await client.setLoggingLevel(level)),
    request: (method, params) => client.request({ method, params }, ResultSchema),
    close: () => client.close(),
  };
}

async function openModern(
  kind: ClientKind,
  host: ServedHost,
  answer: AnswerElicitation,
  model: Model | undefined,
): Promise<OfficialClient> {
  const client = new ModernClient(info, {
    capabilities: { elicitation: { form: {}, url: {} }, ...(model && modelCapabilities) },
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  const asked: OfficialClient["asked"] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params);
    return answer(params.message, params);
  });
  if (model) {
    client.setRequestHandler("sampling/createMessage", ({ params }) => sampled(model, params.messages[0]?.content));
    client.setRequestHandler("roots/list", () => ({ roots: [ROOT] }));
  }
  const notifications: OfficialClient["notifications"] = [];
  client.fallbackNotificationHandler = async (notification) => void notifications.push(notification);
  let logLevel: string | undefined;
  const withLogLevel = (params: Record<string, unknown>) =>
    logLevel === undefined ? params : { ...params, _meta: { "io.modelcontextprotocol/logLevel": logLevel } };
  const transport = kind.endsWith("HTTP") ? new ModernHttp(...http(host)) : inOrder(new ModernStdio(stdio(host)));
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, signal) =>
      textOf(await client.callTool(withLogLevel({ name, arguments: args }) as never, signal && { signal })),
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    notifications,
    asked,
    subscribe: async (uri) => {
      const all = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true };
      await client.listen({ ...all, resourceSubscriptions: [uri] });
    },
    setLogLevel: async (level) => void (logLevel = level),
    request: (method, params) => client.request({ method, params } as never, z.looseObject({})),
    close: () => client.close(),
  };
}

function textOf(result: { [key: string]: unknown }): string {
  return (result["content"] as { text?: string }[]).map(({ text = "" }) => text).join("\n");
}
