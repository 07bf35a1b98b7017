/** From a checked definition to what is really run or called: `${…}` expanded, paths made absolute. Never written back. */
import { resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { TransportName } from "@plugboard/contracts";
import type { Target } from "@plugboard/mcp";
import type { ConfiguredServer, ServerDefinition } from "./definition.ts";
import { replaceReferences, wrongReference } from "./references.ts";
import { wrongUrl } from "./web-url.ts";

type Env = { readonly [name: string]: string | undefined };

/** Throws SERVER_INVALID for a definition that is wrong or names a variable that is not set. */
export function resolveTarget(server: ConfiguredServer, env: Env): Target {
  const { id, folder } = server;
  const definition = usable(server);
  const text = (value: string) => expand(value, env, id);
  const record = (values: { readonly [name: string]: string }) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));

  if (definition.transport !== "stdio") {
    const { transport } = definition;
    const reach = { url: checkedUrl(text(definition.url), transport, id), headers: record(definition.headers) };
    return transport === "claudeai-proxy" ? { transport, ...reach, id: text(definition.id) } : { transport, ...reach };
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
  if ("invalid" in definition) throw invalid(id, definition.invalid);
  return definition;
}

function expand(value: string, env: Env, server: string): string {
  const wrong = wrongReference(value);
  if (wrong !== undefined) throw invalid(server, `a text ${wrong}`);
  return replaceReferences(value, ({ name, fallback }) => {
    const set = Object.hasOwn(env, name) ? env[name] : undefined;
    const found = set || fallback;
    if (found !== undefined) return found;
    const state = set === "" ? "empty" : "not set";
    throw invalid(server, `\${${name}} needs the environment variable ${name}, which is ${state}`);
  });
}

function checkedUrl(url: string, transport: TransportName, server: string): string {
  const wrong = wrongUrl(url, transport);
  if (wrong !== undefined) throw invalid(server, wrong);
  return url;
}

function invalid(server: string, what: string): HostError {
  return new HostError("SERVER_INVALID", { server, what });
}
