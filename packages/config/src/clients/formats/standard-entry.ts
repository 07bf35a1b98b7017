/** Writes the parts of an entry that most clients write alike. */
import type { JsonObject, ServerEntry } from "@plugboard/contracts";
import type { EntryWriter } from "../entry/entry-writer.ts";

/** Writes `command`, `args`, `env` and, if the client has it, `cwd`. */
export function writeStdio(writer: EntryWriter, options: { cwd: boolean; env?: ServerEntry["env"] }): JsonObject {
  const taken = writer.take("env");
  const env = options.env ?? taken ?? {};
  const cwd = options.cwd ? writer.take("cwd") : undefined;
  const command = writer.text("command", writer.take("command") ?? "");
  const args = writer.args("args");
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(cwd !== undefined && { cwd: writer.text("cwd", cwd) }),
    ...(Object.keys(env).length > 0 && { env: writer.record("env", env) }),
  };
}

/** Writes the URL and the headers. */
export function writeRemote(writer: EntryWriter, urlKey = "url", headersKey = "headers"): JsonObject {
  const url = writer.url(urlKey);
  const headers = writer.headers();
  return {
    [urlKey]: url,
    ...(Object.keys(headers).length > 0 && { [headersKey]: writer.record(headersKey, headers) }),
  };
}

/** Writes the list of tools to use under the client's keys. */
export function writeTools(
  writer: EntryWriter,
  includeKey: string | undefined,
  excludeKey: string | undefined,
): JsonObject {
  const { include, exclude } = writer.take("tools") ?? {};
  const lists = [
    { key: includeKey, list: include, name: "tools.include" },
    { key: excludeKey, list: exclude, name: "tools.exclude" },
  ];
  const written: JsonObject = {};
  for (const { key, list, name } of lists) {
    if (!list || list.length === 0) continue;
    if (key === undefined) writer.noteLost(name);
    else written[key] = [...list];
    if (key !== undefined && list.some((tool) => tool.includes("*")))
      writer.notes.push(`${name}: the client may not know "*"; write the names of the tools`);
  }
  return written;
}

/** Writes milliseconds as whole seconds. */
export function writeSeconds(
  writer: EntryWriter,
  key: "startup_timeout_ms" | "request_timeout_ms",
): number | undefined {
  const ms = writer.take(key);
  if (ms === undefined) return undefined;
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds * 1000 !== ms) writer.notes.push(`${key}: ${ms} ms is rounded to ${seconds} s`);
  return seconds;
}
