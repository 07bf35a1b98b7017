import { configureEntry } from "@plugboard/config/edit";
import { createConfigRedactor, inspectServer } from "#offline/inspect-servers.js";
import type { ServerEntry } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const CANARY = "canary-7f3b9e2d41";
const EXPANDED = { expand: true };

async function configured(id: string, entry: ServerEntry) {
  return (await configureEntry(id, entry, "/user.json", { source: "user", folder: "/home" })).server;
}

describe("inspectServer", () => {
  it("expands the program, and keeps the arguments as written", async () => {
    const entry = { command: "${BIN}/run", args: ["${X}", { $secret: "s" }], cwd: "sub", env: { PATH: "/opt:${OLD}" } };
    const server = inspectServer(await configured("a", entry), { BIN: "/bin", X: CANARY, OLD: "/usr" }, EXPANDED);
    expect(server).toMatchObject({ id: "a", source: "user", file: "/user.json", enabled: true, unsetVariables: [] });
    expect(server.program).toEqual({ command: "/bin/run", args: ["${X}"], cwd: "/home/sub", path: "/opt:/usr" });
  });

  it("lists variables that are not set or are empty, unless they have a default", async () => {
    const entry = { command: "x", args: ["${A}", "${B}", "${C:-c}"], env: { D: "${A}" } };
    expect(inspectServer(await configured("a", entry), { B: "" }, EXPANDED).unsetVariables).toEqual(["A", "B"]);
  });

  it("returns the URL without credentials and parameters", { meta: { covers: ["A12"] } }, async () => {
    const url = `https://user:${CANARY}@example.com/mcp?key=${CANARY}#x`;
    const server = inspectServer(await configured("a", { url }), {}, EXPANDED);
    expect(server.url).toBe("https://example.com/mcp");
    expect(JSON.stringify(server)).not.toContain(CANARY);
  });

  it("gives equal definitions the same digest, and different definitions different digests", async () => {
    const digest = async (id: string, key: string, enabled = true) =>
      inspectServer(await configured(id, { command: "x", env: { KEY: key }, enabled }), {}, EXPANDED).digest;
    expect(await digest("a", "1")).toBe(await digest("b", "1", false));
    expect(await digest("a", "1")).not.toBe(await digest("b", "2"));
  });
});

describe("createConfigRedactor", () => {
  it("masks the secrets of all definitions, even if a variable is not set", { meta: { covers: ["A12"] } }, async () => {
    const servers = await Promise.all([
      configured("a", { command: "x", env: { TOKEN: "${SET}", OTHER: "${UNSET}" } }),
      configured("b", { url: "https://example.com", headers: { Authorization: "Bearer canary-header-81c2d0" } }),
      configured("c", { url: "https://example.com", auth: { type: "api_key", api_key: "canary-key-55d1e9a0" } }),
    ]);
    const redactor = createConfigRedactor(servers, { SET: CANARY });
    const text = `${CANARY} canary-header-81c2d0 canary-key-55d1e9a0`;
    expect(redactor?.text(text)).toBe("*** *** ***");
  });
});
