/**
 * The list of all methods of `Workspace`. The daemon's routes, the methods of remote workspaces and the methods that
 * the host binds to a caller are derived from it. A new method needs a declaration in `Workspace`, one line here, and
 * an implementation in the host.
 */
import { isJsonObject } from "../../lib/json.ts";
import type { CompletionArgument, CompletionRef } from "../../protocol/prompt.ts";
import {
  anyJson,
  callId,
  flag,
  number,
  object,
  oneOf,
  optional,
  options,
  text,
  textMap,
  texts,
} from "../methods/argument-checks.ts";
import { toolArguments, toolRef, wholeNumber } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import { isPresentIn } from "../rights/spec-rights.ts";
import type { AnyMethod, SpecOf } from "../methods/method-spec.ts";
import type { Answer } from "./question.ts";
import type { ServerEntry } from "./entry-keys.ts";
import type { ModelProvider, Workspace } from "./workspace.ts";

/** The name of a method on the wire, such as `status` or `servers.connect`. */
export type WorkspaceMethodPath = {
  [Name in keyof Workspace]: Workspace[Name] extends AnyMethod ? Name : `${Name}.${keyof Workspace[Name] & string}`;
}[keyof Workspace];

/** The type of the method at a path. */
export type WorkspaceMethod<Path extends WorkspaceMethodPath> = Extract<MethodAt<Path>, AnyMethod>;

type MethodAt<Path> = Path extends keyof Workspace
  ? Workspace[Path]
  : Path extends `${infer Group extends keyof Workspace}.${infer Name}`
    ? Workspace[Group][Name & keyof Workspace[Group]]
    : never;

export type WorkspaceMethodTable = { readonly [Path in WorkspaceMethodPath]: SpecOf<WorkspaceMethod<Path>> };

const serverFilter = options({ server: text });

export const WORKSPACE_METHODS: WorkspaceMethodTable = {
  status: { right: "see_catalog", params: [] },
  snapshot: { right: "see_catalog", params: [] },
  start: {
    right: "use_servers",
    params: [options({ retryFailed: flag, connects: oneOf("all", "unlisted", "none"), servers: texts })],
    signal: true,
  },
  release: { right: "see_catalog", params: [] },
  "servers.detail": { right: "see_catalog", params: [text] },
  "servers.connect": {
    right: "control_servers",
    more: [
      { right: "add_servers", when: "with a definition", applies: ([, given]) => isPresentIn(given, "definition") },
    ],
    params: [text, options({ definition: object })],
    signal: true,
  },
  "servers.disconnect": { right: "control_servers", params: [text] },
  "servers.reconnect": { right: "control_servers", params: [text, options({})], signal: true },
  "servers.refresh": { right: "control_servers", params: [text, options({})], signal: true },
  "servers.toggle": { right: "control_servers", params: [text, flag] },
  "servers.set": { right: "add_servers", params: [object as ArgumentCheck<{ readonly [id: string]: ServerEntry }>] },
  "servers.login": {
    right: "change_accounts",
    params: [text, options({ method: oneOf("browser", "device") })],
    signal: true,
  },
  "servers.logout": { right: "change_accounts", params: [text] },
  "tools.list": { right: "see_catalog", params: [] },
  "tools.find": { right: "see_catalog", params: [text, texts, options({})], signal: true },
  "tools.describe": { right: "change_accounts", params: [toolRef] },
  "tools.search": { right: "see_catalog", params: [text, options({ limit: wholeNumber })] },
  "tools.definitions": { right: "see_catalog", params: [text as ArgumentCheck<ModelProvider>] },
  "tools.call": {
    right: "use_servers",
    params: [toolRef, toolArguments, options({ id: callId, timeoutMs: wholeNumber })],
    signal: true,
    progress: true,
  },
  "tools.toggle": { right: "control_servers", params: [toolRef, flag] },
  "resources.list": { right: "see_catalog", params: [serverFilter], signal: true },
  "resources.templates": { right: "see_catalog", params: [serverFilter], signal: true },
  "resources.read": { right: "use_servers", params: [text, text, options({})], signal: true, progress: true },
  "resources.subscribe": { right: "use_servers", params: [text, text] },
  "resources.unsubscribe": { right: "use_servers", params: [text, text] },
  "prompts.list": { right: "see_catalog", params: [serverFilter], signal: true },
  "prompts.get": {
    right: "use_servers",
    params: [text, text, optional(textMap), options({})],
    signal: true,
    progress: true,
  },
  "prompts.complete": {
    right: "use_servers",
    // The server checks the content of both objects.
    params: [
      text,
      object as ArgumentCheck<unknown> as ArgumentCheck<CompletionRef>,
      object as ArgumentCheck<unknown> as ArgumentCheck<CompletionArgument>,
      optional(textMap),
    ],
  },
  "skills.list": { right: "see_catalog", params: [serverFilter], signal: true },
  "skills.get": { right: "use_servers", params: [text, text, options({})], signal: true, progress: true },
  "skills.read": {
    right: "use_servers",
    params: [text, text, optional(text), options({})],
    signal: true,
    progress: true,
  },
  "inbox.list": { right: "answer", params: [] },
  "inbox.answer": {
    right: "answer",
    more: [{ right: "trust", when: "to a question about trust", applies: ([, answer]) => isTrustAnswer(answer) }],
    params: [text, anyJson as ArgumentCheck<Answer>],
  },
  "inbox.dismiss": { right: "answer", params: [text] },
  "config.problems": { right: "see_catalog", params: [] },
  "config.reload": { right: "control_servers", params: [] },
  "config.pending": { right: "see_catalog", params: [] },
  "config.trust": { right: "trust", params: [text, text] },
  "config.distrust": { right: "trust", params: [text] },
  "permissions.decisions": { right: "read_activity", params: [] },
  "permissions.revoke": { right: "change_accounts", params: [text] },
  "logins.list": { right: "change_accounts", params: [] },
  "logins.setBackend": { right: "change_accounts", params: [text as ArgumentCheck<"keyring" | "file">] },
  "secrets.list": { right: "change_accounts", params: [] },
  "secrets.set": { right: "change_accounts", params: [text, text] },
  "secrets.remove": { right: "change_accounts", params: [text] },
  "activity.recent": {
    right: "read_activity",
    params: [options({ limit: wholeNumber, server: text, since: number })],
  },
  "activity.metrics": { right: "read_activity", params: [] },
  "activity.stats": {
    right: "read_activity",
    params: [
      options({
        spanMs: number,
        by: oneOf("server", "tool", "client"),
        server: text,
        caller: oneOf("program", "cli", "chat", "page", "api", "front"),
        text,
        onlyFailed: flag,
      }),
    ],
  },
};

function isTrustAnswer(answer: unknown): boolean {
  return isJsonObject(answer) && answer["type"] === "trust";
}

export function isWorkspaceMethodPath(path: string): path is WorkspaceMethodPath {
  return Object.hasOwn(WORKSPACE_METHODS, path);
}
