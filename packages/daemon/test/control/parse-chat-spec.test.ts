/** Tests how the daemon checks the chat that a client wants to open. */
import { describe, expect, it } from "vitest";
import { parseChatSpec } from "#control/parse-chat-spec.js";

describe("parseChatSpec", () => {
  it.each([
    ["profile", 5],
    ["model", {}],
    ["system", ["x"]],
    ["nativeTools", "yes"],
    ["nativeTools", 1],
    ["temporary", "no"],
    ["limits", 5],
    ["limits", { steps: 0 }],
    ["limits", { steps: -1 }],
    ["limits", { tokens: 1.5 }],
    ["limits", { tokens: "10" }],
    ["limits", { calls: 10 }],
    ["servers", []],
    ["other", 5],
  ])("rejects a chat whose %s is %j", (key, value) => {
    expect(() => parseChatSpec({ cwd: "/project", [key]: value }, undefined)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(`"${key}"`) as string }) as object,
    );
  });

  it.each([undefined, null, "/project", [], {}])("rejects %j, because it names no folder", (body) => {
    expect(() => parseChatSpec(body, undefined)).toThrow(expect.objectContaining({ code: "USAGE" }) as object);
  });

  it("accepts every field of the right type, and uses the given folder by default", () => {
    const fields = {
      profile: "work",
      model: "ollama/x",
      system: "Be brief.",
      nativeTools: false,
      temporary: true,
      limits: { steps: 1, tokens: 2 },
      servers: { s: { command: "x" } },
    };
    expect(parseChatSpec(fields, "/served")).toEqual({ ...fields, cwd: "/served" });
    expect(parseChatSpec({ ...fields, cwd: "/project" }, "/served")).toEqual({ ...fields, cwd: "/project" });
  });

  it("treats null as absent for the fields of a chat", () => {
    const nothing = { profile: null, model: null, system: null, nativeTools: null, temporary: null, limits: null };
    expect(parseChatSpec({ cwd: "/project", ...nothing }, undefined)).toEqual({ cwd: "/project" });
  });
});
