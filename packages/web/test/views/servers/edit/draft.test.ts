import type { JsonObject } from "@plugboard/contracts";
import { EMPTY_DRAFT, toDraft, toEntry } from "#views/servers/edit/draft.js";
import { describe, expect, it } from "vitest";

describe("the draft of a server", () => {
  it.each<JsonObject>([
    {
      transport: "stdio",
      command: "npx",
      args: ["-y", "a b", "it's"],
      cwd: "/x",
      env: { A: "1=2" },
      request_timeout_ms: 5,
      startup_timeout_ms: 60000,
    },
    { transport: "http", url: "https://a.example/mcp", headers: { Authorization: "Bearer x:y" }, share: "caller" },
    { transport: "stdio", command: "x", args: [{ $secret: "token" }] },
    { transport: "stdio", command: "x", sandbox: true },
    { transport: "stdio", command: "x", sandbox: "offline" },
    { transport: "stdio", command: "x", sandbox: { read: ["~/notes"], network: ["a.com"] } },
    { transport: "stdio", command: "x", env: { A: '{"$secret":"a text"}' } },
    { transport: "stdio", command: "x", env: { A: '{"$secret"', B: '{"a":1}' } },
  ])("keeps a definition that is not changed: %j", (entry) => {
    expect(toEntry(toDraft(entry))).toEqual({ entry });
  });

  it("shows references to secrets beside plain values", () => {
    const entry = { transport: "stdio", command: "x", env: { KEY: { $secret: "s.KEY" }, REGION: "eu" } };
    const draft = toDraft(entry);
    expect(draft).toMatchObject({ kind: "command", env: 'KEY={"$secret":"s.KEY"}\nREGION=eu' });
    expect(toEntry({ ...draft, env: `${draft.env}\nF={ "$file": "key.txt" }` })).toEqual({
      entry: { ...entry, env: { ...entry.env, F: { $file: "key.txt" } } },
    });
    const remote = {
      transport: "http",
      url: "https://a.example",
      headers: { Authorization: { $cmd: ["gh", "token"] } },
    };
    expect(toDraft(remote)).toMatchObject({ kind: "url", headers: 'Authorization: {"$cmd":["gh","token"]}' });
    expect(toEntry(toDraft(remote))).toEqual({ entry: remote });
  });

  it("leaves out the sandbox of a command if it becomes a URL", () => {
    const draft = { ...toDraft({ transport: "stdio", command: "x", sandbox: "offline" }), kind: "url" as const };
    expect(toEntry({ ...draft, url: "https://a.example" })).toEqual({
      entry: { transport: "http", url: "https://a.example" },
    });
  });

  it("says what is missing or wrong", () => {
    expect(toEntry(EMPTY_DRAFT)).toEqual({ error: "Type the command that starts the server." });
    expect(toEntry({ ...EMPTY_DRAFT, command: "x", env: "novalue" })).toEqual({
      error: "Write each line as name=value.",
    });
    expect(toEntry({ ...EMPTY_DRAFT, command: "x", settings: { startup_timeout_ms: "1 s" } })).toHaveProperty("error");
    expect(toEntry({ ...EMPTY_DRAFT, kind: "url", url: "file:///x" })).toHaveProperty("error");
    expect(toEntry({ ...EMPTY_DRAFT, kind: "json", json: "[1]" })).toHaveProperty("error");
  });
});
