/** The methods of a workspace by the names they have on the wire. `tools.call` is a stream and `release` ends it; both are apart. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type {
  Answer,
  CompletionArgument,
  CompletionRef,
  JsonObject,
  LoginMethod,
  ModelProvider,
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
  "servers.detail": ({ servers }, [id]) => servers.detail(requireString(id)),
  "servers.connect": ({ servers }, [id, definition], signal) =>
    servers.connect(requireString(id), {
      signal,
      ...(isPresent(definition) && { definition: requireObject(definition) }),
    }),
  "servers.disconnect": ({ servers }, [id]) => servers.disconnect(requireString(id)),
  "servers.reconnect": ({ servers }, [id], signal) => servers.reconnect(requireString(id), { signal }),
  "servers.refresh": ({ servers }, [id], signal) => servers.refresh(requireString(id), { signal }),
  "servers.toggle": ({ servers }, [id, on]) => servers.toggle(requireString(id), requireBoolean(on)),
  "servers.set": ({ servers }, [all]) => servers.set(requireObject(all) as { [id: string]: ServerEntry }),
  "servers.login": ({ servers }, [id, method], signal) =>
    servers.login(requireString(id), { signal, ...(isPresent(method) && { method: requireLoginMethod(method) }) }),
  "servers.logout": ({ servers }, [id]) => servers.logout(requireString(id)),
  "tools.list": ({ tools }) => tools.list(),
  "tools.search": ({ tools }, [query, options]) => tools.search(requireString(query), searchLimit(options)),
  "tools.definitions": ({ tools }, [provider]) => tools.definitions(requireString(provider) as ModelProvider),
  "tools.toggle": ({ tools }, [ref, on]) => tools.toggle(requireToolRef(ref), requireBoolean(on)),
  "resources.list": ({ resources }, [server], signal) => resources.list({ ...serverFilter(server), signal }),
  "resources.templates": ({ resources }, [server], signal) => resources.templates({ ...serverFilter(server), signal }),
  "resources.read": ({ resources }, [server, uri], signal) =>
    resources.read(requireString(server), requireString(uri), { signal }),
  "prompts.list": ({ prompts }, [server], signal) => prompts.list({ ...serverFilter(server), signal }),
  "prompts.get": ({ prompts }, [server, name, args], signal) =>
    prompts.get(requireString(server), requireString(name), requireStringMap(args), { signal }),
  "prompts.complete": ({ prompts }, [server, ref, argument, others]) =>
    prompts.complete(
      requireString(server),
      requireObject(ref) as unknown as CompletionRef,
      requireObject(argument) as unknown as CompletionArgument,
      requireStringMap(others),
    ),
  "inbox.list": ({ inbox }) => inbox.list(),
  "inbox.answer": ({ inbox }, [id, answer]) => inbox.answer(requireString(id), answer as Answer),
  "inbox.dismiss": ({ inbox }, [id]) => inbox.dismiss(requireString(id)),
  "config.problems": ({ config }) => config.problems(),
  "config.reload": ({ config }) => config.reload(),
  "config.pending": ({ config }) => config.pending(),
  "config.trust": ({ config }, [id, hash]) => config.trust(requireString(id), requireString(hash)),
  "config.distrust": ({ config }, [id]) => config.distrust(requireString(id)),
  "permissions.decisions": ({ permissions }) => permissions.decisions(),
  "permissions.revoke": ({ permissions }, [id]) => permissions.revoke(requireString(id)),
  "logins.list": ({ logins }) => logins.list(),
  "logins.setBackend": ({ logins }, [backend]) => logins.setBackend(requireString(backend) as "file" | "keyring"),
  "activity.recent": ({ activity }, [query]) => activity.recent(requireObject(query ?? {})),
  "activity.metrics": ({ activity }) => activity.metrics(),
};

/** Whether by it a client brings what is to be run, or agrees to it. */
export function addsServers(method: string, args: readonly unknown[]): boolean {
  const second = args[1];
  if (method === "servers.connect") return isPresent(second);
  if (method === "inbox.answer") return isJsonObject(second) && second["type"] === "trust";
  return method === "servers.set" || method === "config.trust";
}

export function isToolRef(value: unknown): value is ToolRef {
  if (typeof value === "string") return true;
  return isJsonObject(value) && typeof value["server"] === "string" && typeof value["tool"] === "string";
}

function requireToolRef(value: unknown): ToolRef {
  if (isToolRef(value)) return value;
  throw new HostError("USAGE", { message: "a tool is named by text, or by server and tool" });
}

function requireString(value: unknown): string {
  if (typeof value === "string") return value;
  throw new HostError("USAGE", { message: "a text is missing among the arguments" });
}

function requireLoginMethod(value: unknown): LoginMethod {
  if (value === "browser" || value === "device") return value;
  throw new HostError("USAGE", { message: "a login is by browser or device" });
}

function requireObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new HostError("USAGE", { message: "an object is missing among the arguments" });
}

function requireStringMap(value: unknown): { readonly [name: string]: string } {
  const given = requireObject(value ?? {});
  if (Object.values(given).every((one) => typeof one === "string")) return given as { [name: string]: string };
  throw new HostError("USAGE", { message: "every value must be text" });
}

function requireBoolean(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw new HostError("USAGE", { message: "true or false is missing among the arguments" });
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function serverFilter(server: unknown): { readonly server?: string } {
  return isPresent(server) ? { server: requireString(server) } : {};
}

function searchLimit(options: unknown): { readonly limit?: number } {
  const { limit } = requireObject(options ?? {});
  if (!isPresent(limit)) return {};
  if (Number.isInteger(limit)) return { limit: limit as number };
  throw new HostError("USAGE", { message: "a limit is a whole number" });
}
