/** Exports the same servers to each client. The expected files are `fixtures/<client>.exported.*`. */
import { readFileSync, writeFileSync } from "node:fs";
import { CLIENTS } from "#clients/client-table.js";
import { writeClientText } from "#clients/write-client-text.js";
import type { ServerEntry } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const CANARY = "ghp-canary-0123456789abcdef";

const SERVERS = new Map<string, ServerEntry>([
  [
    "files",
    {
      transport: "stdio",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "${DIR}", "$${literal}"],
      env: { LOG_LEVEL: "debug", API_KEY: "${API_KEY}", TOKEN: { $secret: "files-token" }, MODE: "${MODE:-fast}" },
      cwd: "/srv/files",
      request_timeout_ms: 90_000,
      tools: { include: ["read_*"], exclude: ["read_secret"] },
      idle_stop_ms: 60_000,
    },
  ],
  ["plain", { transport: "stdio", command: "run", args: ["--token", CANARY], env: { GITHUB_TOKEN: CANARY } }],
  [
    "remote",
    {
      transport: "http",
      url: "https://mcp.example.com/mcp",
      headers: { Authorization: "Bearer ${TOKEN}", "X-Region": "eu", "X-Certificate": { $file: "/run/cert" } },
      startup_timeout_ms: 5500,
    },
  ],
  [
    "login",
    {
      transport: "http",
      url: "https://login.example.com/mcp",
      auth: { type: "oauth", client_id: "plugboard", scope: "read write", callback_port: 3118 },
      enabled: false,
    },
  ],
  ["key", { transport: "sse", url: "https://key.example.com/sse", auth: { type: "api_key", api_key: "${KEY}" } }],
  ["socket", { transport: "websocket", url: "wss://socket.example.com" }],
]);

const EXTENSIONS = { json: "json", toml: "toml", yaml: "yaml" };

describe.each(Object.values(CLIENTS))("writeClientText for $label", (client) => {
  it("writes the servers in the client's format and notes what is lost", async () => {
    const { text, ...notes } = await writeClientText(client, SERVERS, { showSecrets: false });
    const golden = (name: string) => new URL(`fixtures/${client.name}.exported${name}`, import.meta.url);
    const [file, notesFile] = [golden(`.${EXTENSIONS[client.syntax]}`), golden("-notes.json")];
    if (process.env["UPDATE_GOLDEN"]) {
      writeFileSync(file, text);
      writeFileSync(notesFile, `${JSON.stringify(notes, undefined, 2)}\n`);
    }
    expect(text).toBe(readFileSync(file, "utf8"));
    expect(notes).toEqual(JSON.parse(readFileSync(notesFile, "utf8")));
  });

  it("hides secrets in plain text unless `showSecrets` is set", { meta: { covers: ["A12"] } }, async () => {
    const hidden = await writeClientText(client, SERVERS, { showSecrets: false });
    expect(JSON.stringify(hidden)).not.toContain("canary");
    const shown = await writeClientText(client, SERVERS, { showSecrets: true });
    expect(shown.text.split(CANARY)).toHaveLength(3);
    expect(JSON.stringify([shown.servers, shown.skipped])).not.toContain("canary");
  });
});
