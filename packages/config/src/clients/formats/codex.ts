/** Codex: TOML with `mcp_servers`. It expands no placeholders, but has keys for the names of variables. */
import { isJsonObject } from "@plugboard/contracts";
import type { EntryValue, Json, JsonObject } from "@plugboard/contracts";
import type { Client } from "./client.ts";
import type { EntryWriter } from "../entry/entry-writer.ts";
import { NO_PLACEHOLDERS } from "../placeholders/dialect.ts";
import { joinPath } from "./client-folders.ts";
import { hasObject, objectOf, sectionAt, withoutKeys } from "./section-at.ts";
import { writeSeconds, writeStdio, writeTools } from "./standard-entry.ts";

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const BEARER_VARIABLE = /^Bearer \$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const VARIABLE_KEYS = ["env_vars", "bearer_token_env_var", "env_http_headers"];

export const codex: Client = {
  name: "codex",
  label: "Codex",
  syntax: "toml",
  files: (places) => [
    {
      path: joinPath(places, places.env["CODEX_HOME"] || joinPath(places, places.home, ".codex"), "config.toml"),
      scope: "user",
    },
    { path: joinPath(places, places.project, ".codex", "config.toml"), scope: "project" },
  ],
  ownsPath: (path) => /(?:^|\/)\.codex\/config\.toml$/.test(path),
  ownsDocument: (document) => hasObject(document, "mcp_servers"),
  serversPath: ["mcp_servers"],
  sections: (document) => sectionAt(document, "mcp_servers"),
  dialect: () => NO_PLACEHOLDERS,
  read: (entry, _id, notes) => {
    const { scopes, ...rest } = withoutKeys(entry, VARIABLE_KEYS);
    const env = { ...toVariables(forwardedNames(entry["env_vars"], notes)), ...objectOf(entry["env"]) };
    const headers = readHeaders(entry);
    return {
      entry: {
        ...withoutKeys(rest, ["env", "http_headers"]),
        ...(Object.keys(env).length > 0 && { env }),
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(scopes !== undefined && { oauth: { scopes } }),
      },
    };
  },
  write: (entry, writer) => {
    const isStdio = entry.transport === "stdio";
    if (!isStdio && entry.transport !== "http") return undefined;
    const startup = writeSeconds(writer, "startup_timeout_ms");
    const request = writeSeconds(writer, "request_timeout_ms");
    const { scope } = writer.oauth(["scope"]) ?? {};
    return {
      ...(isStdio ? writeProgram(writer, entry.env ?? {}) : writeUrl(writer)),
      ...(scope !== undefined && { scopes: writer.text("scopes", scope).split(" ") }),
      ...(entry.enabled === false && { enabled: false }),
      ...(startup !== undefined && { startup_timeout_sec: startup }),
      ...(request !== undefined && { tool_timeout_sec: request }),
      ...writeTools(writer, "enabled_tools", "disabled_tools"),
    };
  },
  document: (mcp_servers) => ({ mcp_servers }),
};

/** Returns the names of forwarded variables. Newer versions of Codex also allow `{ name, source }`. */
function forwardedNames(value: Json | undefined, notes: string[]): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item) => {
    const name = isJsonObject(item) ? item["name"] : item;
    if (typeof name !== "string") return [];
    if (isJsonObject(item) && item["source"] === "remote")
      notes.push(`${name} is read from your own environment, not from a remote one`);
    return [name];
  });
}

function toVariables(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
}

function readHeaders(entry: JsonObject): JsonObject {
  const fromVariables = Object.entries(objectOf(entry["env_http_headers"])).flatMap(([name, variable]) =>
    typeof variable === "string" ? [[name, `\${${variable}}`]] : [],
  );
  const token = entry["bearer_token_env_var"];
  return {
    ...objectOf(entry["http_headers"]),
    ...(Object.fromEntries(fromVariables) as JsonObject),
    ...(typeof token === "string" && { Authorization: `Bearer \${${token}}` }),
  };
}

/** Writes a variable such as `"NAME": "${NAME}"` as an item of `env_vars`. */
function writeProgram(writer: EntryWriter, env: { readonly [name: string]: EntryValue }): JsonObject {
  const isForwarded = ([name, value]: [string, EntryValue]) => typeof value === "string" && value === `\${${name}}`;
  const forwarded = Object.entries(env).filter(isForwarded);
  const others = Object.fromEntries(Object.entries(env).filter((pair) => !isForwarded(pair)));
  return {
    ...writeStdio(writer, { cwd: true, env: others }),
    ...(forwarded.length > 0 && { env_vars: forwarded.map(([name]) => name) }),
  };
}

function writeUrl(writer: EntryWriter): JsonObject {
  const url = writer.url("url");
  const [plain, variables]: [{ [name: string]: EntryValue }, JsonObject] = [{}, {}];
  let bearer: string | undefined;
  for (const [name, value] of Object.entries(writer.headers())) {
    const text = typeof value === "string" ? value : "";
    const token = name === "Authorization" ? BEARER_VARIABLE.exec(text)?.[1] : undefined;
    const variable = VARIABLE.exec(text)?.[1];
    if (token !== undefined) bearer = token;
    else if (variable !== undefined) variables[name] = variable;
    else plain[name] = value;
  }
  return {
    url,
    ...(bearer !== undefined && { bearer_token_env_var: bearer }),
    ...(Object.keys(plain).length > 0 && { http_headers: writer.record("http_headers", plain) }),
    ...(Object.keys(variables).length > 0 && { env_http_headers: variables }),
  };
}
