import {
  checkAppOrigins,
  findAppHtml,
  mayBeLocal,
  NO_APP_ORIGINS,
  parseAppDeclaration,
  parseToolUi,
} from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const check = (...connect: string[]) => checkAppOrigins({ ...NO_APP_ORIGINS, connect }, [7431, 7432]);

describe("parseToolUi", () => {
  it("reads the view and the audience of a tool", () => {
    expect(parseToolUi({ ui: { resourceUri: "ui://a" } })).toEqual({
      resourceUri: "ui://a",
      forModel: true,
      forApps: true,
    });
    expect(parseToolUi({ "ui/resourceUri": "ui://a" })).toMatchObject({ resourceUri: "ui://a" });
    expect(parseToolUi({ ui: { visibility: ["app"] } })).toEqual({ forModel: false, forApps: true });
    expect(parseToolUi({ ui: { visibility: ["model"] } })).toEqual({ forModel: true, forApps: false });
    expect(parseToolUi({ ui: { visibility: [] } })).toEqual({ forModel: false, forApps: false });
  });

  it.each([
    undefined,
    null,
    5,
    {},
    { ui: 5 },
    { ui: { resourceUri: "https://evil.example" } },
    { ui: { resourceUri: 5 } },
  ])("finds nothing about Apps in %j", (meta) => {
    expect(parseToolUi(meta)).toBeUndefined();
  });
});

describe("checkAppOrigins", () => {
  it.each([
    ["https://api.example.com", "https://api.example.com"],
    ["https://API.example.com/", "https://api.example.com"],
    ["https://*.example.com", "https://*.example.com"],
    ["wss://a.example:8443", "wss://a.example:8443"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://2130706433:3000", "http://127.0.0.1:3000"],
  ])("allows %s as %s", (declared, origin) => {
    expect(check(declared)).toEqual({ allowed: { ...NO_APP_ORIGINS, connect: [origin] }, refused: [] });
  });

  it.each([
    "*",
    "https:",
    "https://*",
    "https://*.com",
    "https://**.example.com",
    "https://a.*.example.com",
    "data:text/html,x",
    "blob:https://a.example",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "'unsafe-inline'",
    "https://a.example/path",
    "https://a.example?x",
    "https://user@a.example",
    "https://a.example; script-src *",
    "https://a.example, https://b.example",
    "https://[::1]:7431",
    "api.example.com",
    "",
  ])("refuses %s", (declared) => {
    expect(check(declared)).toMatchObject({ allowed: NO_APP_ORIGINS, refused: [{ origin: declared }] });
  });

  it.each([
    "http://127.0.0.1:7431",
    "http://localhost:7432",
    "http://LOCALHOST:7431",
    "http://a.localhost:7431",
    "ws://127.1:7431",
    "http://0x7f000001:7431",
    "http://0.0.0.0:7431",
  ])("refuses %s, a port of the host itself", (declared) => {
    expect(check(declared).refused).toEqual([{ origin: declared, reason: "it is this host itself" }]);
  });

  it("refuses a port of the host itself if the origin leaves it out as the default of the scheme", () => {
    const declared = ["http://localhost", "ws://127.0.0.1:80", "https://localhost"];
    const { allowed, refused } = checkAppOrigins({ ...NO_APP_ORIGINS, connect: declared }, [80, 81]);
    expect([allowed.connect, refused.length]).toEqual([["https://localhost"], 2]);
  });

  it("limits how many origins an App may name", () => {
    const { allowed, refused } = check(...Array.from({ length: 40 }, (_, index) => `https://a${index}.example`));
    expect([allowed.connect.length, refused.length]).toEqual([30, 10]);
  });

  it("never lets a character through that separates directives or sources of a policy", () => {
    fc.assert(
      fc.property(
        fc.string().map((text) => `https://${text}`),
        (text) => {
          for (const origin of check(text).allowed.connect)
            expect(origin).toMatch(/^(?:https?|wss?):\/\/[a-z0-9.*:-]+$/);
        },
      ),
    );
  });
});

describe("parseAppDeclaration and findAppHtml", () => {
  it("ignore invalid fields of the declaration", () => {
    const csp = { connectDomains: ["https://a.example", 5], resourceDomains: "x" };
    expect(parseAppDeclaration({ ui: { csp, permissions: { camera: {} }, prefersBorder: false } })).toEqual({
      origins: { ...NO_APP_ORIGINS, connect: ["https://a.example"] },
      permissions: ["camera"],
      prefersBorder: false,
    });
    expect(parseAppDeclaration(undefined)).toEqual({ origins: NO_APP_ORIGINS, permissions: [] });
  });

  it("take the page from the part with the media type of an App, as text or as bytes", () => {
    const type = "text/html;profile=mcp-app";
    expect(
      findAppHtml([
        { text: "no", mimeType: "text/html" },
        { text: "yes", mimeType: type },
      ])?.html,
    ).toBe("yes");
    expect(findAppHtml([{ blob: btoa("yes"), mimeType: 'text/html; profile="mcp-app"' }])?.html).toBe("yes");
    expect(findAppHtml([{ text: "no", mimeType: "text/html" }])).toBeUndefined();
  });
});

describe("mayBeLocal", () => {
  it.each([
    ["http://127.0.0.1:1", true],
    ["http://localhost", true],
    ["http://192.168.0.1", true],
    ["http://10.1.2.3", true],
    ["http://172.20.1.1", true],
    ["http://printer.local", true],
    ["http://printer", true],
    ["http://100.64.0.1", true],
    ["https://*.corp.internal", true],
    ["https://example.com", false],
    ["https://172.example.com", false],
  ])("of %s is %s", (origin, isLocal) => {
    expect(mayBeLocal(origin)).toBe(isLocal);
  });
});
