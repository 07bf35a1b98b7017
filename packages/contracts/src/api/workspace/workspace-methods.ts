/**
 * The list of all methods of `Workspace`. The daemon's routes, the methods of remote workspaces and the methods that
 * the host binds to a caller are derived from it. A new method needs a declaration in `Workspace`, one line here, and
 * an implementation in the host.
 */
import type { CompletionArgument, CompletionRef } from "../../protocol/prompt.ts";
import { anyJson, flag, object, oneOf, optional, options, text, textMap, texts } from "../methods/argument-checks.ts";
import { toolArguments, toolRef, wholeNumber } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import type { AnyMethod, SpecOf } from "../methods/method-spec.ts";
import type { Answer } from "./question.ts";
import type { ServerEntry } from "./server-entry.ts";
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
  status: { params: [] },
  snapshot: { params: [] },
  start: { params: [options({ retryFailed: flag })], signal: true },
  release: { params: [] },
  "servers.detail": { params: [text] },
  "servers.connect": { params: [text, options({ definition: object })], signal: true },
  "servers.disconnect": { params: [text] },
  "servers.reconnect": { params: [text, options({})], signal: true },
  "servers.refresh": { params: [text, options({})], signal: true },
  "servers.toggle": { params: [text, flag] },
  "servers.set": { params: [object as ArgumentCheck<{ readonly [id: string]: ServerEntry }>] },
  "servers.login": {
    params: [text, options({ method: oneOf("browser", "device") })],
    signal: true,
    userOnly: true,
  },
  "servers.logout": { params: [text], userOnly: true },
  "tools.list": { params: [] },
  "tools.find": { params: [text, texts, options({})], signal: true },
  "tools.describe": { params: [toolRef], userOnly: true },
  "tools.search": { params: [text, options({ limit: wholeNumber })] },
  "tools.definitions": { params: [text as ArgumentCheck<ModelProvider>] },
  "tools.call": { params: [toolRef, toolArguments, options({})], signal: true, progress: true },
  "tools.toggle": { params: [toolRef, flag] },
  "resources.list": { params: [serverFilter], signal: true },
  "resources.templates": { params: [serverFilter], signal: true },
  "resources.read": { params: [text, text, options({})], signal: true, progress: true },
  "resources.subscribe": { params: [text, text] },
  "resources.unsubscribe": { params: [text, text] },
  "prompts.list": { params: [serverFilter], signal: true },
  "prompts.get": { params: [text, text, optional(textMap), options({})], signal: true, progress: true },
  "prompts.complete": {
    // The server checks the content of both objects.
    params: [
      text,
      object as ArgumentCheck<unknown> as ArgumentCheck<CompletionRef>,
      object as ArgumentCheck<unknown> as ArgumentCheck<CompletionArgument>,
      optional(textMap),
    ],
  },
  "skills.list": { params: [serverFilter], signal: true },
  "skills.get": { params: [text, text, options({})], signal: true, progress: true },
  "skills.read": { params: [text, text, optional(text), options({})], signal: true, progress: true },
  "inbox.list": { params: [] },
  "inbox.answer": { params: [text, anyJson as ArgumentCheck<Answer>] },
  "inbox.dismiss": { params: [text] },
  "config.problems": { params: [] },
  "config.reload": { params: [] },
  "config.pending": { params: [] },
  "config.trust": { params: [text, text], userOnly: true },
  "config.distrust": { params: [text], userOnly: true },
  "permissions.decisions": { params: [] },
  "permissions.revoke": { params: [text], userOnly: true },
  "logins.list": { params: [], userOnly: true },
  "logins.setBackend": { params: [text as ArgumentCheck<"keyring" | "file">], userOnly: true },
  "secrets.list": { params: [], userOnly: true },
  "secrets.set": { params: [text, text], userOnly: true },
  "secrets.remove": { params: [text], userOnly: true },
  "activity.recent": { params: [optional(object)] },
  "activity.metrics": { params: [] },
};

export function isWorkspaceMethodPath(path: string): path is WorkspaceMethodPath {
  return Object.hasOwn(WORKSPACE_METHODS, path);
}
