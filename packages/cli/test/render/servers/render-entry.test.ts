import { renderPairs, renderTarget } from "#render/servers/render-entry.js";
import { describe, expect, it } from "vitest";

describe("renderTarget", () => {
  it.each([
    [{ command: "npx", args: ["-y", "@a/b@1.0", "${HOME}/docs"] }, "npx -y @a/b@1.0 ${HOME}/docs"],
    [{ command: "my server", args: ["it's", "a;b", "", "$(rm)"] }, String.raw`'my server' 'it'\''s' 'a;b' '' '$(rm)'`],
    [{ command: "x", args: ["--token", { $secret: "a.b" }] }, "x --token <secret a.b>"],
    [{ command: "x", args: [{ $file: "key" }, { $cmd: ["op", "read"] }] }, "x <file key> <output of op>"],
    [{ command: "x", args: ["a\u001b[31m\nb"] }, "x 'a<U+001B>[31m⏎b'"],
    [{ url: "https://x.example/mcp" }, "https://x.example/mcp"],
  ])("shows %j as a line that a shell would read the same way: %s", (entry, line) => {
    expect(renderTarget(entry)).toBe(line);
  });
});

describe("renderPairs", () => {
  it("shows environment variables and headers, and secrets by name", () => {
    expect(renderPairs({ env: { A: "1", B: { $secret: "x.B" } }, headers: { "X-Region": "eu" } })).toEqual([
      "A=1",
      "B=<secret x.B>",
      "X-Region: eu",
    ]);
  });
});
