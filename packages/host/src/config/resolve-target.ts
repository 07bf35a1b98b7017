/** From a checked definition to what is really run or called: `${…}` expanded, paths made absolute. Never written back. */
import { resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import type { ConfiguredServer, ServerDefinition } from "./definition.ts";

type Env = { readonly [name: string]: string | undefined };

/** Throws SERVER_INVALID for a definition that is wrong or names a variable that is not set. */
export function resolveTarget(server: ConfiguredServer, env: Env): Target {
  const { id, folder } = server;
  const definition = usable(server);
  const text = (value: string) => expand(value, env, id);
  const record = (values: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));

  if (definition.transport === "http") {
    return { transport: "http", url: webUrl(text(definition.url), id), headers: record(definition.headers) };
  }
  return {
    transport: "stdio",
    command: text(definition.command),
    args: definition.args.map(text),
    cwd: resolve(folder, text(definition.cwd ?? ".")),
    env: record(definition.env),
  };
}

export function usable({ id, definition }: ConfiguredServer): ServerDefinition {
  if ("invalid" in definition) throw new HostError("SERVER_INVALID", { server: id, what: definition.invalid });
  return definition;
}

/** `${NAME}`, `${NAME:-default}`; `$${` stands for `${` itself. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function expand(value: string, env: Env, server: string): string {
  return value.replace(REFERENCE, (reference, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return "${";
    const found = env[name] || fallback;
    if (found !== undefined) return found;
    const what = `${reference} needs the environment variable ${name}, which is not set`;
    throw new HostError("SERVER_INVALID", { server, what });
  });
}

function webUrl(url: string, server: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return url;
  throw new HostError("SERVER_INVALID", { server, what: '"url" must be an http(s) URL' });
}
