/** Tests how a skill's file is compared with the digest, the size and the frontmatter that its server lists. */
import { createHash } from "node:crypto";
import { compareSkillFile } from "#catalog/compare-skill-file.js";
import type { ResourceContents, Skill, SkillFile } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const URI = "skill://a/SKILL.md";
const digest = (content: string | Buffer) => `sha256:${createHash("sha256").update(content).digest("hex")}`;
const part = (text: string): ResourceContents[] => [{ uri: URI, text }];
const skill = (file: Omit<SkillFile, "uri">, frontmatter: Skill["frontmatter"] = { name: "a" }) => ({
  uri: URI,
  frontmatter,
  files: [{ uri: URI, ...file }],
});
const TEXT = "---\nname: a\n---\nText\n";

describe("compareSkillFile", () => {
  it("verifies the bytes of a text and of a blob", async () => {
    expect(await compareSkillFile(skill({ digest: digest(TEXT), size: 21 }), URI, part(TEXT))).toBe("verified");
    const bytes = Buffer.from([0, 255, 128]);
    const other = { uri: "skill://a/x", digest: digest(bytes), size: 3 };
    const contents = [{ uri: "skill://a/x", blob: bytes.toString("base64") }];
    expect(await compareSkillFile({ ...skill({}), files: [other] }, "skill://a/x", contents)).toBe("verified");
  });

  it.each([
    ["a different digest", { digest: digest("x") }, part(TEXT), "digest_mismatch"],
    ["a different size", { size: 22 }, part(TEXT), "digest_mismatch"],
    ["two parts", { digest: digest(TEXT) }, [...part(TEXT), ...part("")], "digest_mismatch"],
    ["no part", { digest: digest(TEXT) }, [], "digest_mismatch"],
    ["no digest", {}, part(TEXT), "no_digest"],
  ] as const)("returns the state of a file with %s", async (_, file, contents, state) => {
    expect(await compareSkillFile(skill(file), URI, contents)).toBe(state);
  });

  it("says that a server does not list the file", async () => {
    expect(await compareSkillFile({ ...skill({}), files: [] }, URI, part(TEXT))).toBe("unlisted");
  });

  it.each([
    [
      "the same fields in another order",
      "\ufeff---\r\nname: a\r\nx: {b: 1, c: [y]}\r\n---\r\nText",
      { x: { c: ["y"], b: 1 }, name: "a" },
    ],
    ["only frontmatter", "---\nname: a\n---", { name: "a" }],
  ])("verifies a file with %s", async (_, text, frontmatter) => {
    const listed = skill({ digest: digest(text) }, frontmatter);
    expect(await compareSkillFile(listed, URI, part(text))).toBe("verified");
  });

  it.each([
    ["a different name", "---\nname: b\n---\n"],
    ["an additional field", "---\nname: a\nallowed-tools: Bash\n---\n"],
    ["text before the frontmatter", "Text\n---\nname: a\n---\n"],
    ["no frontmatter", "Text"],
    ["invalid YAML", "---\n{{{\n---\n"],
    ["YAML that is nested too deep", `---\nname: ${"[".repeat(5000)}\n---\n`],
    ["YAML that is too long", `---\nname: a\n${"#".repeat(200_000)}\n---\n`],
  ])("does not accept a file with %s", async (_, text) => {
    expect(await compareSkillFile(skill({ digest: digest(text) }), URI, part(text))).toBe("frontmatter_mismatch");
  });

  it("compares the frontmatter even if the server lists no files of the skill", async () => {
    const dynamic = { ...skill({}), files: "dynamic" } as const;
    expect(await compareSkillFile(dynamic, URI, part(TEXT))).toBe("no_digest");
    expect(await compareSkillFile(dynamic, URI, part("---\nname: b\n---\n"))).toBe("frontmatter_mismatch");
  });
});
