import { ResourceUris, unwrapUri, wrapUri } from "#names/resource-uri.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/);
const uri = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "+", "/", "%", "%2F", "plugboard://a/b", "file:///a/../b", "a\nb"),
);

describe("a resource's URI", () => {
  it("is bare while one server owns it", () => {
    const uris = owned({ files: ["file:///a"], notes: ["note:///a"] });
    expect(uris.outward("files", "file:///a")).toBe("file:///a");
    expect(uris.resolve("file:///a")).toEqual({ server: "files", uri: "file:///a" });
  });

  it("names its server while several own it", () => {
    const uris = owned({ files: ["file:///a"], notes: ["file:///a"] });
    expect(uris.outward("files", "file:///a")).toBe("plugboard://files/file%3A%2F%2F%2Fa");
    expect(uris.resolve("plugboard://notes/file%3A%2F%2F%2Fa")).toEqual({ server: "notes", uri: "file:///a" });
  });

  it(
    "stands for nobody if it is bare and several own it: no server draws another's reads to itself",
    { meta: { covers: ["A6"] } },
    () => {
      const uris = owned({ files: ["file:///a"], evil: ["file:///a"] });
      expect(uris.resolve("file:///a")).toBeUndefined();
      expect(uris.owners("file:///a")).toEqual(["files", "evil"]);
      uris.update("evil", []);
      expect(uris.resolve("file:///a")).toEqual({ server: "files", uri: "file:///a" });
      expect(uris.outward("files", "file:///a")).toBe("file:///a");
    },
  );

  it("that is written as ours is still its own server's", { meta: { covers: ["A6"] } }, () => {
    const posing = wrapUri("files", "file:///a");
    const uris = owned({ evil: [posing] });
    expect(uris.resolve(posing)).toEqual({ server: "files", uri: "file:///a" });
    const outward = uris.outward("evil", posing);
    expect(uris.resolve(outward)).toEqual({ server: "evil", uri: posing });
  });

  it("that nobody has listed stands for nobody", () => {
    const uris = owned({ files: ["file:///a"] });
    expect(uris.resolve("file:///b")).toBeUndefined();
    expect(uris.resolve("plugboard://files")).toBeUndefined();
    expect(uris.resolve("plugboard://files/%E0%A4%A")).toBeUndefined();
  });

  it("comes back as it was, whatever it is and whoever else owns it", () => {
    fc.assert(
      fc.property(id, id, uri, fc.boolean(), (server, other, uri, shared) => {
        fc.pre(server !== other);
        const uris = owned({ [server]: [uri], ...(shared && { [other]: [uri] }) });
        expect(uris.resolve(uris.outward(server, uri))).toEqual({ server, uri });
      }),
    );
  });

  it("is one word without anything to tidy up, once it is wrapped", () => {
    fc.assert(
      fc.property(id, uri, (server, uri) => {
        expect(wrapUri(server, uri)).toMatch(/^plugboard:\/\/[a-zA-Z0-9_-]+\/[\w.!~*'()%-]*$/);
        expect(unwrapUri(wrapUri(server, uri))).toEqual({ server, uri });
      }),
    );
  });

  it("can be wrapped even if it has half a character", () => {
    expect(unwrapUri(wrapUri("a", "x:\ud800"))).toEqual({ server: "a", uri: "x:\ufffd" });
  });
});

it("keeps the variables of a template that several own, and what they are filled with", () => {
  const template = "file:///{+path}?q={query}";
  const uris = owned({ a: [template], b: [template] });
  const outward = uris.outwardTemplate("a", template);
  expect(outward).toBe(`plugboard://a/+${template}`);
  const filled = outward.replace("{+path}", "x/y").replace("{query}", "a%20b");
  expect(uris.resolve(filled)).toEqual({ server: "a", uri: "file:///x/y?q=a%20b" });
  expect(owned({ a: [template] }).outwardTemplate("a", template)).toBe(template);
});

function owned(servers: { readonly [server: string]: readonly string[] }): ResourceUris {
  const uris = new ResourceUris();
  for (const [server, listed] of Object.entries(servers)) uris.update(server, listed);
  return uris;
}
