/** Tests which resource URIs the clients of the gateway see, and which server such a URI leads to. */
import { OutwardUris } from "#names/outward-uris.js";
import { describe, expect, it } from "vitest";

const listed = (...pairs: [string, string][]) => {
  const uris = new OutwardUris();
  uris.setListed(pairs.map(([server, uri]) => ({ server, uri })));
  return uris;
};

describe("OutwardUris.outward", () => {
  it("keeps a URI that only one server lists", () => {
    const uris = listed(["a", "note://1"], ["b", "note://2"]);
    expect(uris.outward("a", "note://1")).toBe("note://1");
    expect(uris.resolve("note://2")).toEqual({ server: "b", uri: "note://2" });
  });

  it("adds the server to a URI that several servers list", () => {
    const uris = listed(["a", "note://1"], ["b", "note://1"]);
    for (const server of ["a", "b"]) {
      expect(uris.outward(server, "note://1")).toBe(`plugboard://${server}/note://1`);
      expect(uris.resolve(`plugboard://${server}/note://1`)).toEqual({ server, uri: "note://1" });
    }
    expect(uris.resolve("note://1")).toBeUndefined();
  });

  it("adds the server to a URI that it mentions but only another server lists", () => {
    expect(listed(["a", "note://1"]).outward("b", "note://1")).toBe("plugboard://b/note://1");
  });

  it("keeps an unlisted URI for the first server that mentions it, and adds the server for others", () => {
    const uris = listed();
    expect(uris.outward("a", "out://1")).toBe("out://1");
    expect(uris.outward("b", "out://1")).toBe("plugboard://b/out://1");
    expect(uris.outward("a", "out://1")).toBe("out://1");
    expect(uris.resolve("out://1")).toEqual({ server: "a", uri: "out://1" });
  });

  it("still finds the owner of a mentioned URI after several servers have listed it", () => {
    const uris = listed();
    uris.outward("a", "note://1");
    uris.setListed(["a", "b"].map((server) => ({ server, uri: "note://1" })));
    expect(uris.resolve("note://1")).toEqual({ server: "a", uri: "note://1" });
  });

  it(
    "never gives a URI to a server that only mentions it if another server lists it or has a template for it",
    { meta: { covers: ["A6"] } },
    () => {
      const declarations: ((uris: OutwardUris) => void)[] = [
        (uris) => uris.setListed([{ server: "a", uri: "note://1" }]),
        (uris) => uris.setTemplates([{ server: "a", uri: "note://{id}" }]),
      ];
      const mention = (uris: OutwardUris) => void uris.outward("b", "note://1");
      for (const declare of declarations) {
        for (const steps of [
          [declare, mention],
          [mention, declare],
          [mention, declare, mention],
        ]) {
          const uris = new OutwardUris();
          for (const step of steps) step(uris);
          expect(uris.resolve("note://1")).toEqual({ server: "a", uri: "note://1" });
          expect(uris.outward("b", "note://1")).toBe("plugboard://b/note://1");
          expect(uris.outward("a", "note://1")).toBe("note://1");
        }
      }
    },
  );

  it("lets a mention decide only among several servers whose templates match", () => {
    const uris = new OutwardUris();
    uris.outward("c", "note://1");
    uris.setTemplates(["a", "b"].map((server) => ({ server, uri: "note://{id}" })));
    expect(uris.resolve("note://1")).toBeUndefined();
    expect(uris.outward("b", "note://1")).toBe("note://1");
    expect(uris.outward("a", "note://1")).toBe("plugboard://a/note://1");
    expect(uris.resolve("note://1")).toEqual({ server: "b", uri: "note://1" });
  });

  it("finds no owner for a mentioned URI after only other servers have listed it", () => {
    const uris = listed();
    uris.outward("c", "note://1");
    uris.setListed(["a", "b"].map((server) => ({ server, uri: "note://1" })));
    expect(uris.resolve("note://1")).toBeUndefined();
  });

  it("forgets the oldest of 10 000 mentioned URIs", () => {
    const uris = listed();
    for (let index = 0; index <= 10_000; index++) uris.outward("a", `out://${index}`);
    expect(uris.resolve("out://0")).toBeUndefined();
    expect(uris.resolve("out://1")).toBeDefined();
  });

  it("adds the server to URIs of a server that is itself a Plugboard", () => {
    const uris = listed(["team", "plugboard://files/note://1"]);
    const outward = uris.outward("team", "plugboard://files/note://1");
    expect(outward).toBe("plugboard://team/plugboard://files/note://1");
    expect(uris.resolve(outward)).toEqual({ server: "team", uri: "plugboard://files/note://1" });
  });

  it("adds the server to a ui:// URI without changing the scheme", () => {
    const uris = listed(["a", "ui://x"], ["b", "ui://x"]);
    expect(uris.outward("b", "ui://x")).toBe("ui://plugboard.b/x");
    expect(uris.resolve("ui://plugboard.b/x")).toEqual({ server: "b", uri: "ui://x" });
  });
});

describe("OutwardUris.resolve", () => {
  it.each([
    ["note://{name}", "note://a", true],
    ["note://{name}", "note://", true],
    ["note://{a}/to/{b}.md", "note://x/to/y.md", true],
    ["note://{a}/to/{b}.md", "note://x/y.md", false],
    ["file:///{+path}", "file:///a/b/c", true],
    ["aa{x}aa", "aaa", false],
    ["note://fixed", "note://fixed", true],
    ["note://fixed", "note://fixed/more", false],
  ])("with the template %s of a server, finds that server for %s: %s", (template, uri, found) => {
    const uris = new OutwardUris();
    uris.setTemplates([{ server: "a", uri: template }]);
    expect(uris.resolve(uri)).toEqual(found ? { server: "a", uri } : undefined);
  });

  it("finds no owner if templates of two servers match", () => {
    const uris = new OutwardUris();
    uris.setTemplates(["a", "b"].map((server) => ({ server, uri: "note://{x}" })));
    expect(uris.resolve("note://1")).toBeUndefined();
    expect(uris.outwardTemplate("b", "note://{x}")).toBe("plugboard://b/note://{x}");
    expect(uris.resolve("plugboard://b/note://{x}")).toEqual({ server: "b", uri: "note://{x}" });
  });

  it("returns undefined for unknown and malformed URIs", () => {
    for (const uri of ["x://y", "plugboard://", "plugboard://a"]) expect(listed().resolve(uri)).toBeUndefined();
  });
});
