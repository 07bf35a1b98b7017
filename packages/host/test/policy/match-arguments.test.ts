/** Tests which arguments a rule matches. Allow rules match strictly; ask and deny rules can't be evaded. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { decide } from "#policy/decide.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "@plugboard/config";
import type { Effect } from "@plugboard/config";
import type { JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";

describe("matchesArguments", () => {
  describe("pattern for a single value", () => {
    it.each<[string, JsonObject, boolean]>([
      ["repo=acme/*", { repo: "acme/site" }, true],
      ["repo=acme/*", { repo: "evil/site" }, false],
      ["repo=acme/*", { repo: "Acme/site" }, false],
      ["repo=acme/*", {}, false],
      ["repo=*", {}, false],
      ["repo=a*", { repo: null }, false],
      ["repo=*", { repo: "" }, true],
      ['repo=""', { repo: "" }, true],
      ["n=5", { n: 5 }, true],
      ["n=5", { n: "5" }, true],
      ["n=1000", { n: 1e3 }, true],
      ["n=-0.5", { n: -0.5 }, true],
      ["draft=true", { draft: true }, true],
      ["draft=true", { draft: false }, false],
      ["filter.owner=acme", { filter: { owner: "acme" } }, true],
      ["filter.owner=acme", { filter: { owner: "other" } }, false],
      ["filter.owner=acme", { filter: "acme" }, false],
      ["filter.owner=acme", { "filter.owner": "acme" }, false],
      ['"filter.owner"=acme', { "filter.owner": "acme" }, true],
      ["a=1, b=2", { a: 1, b: 2 }, true],
      ["a=1, b=2", { a: 1 }, false],
      ["toString=*", {}, false],
      ["constructor.name=*", {}, false],
      ["__proto__.x=1", JSON.parse('{"__proto__":{"x":1}}') as JsonObject, true],
    ])("(%s) and arguments %j match: %s", (pattern, args, expected) => {
      for (const effect of ["allow", "ask", "deny"] as const) expect(matches(effect, pattern, args)).toBe(expected);
    });
  });

  describe("pattern for a list or an object", () => {
    it.each<[string, JsonObject]>([
      ["paths=/etc/*", { paths: ["/tmp/x", "/etc/passwd"] }],
      ["paths=/etc/*", { paths: [["/etc/passwd"]] }],
      ["paths=/etc/*", { paths: { first: "/etc/passwd" } }],
      ["filter.owner=acme", { filter: [{ owner: "other" }, { owner: "acme" }] }],
      ["filter.owner=acme", { filter: { owner: ["acme"] } }],
      ["a=1, b=2", { a: [1], b: 2 }],
    ])("matches in ask and deny rules, but not in allow rules: (%s) and arguments %j", (pattern, args) => {
      expect(matches("allow", pattern, args)).toBe(false);
      expect(matches("ask", pattern, args)).toBe(true);
      expect(matches("deny", pattern, args)).toBe(true);
    });

    it.each<[string, JsonObject]>([
      ["paths=/etc/*", { paths: ["/tmp/x"] }],
      ["paths=/etc/*", { paths: [] }],
      ["filter.owner=*", { filter: {} }],
      ["filter.owner=*", { filter: [null] }],
      ["filter.owner=acme", { filter: [{ name: "acme" }, "acme"] }],
    ])("does not match if no inner value matches: (%s) and arguments %j", (pattern, args) => {
      for (const effect of ["allow", "ask", "deny"] as const) expect(matches(effect, pattern, args)).toBe(false);
    });

    it.each<[string, JsonObject]>([
      ["mode=*", { mode: null }],
      ["mode=*", { mode: {} }],
      ["mode=*", { mode: [] }],
      ["mode=*", { mode: [[], { a: null }] }],
      ['mode=""', { mode: null }],
      ["filter.owner=*", { filter: [{ owner: [] }] }],
    ])(
      "matches an empty list or object as empty text in ask and deny rules: (%s) and arguments %j",
      (pattern, args) => {
        expect(matches("allow", pattern, args)).toBe(false);
        expect(matches("ask", pattern, args)).toBe(true);
        expect(matches("deny", pattern, args)).toBe(true);
      },
    );

    it("handles arguments of any depth", () => {
      const deep = JSON.parse(`${"[".repeat(100_000)}"x"${"]".repeat(100_000)}`) as JsonObject;
      expect(matches("deny", "a=x", { a: deep })).toBe(true);
      expect(matches("allow", "a=x", { a: deep })).toBe(false);
    });
  });

  describe("path with `..` segments", () => {
    it.each([
      ["docs/*", "docs/../keys"],
      ["docs/*", "docs/.."],
      ["docs/*", String.raw`docs/..\keys`],
      ["docs/*", "docs/%2e%2E/keys"],
      ["docs/*", "docs/%2e./keys"],
      ["docs/*", "docs/.\t./keys"],
      ["docs/*", "docs/.\r\n%2e/keys"],
      ["docs/*", "docs/..\0/keys"],
      ["docs/*", "docs/.. /keys"],
      ["docs/*", "docs%2f..%2Fkeys"],
      ["docs/*", "docs/..?keys"],
      ["docs/*", "docs/..#keys"],
      ["docs*", "docs/a/../../keys"],
      ["../shared/*", "../shared/../../keys"],
      ["*keys", "../keys"],
    ])("is not matched by the allow rule %s: %j", (pattern, value) => {
      expect(matches("allow", `path=${pattern}`, { path: value })).toBe(false);
    });

    it.each([
      ["docs/*", "docs/a..b/c"],
      ["docs/*", "docs/..."],
      ["docs/*", "docs/100%25"],
      ["../shared/*", "../shared/x"],
      ["docs/../keys", "docs/../keys"],
      ["*", "../keys"],
    ])(
      "is matched by an allow rule that has as many `..` segments or no folder: pattern %s and path %j",
      (pattern, value) => {
        expect(matches("allow", `path=${pattern}`, { path: value })).toBe(true);
      },
    );

    it("is matched by ask and deny rules", () => {
      for (const effect of ["ask", "deny"] as const) {
        expect(matches(effect, "path=docs/*", { path: "docs/../keys" })).toBe(true);
      }
    });
  });

  describe("allow rule for commands", () => {
    const allows = (pattern: string, command: string) => matches("allow", `command=${pattern}`, { command });

    it.each([
      ['"npm *"', "npm run test -- --bail"],
      ['"npm *"', 'npm run "build all" --x=~/a,{b,c}'],
      ['"npm test 2>&1 | tail"', "npm test 2>&1 | tail"],
      ["*", "npm test; rm -r ."],
    ])("%s matches %j", (pattern, command) => {
      expect(allows(pattern, command)).toBe(true);
    });

    it.each(["npm x; rm y", "npm x && rm y", "npm x | sh", "npm x > y", "npm `rm y`", "npm $(rm y)", "npm x\nrm y"])(
      "with a * does not match %j",
      (command) => {
        expect(allows('"npm *"', command)).toBe(false);
        expect(matches("deny", 'command="npm *"', { command })).toBe(true);
      },
    );

    it("with a * matches no command that makes the shell run a second program", async () => {
      const folder = await mkdtemp(join(tmpdir(), "plugboard-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const characters = Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1));
      const commands = characters
        .filter((character) => !/[a-z0-9]/i.test(character))
        .flatMap((c) => [`true ${c}touch ran${c}`, `true x ${c}${c} touch ran `, `true ${c}(touch ran)`]);
      // Each command has its own folder, because a background program that it starts can outlive it.
      const script =
        'for command; do mkdir $((i += 1)); (cd $i && sh -c "$command" </dev/null >/dev/null 2>&1); done; true';
      await promisify(execFile)("/bin/sh", ["-c", script, "sh", ...commands], { cwd: folder });
      const runSecond = commands.filter((_, index) => existsSync(join(folder, String(index + 1), "ran")));
      expect(runSecond.length).toBeGreaterThan(5);
      expect(runSecond.filter((command) => allows('"true *"', command))).toEqual([]);
    });
  });

  describe("allow rule for URLs", { meta: { covers: ["S25"] } }, () => {
    it.each([
      ["https://*.acme.com/*", "https://evil.com/x.acme.com/y"],
      ["https://*.acme.com/*", "https://evil.com?x.acme.com/y"],
      ["https://*.acme.com/*", "https://evil.com#x.acme.com/y"],
      ["https://*.acme.com/*", String.raw`https://evil.com\x.acme.com/y`],
      ["https://*.acme.com/*", "https://evil.com%2fx.acme.com/y"],
      ["https://*.acme.com/*", "https://evil.com\t/x.acme.com/y"],
      ["https://*.acme.com/*", "https://evil.com／x.acme.com/y"],
      ["https://*.acme.com/*", "https://user@api.acme.com/y"],
      ["https://*.acme.com/*", "https://acme.com/y"],
      ["https://*.acme.com/*", "https://api.acme.com:8443/y"],
      ["https://*.acme.com/*", "https:///api.acme.com/y"],
      ["https://api.acme.com*", "https://api.acme.com@evil.com"],
      ["https://api.acme.com*", "https://api.acme.com:x@evil.com/"],
      ["https://api.acme.com*", "https://api.acme.com.evil.com/"],
      ["https://api.acme.com*", "https://api.acme.community/"],
      ["https://api.acme.com*", String.raw`https://api.acme.com\@evil.com/`],
      ["https://api.acme.com*/x", "https://api.acme.com.evil.com/x"],
      ["https://api.acme.com/*/read", "https://api.acme.com/delete?x=/read"],
      ["https://api.acme.com/*/read", "https://api.acme.com/delete#/read"],
      ["https://api.acme.com/docs/*", "https://api.acme.com/docs/..?x"],
      ["https://api.acme.com/docs/*", "https://api.acme.com/docs/..#x"],
      ["*://api.acme.com/*", "https://evil.com/://api.acme.com/x"],
      ["*.acme.com/*", "https://evil.com/x.acme.com/y"],
      ["*acme.com*", " https:evil.com?acme.com"],
      ["http*api.acme.com/*", String.raw`http:\\evil.com\api.acme.com/`],
      ["http://localhost:*", "http://localhost:80@evil.com/"],
      ["https://api.acme.com/*", "https://api.acme.com/x\nhttps://evil.com/"],
      ["https://api.acme.com/*", "https://api.acme.com/x https://evil.com/"],
      ["https://api.acme.com/*", "https://api.acme.com/x?y\0z"],
      ["https://api.acme.com*", "https://api.acme.com/x#\u007f"],
      ["https://*", "https://api.acme.com/\u2028https://evil.com/"],
      ["*acme.com*", "ht\ttp:evil.com?acme.com"],
    ])("does not match: pattern %s and URL %j", (pattern, value) => {
      expect(matches("allow", `url=${pattern}`, { url: value })).toBe(false);
    });

    it.each([
      ["https://*.acme.com/*", "https://api.acme.com/x?y=https://z#f"],
      ["https://*.acme.com/*", "https://a.b.acme.com/"],
      ["https://api.acme.com*", "https://api.acme.com"],
      ["https://api.acme.com*", "https://api.acme.com/x?y#z"],
      ["https://api.acme.com*", "https://api.acme.com?y"],
      ["https://*", "https://any.host:8443/x?y"],
      ["http*://api.acme.com/*", "https://api.acme.com/x"],
      ["http://localhost:*", "http://localhost:3000/x"],
      ["http://localhost:*/x", "http://localhost:3000/x"],
      ["http://[::1]:3000/*", "http://[::1]:3000/x"],
      ["https://api.acme.com/v*/list?page=*", "https://api.acme.com/v1/list?page=2"],
      ["file:///home/ann/*", "file:///home/ann/notes.md"],
      ["https://user@acme.com/x", "https://user@acme.com/x"],
      ["*", "https://user@evil.com"],
      ['"see https://acme.com/*"', "see https://acme.com/x"],
    ])("matches: pattern %s and URL %j", (pattern, value) => {
      expect(matches("allow", `url=${pattern}`, { url: value })).toBe(true);
    });

    it("matches only the host that a browser would contact, for any generated URL", () => {
      const pieces = [
        "https:",
        "http:",
        "/",
        "//",
        "\\",
        "@",
        ":",
        "?",
        "#",
        ".",
        "*",
        "%2f",
        "%40",
        "\t",
        " ",
        "。",
        "ä",
      ];
      const names = ["api.acme.com", ".acme.com", "acme.com", "evil.com", "x", "443", "[::1]"];
      const start = fc.constantFrom(
        "https://",
        "https:/",
        "https:\\\\",
        "HTTPS://",
        " https://",
        "https://api.acme.com",
      );
      const url = fc.tuple(start, fc.array(fc.constantFrom(...pieces, ...names), { maxLength: 8 }));
      const isAcme = (host: string) => host.endsWith(".acme.com");
      const isApi = (host: string) => host === "api.acme.com";
      let allowed = 0;
      fc.assert(
        fc.property(url, ([first, rest]) => {
          const text = first + rest.join("");
          const rules = { "https://*.acme.com/*": isAcme, "https://api.acme.com*": isApi, "*.acme.com/*": isAcme };
          for (const [pattern, means] of Object.entries(rules)) {
            if (!matches("allow", `url="${pattern}"`, { url: text }) || !URL.canParse(text)) continue;
            allowed++;
            expect(means(new URL(text).host)).toBe(true);
          }
        }),
        { numRuns: 5_000, seed: 25 },
      );
      expect(allowed).toBeGreaterThan(100);
    });

    it("does not restrict ask and deny rules, where * matches any characters of a URL", () => {
      for (const effect of ["ask", "deny"] as const) {
        expect(matches(effect, "url=https://*.acme.com/*", { url: "https://evil.com/x.acme.com/y" })).toBe(true);
        expect(matches(effect, "url=*evil.com*", { url: ["https://user@evil.com"] })).toBe(true);
      }
    });
  });

  describe("ask or deny rule for URLs", { meta: { covers: ["S25"] } }, () => {
    it.each([
      ["*://evil.com/*", "https://EVIL.com/x"],
      ["*://evil.com/*", "HTTPS://evil.com/x"],
      ["*://evil.com/*", "https://evil.com./x"],
      ["*://evil.com/*", "https://evil.com:443/x"],
      ["*://evil.com/*", "https://u@evil.com/x"],
      ["*://evil.com/*", "https://u:p@evil.com/x"],
      ["*://evil.com/*", "https://evil.com"],
      ["*://evil.com/*", "https://evil.com?x"],
      ["*://evil.com/*", "https://evil.com#x"],
      ["*://evil.com/*", "https://ev\til.com/x"],
      ["*://evil.com/*", "ht\ntps:evil.com/x"],
      ["*://evil.com/*", String.raw`https:\\evil.com\x`],
      ["*://evil.com/*", "https:/evil.com/x"],
      ["*://evil.com/*", "https://evil%2ecom/x"],
      ["*://evil.com/*", " https://ｅvil。com/x"],
      ["*://evil.com/*", "redis://EVIL.com/x"],
      ["*://evil.com/*", "https://U@EVIL.com.:443?x"],
      ["*evil.com/*", "https://EVIL.com?x"],
      ["*://EVIL.com./*", "https://evil.com/x"],
      ["https://evil.com", "https://EVIL.com/"],
      ["https://evil.com?x", "https://EVIL.com?x"],
      ["https://evil.com:443/*", "https://evil.com/x"],
      ["https://evil.com:8443/*", "https://u@evil.com:8443/x"],
      ["*://*@evil.com/*", "https://u@EVIL.com/x"],
      ["*://bücher.example/*", "https://xn--bcher-kva.example/x"],
      ["*://127.0.0.1/*", "http://0x7f.1/x"],
      ["https://evil.com/admin/*", "https://evil.com/a/../%61dmin/x"],
      ['"https://evil.com/a b"', "https://EVIL.com/a b"],
      ["file:///etc/*", "file:/etc/passwd"],
      ["file:///etc/*", "FILE://localhost/etc/passwd"],
      ["*://evil.com/*", "https://evil.com:99999/x"],
      ["*://evil.com/*", "https://evil com/x"],
    ])("matches every spelling of the URL, also in nested values: pattern %s and value %j", (pattern, value) => {
      for (const effect of ["ask", "deny"] as const) {
        expect(matches(effect, `url=${pattern}`, { url: value })).toBe(true);
        expect(matches(effect, `url=${pattern}`, { url: [{ href: value }] })).toBe(true);
      }
    });

    it.each([
      ["*://evil.com/*", "https://good.com/x"],
      ["*://evil.com/*", "https://evil.com:8443/x"],
      ["*://evil.com/*", "https://evil.com.good.com/x"],
      ["*://evil.com/*", "https://evil.com@good.com/x"],
      ["*://evil.com/*", "mailto:ann@evil.com"],
      ["*://evil.com/*", "not a URL: at all"],
      ["/etc/*", "https://evil com/etc/"],
    ])("does not match another URL or text: pattern %s and value %j", (pattern, value) => {
      for (const effect of ["ask", "deny"] as const)
        expect(matches(effect, `url=${pattern}`, { url: value })).toBe(false);
    });
  });
});

function matches(effect: Effect, pattern: string, args: JsonObject): boolean {
  const rule = parseRule(effect, `s:t(${pattern})`)!;
  return (
    decide(new Policy([rule]), { server: "s", tool: "t", arguments: args, impliesPermission: false }).rule === rule
  );
}
