/** The methods of a workspace by the names they have on the wire. `tools.call` is a stream and `release` ends it; both are apart. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type {
  Answer,
  CompletionArgument,
  CompletionRef,
  JsonObject,
  LoginWay,
  Provider,
  ServerEntry,
  ToolRef,
  Workspace,
} from "@plugboard/contracts";

type Method = (workspace: Workspace, args: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

export const METHODS: { readonly [name: string]: Method | undefined } = {
  __proto__: null as never,
  status: (workspace) => workspace.status(),
  snapshot: (workspace) => workspace.snapshot(),
  start: (workspace, _, signal) => workspace.start({ signal }),
  "servers.detail": ({ servers }, [id]) => servers.detail(text(id)),
  "servers.connect": ({ servers }, [id, definition], signal) =>
    servers.connect(text(id), { signal, ...(isGiven(definition) && { definition: object(definition) }) }),
  "servers.disconnect": ({ servers }, [id]) => servers.disconnect(text(id)),
  "servers.reconnect": ({ servers }, [id], signal) => servers.reconnect(text(id), { signal }),
  "servers.refresh": ({ servers }, [id], signal) => servers.refresh(text(id), { signal }),
  "servers.toggle": ({ servers }, [id, on]) => servers.toggle(text(id), flag(on)),
  "servers.set": ({ servers }, [all]) => servers.set(object(all) as { [id: string]: ServerEntry }),
  "servers.login": ({ servers }, [id, how], signal) =>
    servers.login(text(id), { signal, ...(isGiven(how) && { how: way(how) }) }),
  "servers.logout": ({ servers }, [id]) => servers.logout(text(id)),
  "tools.list": ({ tools }) => tools.list(),
  "tools.search": ({ tools }, [query, options]) => tools.search(text(query), limitOf(options)),
  "tools.definitions": ({ tools }, [provider]) => tools.definitions(text(provider) as Provider),
  "tools.toggle": ({ tools }, [ref, on]) => tools.toggle(toolRef(ref), flag(on)),
  "resources.list": ({ resources }, [server], signal) => resources.list({ ...only(server), signal }),
  "resources.templates": ({ resources }, [server], signal) => resources.templates({ ...only(server), signal }),
  "resources.read": ({ resources }, [server, uri], signal) => resources.read(text(server), text(uri), { signal }),
  "prompts.list": ({ prompts }, [server], signal) => prompts.list({ ...only(server), signal }),
  "prompts.get": ({ prompts }, [server, name, args], signal) =>
    prompts.get(text(server), text(name), texts(args), { signal }),
  "prompts.complete": ({ prompts }, [server, ref, argument, others]) =>
    prompts.complete(
      text(server),
      object(ref) as unknown as CompletionRef,
      object(argument) as unknown as CompletionArgument,
      texts(others),
    ),
  "inbox.list": ({ inbox }) => inbox.list(),
  "inbox.answer": ({ inbox }, [id, answer]) => inbox.answer(text(id), answer as Answer),
  "inbox.dismiss": ({ inbox }, [id]) => inbox.dismiss(text(id)),
  "config.problems": ({ config }) => config.problems(),
  "config.reload": ({ config }) => config.reload(),
  "config.pending": ({ config }) => config.pending(),
  "config.trust": ({ config }, [id, hash]) => config.trust(text(id), text(hash)),
  "config.distrust": ({ config }, [id]) => config.distrust(text(id)),
  "permissions.decisions": ({ permissions }) => permissions.decisions(),
  "permissions.revoke": ({ permissions }, [id]) => permissions.revoke(text(id)),
  "logins.list": ({ logins }) => logins.list(),
  "logins.keepIn": ({ logins }, [backend]) => logins.keepIn(text(backend) as "file" | "keyring"),
  "activity.recent": ({ activity }, [query]) => activity.recent(object(query ?? {})),
  "activity.metrics": ({ activity }) => activity.metrics(),
};

/** Whether by it a client brings what is to be run, or agrees to it. */
export function servesToRun(method: string, args: readonly unknown[]): boolean {
  const second = args[1];
  if (method === "servers.connect") return isGiven(second);
  if (method === "inbox.answer") return isJsonObject(second) && second["type"] === "trust";
  return method === "servers.set" || method === "config.trust";
}

export function isToolRef(value: unknown): value is ToolRef {
  if (typeof value === "string") return true;
  return isJsonObject(value) && typeof value["server"] === "string" && typeof value["tool"] === "string";
}

function toolRef(value: unknown): ToolRef {
  if (isToolRef(value)) return value;
  throw new HostError("USAGE", { what: "a tool is named by text, or by server and tool" });
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new HostError("USAGE", { what: "a text is missing among the arguments" });
}

function way(value: unknown): LoginWay {
  if (value === "browser" || value === "device") return value;
  throw new HostError("USAGE", { what: "a login is by browser or device" });
}

function object(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new HostError("USAGE", { what: "an object is missing among the arguments" });
}

function texts(value: unknown): { readonly [name: string]: string } {
  const given = object(value ?? {});
  if (Object.values(given).every((one) => typeof one === "string")) return given as { [name: string]: string };
  throw new HostError("USAGE", { what: "every value must be text" });
}

function flag(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new HostError("USAGE", { what: "true or false is missing among the arguments" });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function only(server: unknown): { readonly server?: string } {
  return isGiven(server) ? { server: text(server) } : {};
}

function limitOf(options: unknown): { readonly limit?: number } {
  const { limit } = object(options ?? {});
  if (!isGiven(limit)) return {};
  if (Number.isInteger(limit)) return { limit: limit as number };
  throw new HostError("USAGE", { what: "a limit is a whole number" });
}
