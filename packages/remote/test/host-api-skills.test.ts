/** Contract tests of `Workspace.skills`, in process and over the socket, with servers of both eras. */
import { skillsStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { HOSTS, openWorkspace, startForProgram } from "./helpers/contract-hosts.ts";

const REFUNDS = "skill://acme/billing/refunds/SKILL.md";
const EMAIL = "skill://acme/billing/refunds/examples/email.md";
const HOSTILE = "skill://hostile/SKILL.md";
const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string;

describe.each(HOSTS)("Workspace.skills %s", (_, start) => {
  it.each(["legacy", "modern"] as const)("lists and reads the skills of a %s server", async (era) => {
    const servers = { k: skillsStdio(era), none: scriptedLegacy(), bad: { command: "no-such-command" } };
    const { skills } = await openWorkspace(await startForProgram(start), { servers });
    const { skills: listed, errors, dropped } = await skills.list();
    expect(listed.map(({ server, name }) => `${server}:${name}`)).toEqual([
      "k:refunds",
      "k:hostile",
      "k:other",
      "k:daily",
    ]);
    expect(listed[0]).toEqual({
      server: "k",
      uri: REFUNDS,
      name: "refunds",
      description: "Process refunds by the policy of the company",
      frontmatter: {
        name: "refunds",
        description: "Process refunds by the policy of the company",
        metadata: { version: 2 },
      },
      files: [
        { uri: REFUNDS, digest, size: expect.any(Number) as number },
        { uri: EMAIL, digest, size: 15 },
      ],
    });
    expect(errors).toMatchObject({ bad: { code: "SERVER_SPAWN_FAILED" } });
    expect(dropped).toMatchObject([{ server: "k", name: "skill://incomplete/SKILL.md" }]);
    expect(await skills.list({ server: "none" })).toEqual({ skills: [], errors: {} });
    expect(await skills.get("k", REFUNDS)).toEqual(listed[0]);
    expect(await skills.read("k", REFUNDS)).toMatchObject({ server: "k", uri: REFUNDS, state: "verified" });
    expect(await skills.read("k", REFUNDS, EMAIL)).toMatchObject({
      state: "verified",
      contents: [{ uri: EMAIL, text: "Dear customer,\n" }],
    });
  });

  it("says for each file of a skill whether it matches the list of the server", async () => {
    const workspace = await openWorkspace(await startForProgram(start), { servers: { k: skillsStdio("modern") } });
    const { skills, tools } = workspace;
    expect(await skills.read("k", HOSTILE)).toMatchObject({ state: "verified" });
    expect(await skills.read("k", HOSTILE, "skill://hostile/run.sh")).toMatchObject({ state: "digest_mismatch" });
    expect(await skills.read("k", "skill://hostile/other/SKILL.md")).toMatchObject({ state: "frontmatter_mismatch" });
    expect(await skills.read("k", "report://daily/SKILL.md")).toMatchObject({ state: "no_digest" });
    await tools.call("k:write", { uri: REFUNDS, text: "changed" });
    expect(await skills.read("k", REFUNDS)).toMatchObject({
      state: "digest_mismatch",
      contents: [{ text: "changed" }],
    });
    const foreign = skills.read("k", REFUNDS, HOSTILE);
    await expect(foreign).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("rejects an unknown skill, an invalid one, and a server without skills", async () => {
    const servers = { k: skillsStdio("modern"), none: scriptedLegacy() };
    const { skills } = await openWorkspace(await startForProgram(start), { servers });
    await expect(skills.get("k", "skill://nothing/SKILL.md")).rejects.toMatchObject({ code: "REQUEST_FAILED" });
    await expect(skills.get("k", "skill://incomplete/SKILL.md")).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    await expect(skills.get("none", REFUNDS)).rejects.toMatchObject({ code: "NOT_OFFERED" });
    await expect(skills.get("x", REFUNDS)).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    await expect(skills.list({ server: "x" })).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
  });
});
