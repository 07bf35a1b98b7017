/** Tests how the view of an App is read from its server, with what it declares. */
import { NO_APP_ORIGINS } from "@plugboard/contracts";
import type { JsonObject, Workspace } from "@plugboard/contracts";
import { loadApp, sandboxUrl, toCspDeclaration, usesOrigins } from "#apps/load-app.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const ORIGINS = {
  connect: ["https://a.example", "wss://b.example"],
  resources: ["https://*.c.example"],
  frames: ["https://d.example"],
  baseUris: ["https://e.example"],
};
const SANDBOX = "http://127.0.0.1:7432";

beforeEach(() => void vi.stubGlobal("location", { port: "7431" }));
afterEach(() => vi.unstubAllGlobals());

function load(contents: readonly JsonObject[]) {
  const read = vi.fn<(server: string, uri: string) => Promise<readonly JsonObject[]>>(async () => contents);
  const workspace = { resources: { read } } as unknown as Workspace;
  return { read, app: loadApp(workspace, { server: "apps", uri: "ui://a", sandboxOrigin: SANDBOX }) };
}

describe("loadApp", () => {
  it("reads the view of the App's own server, and refuses the ports of the host", async () => {
    const connectDomains = [
      "https://a.example",
      "http://127.0.0.1:7431",
      "http://localhost:7432",
      "http://127.0.0.1:7433",
    ];
    const meta = { ui: { csp: { connectDomains }, prefersBorder: false } };
    const { read, app } = load([{ mimeType: "text/html;profile=mcp-app", text: "<b>", _meta: meta }]);
    expect(await app).toMatchObject({
      html: "<b>",
      declaration: { prefersBorder: false },
      allowed: { ...NO_APP_ORIGINS, connect: ["https://a.example", "http://127.0.0.1:7433"] },
      refused: [{ origin: "http://127.0.0.1:7431" }, { origin: "http://localhost:7432" }],
    });
    expect(read.mock.calls).toEqual([["apps", "ui://a"]]);
  });

  it("fails if the resource is no App", async () => {
    await expect(load([{ mimeType: "text/html", text: "<b>" }]).app).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      details: { server: "apps", reason: expect.stringContaining("ui://a") as string },
    });
  });
});

describe("the origins of an App", () => {
  it("count as used if an origin is declared for any use", () => {
    expect(usesOrigins(NO_APP_ORIGINS)).toBe(false);
    for (const use of Object.keys(ORIGINS))
      expect(usesOrigins({ ...NO_APP_ORIGINS, [use]: ["https://a.example"] }), use).toBe(true);
  });

  it("are in the URL of the sandbox", () => {
    expect(sandboxUrl(SANDBOX, NO_APP_ORIGINS)).toBe(`${SANDBOX}/sandbox.html?`);
    const { searchParams } = new URL(sandboxUrl(SANDBOX, ORIGINS));
    expect([...searchParams]).toEqual([
      ["connect", "https://a.example"],
      ["connect", "wss://b.example"],
      ["resources", "https://*.c.example"],
      ["frames", "https://d.example"],
      ["baseUris", "https://e.example"],
    ]);
  });

  it("are told to the App by the names of the specification", () => {
    expect(toCspDeclaration(ORIGINS)).toEqual({
      connectDomains: ORIGINS.connect,
      resourceDomains: ORIGINS.resources,
      frameDomains: ORIGINS.frames,
      baseUriDomains: ORIGINS.baseUris,
    });
  });
});
