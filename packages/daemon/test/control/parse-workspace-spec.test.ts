/** Tests how the daemon checks the workspace that a client wants to open. */
import { describe, expect, it } from "vitest";
import { parseWorkspaceSpec } from "#control/parse-workspace-spec.js";

describe("parseWorkspaceSpec", () => {
  it.each([
    ["exclude", 5],
    ["exclude", [5]],
    ["naming", 5],
    ["naming", null],
    ["permissions", "*"],
    ["permissions", { allow: "*" }],
    ["permissions", { allow: [5] }],
    ["permissions", { allows: ["*"] }],
    ["servers", []],
    ["servers", { s: "evil" }],
    ["env", { PATH: 5 }],
    ["configFiles", [5]],
    ["nativeTools", "yes"],
    ["cwd", "a\0b"],
    ["cwd", 5],
    ["other", 5],
  ])("rejects a workspace whose %s is %j", (key, value) => {
    expect(() => parseWorkspaceSpec({ cwd: "/project", [key]: value }, undefined)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(`"${key}"`) as string }) as object,
    );
  });

  it.each([undefined, null, "/project", [], {}])("rejects %j, because it names no folder", (body) => {
    expect(() => parseWorkspaceSpec(body, undefined)).toThrow(expect.objectContaining({ code: "USAGE" }) as object);
  });

  it("accepts every field of the right type, and uses the given folder by default", () => {
    const fields = {
      servers: { s: { command: "x" } },
      permissions: { allow: ["*"], ask: [], deny: [] },
      env: { PATH: "/bin" },
      configFiles: ["a.json"],
      exclude: ["s:*"],
      naming: "{tool}",
      nativeTools: false,
    };
    expect(parseWorkspaceSpec(fields, "/project")).toEqual({ cwd: "/project", ...fields });
  });
});
