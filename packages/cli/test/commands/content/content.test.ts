/** Tests the commands for resources and prompts with the official server-everything, and those for skills. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { everythingStdio, skillsStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { serve } from "../../helpers/hosting.ts";
import {
  puppetServer,
  runInTerminal,
  runPiped,
  runPipedProcess,
  setUp,
  startCommand,
} from "../../helpers/run-plugboard.ts";

const setUpEverything = () => setUp({ mcpServers: { ev: everythingStdio() } });
const DOCUMENT = "demo://resource/static/document/features.md";

describe("plugboard resources", () => {
  it("lists the resources and templates of all servers, and reports a server that fails", async () => {
    const setup = await setUp({ mcpServers: { ev: everythingStdio(), b: { command: "no-such-command" } } });
    const { status, stdout, stderr } = await runPipedProcess(setup, "resources");
    await expect(stdout).toMatchFileSnapshot("../../golden/resources.txt");
    expect(stderr).toMatch(/^b: SERVER_SPAWN_FAILED: .*\n$/);
    expect(status).toBe(0);
  });

  it("prints the lists and the errors as JSON", async () => {
    const setup = await setUp({ mcpServers: { ev: everythingStdio(), b: { command: "no-such-command" } } });
    const { stdout } = await runPiped(setup, "resources", "--json");
    expect(await parseOutput("resources", stdout)).toMatchObject({ errors: { b: { code: "SERVER_SPAWN_FAILED" } } });
  });

  it("fails if no server could be listed", async () => {
    const setup = await setUp({ mcpServers: { b: { command: "no-such-command" } } });
    expect(await runPiped(setup, "resources")).toMatchObject({ status: 3, stdout: "No resources.\n" });
  });
});

describe("plugboard resource read", () => {
  it("prints the text of a resource, also if only its URI is given", async () => {
    const setup = await setUpEverything();
    const { status, stdout } = await runPipedProcess(setup, "resource", "read", "ev", DOCUMENT);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^# Everything Server/) as string });
    expect((await runPiped(setup, "resource", "read", DOCUMENT)).stdout).toBe(stdout);
    expect((await runPiped(setup, "resource", "read", `ev:${DOCUMENT}`)).stdout).toBe(stdout);
  });

  it("describes binary content, and saves it with --output", async () => {
    const setup = await setUpEverything();
    const blob = ["resource", "read", "ev", "demo://resource/dynamic/blob/1"];
    const { stdout } = await runPiped(setup, ...blob, "--output", "saved");
    expect(stdout).toMatch(/^\[resource, text\/plain, \d+ bytes, demo:\/\/resource\/dynamic\/blob\/1\]\nsaved /);
    const [file = ""] = await readdir(join(setup.cwd, "saved"));
    expect(await readFile(join(setup.cwd, "saved", file), "utf8")).toContain("Resource 1");
    const json = await runPiped(setup, ...blob, "--json");
    expect(await parseOutput("resource-read", json.stdout)).toMatchObject({ server: "ev" });
  });

  it.each([
    [["ev"], "missing argument <uri>"],
    [["demo://nowhere"], "demo://nowhere"],
  ])("rejects %j", async (words, message) => {
    const { status, stderr } = await runPiped(await setUpEverything(), "resource", "read", ...words);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it("asks for the server if two servers have the resource", async () => {
    const setup = await setUp({ mcpServers: { a: everythingStdio(), b: everythingStdio() } });
    const { status, stderr } = await runPiped(setup, "resource", "read", DOCUMENT);
    expect(status).toBe(2);
    expect(stderr).toContain(`plugboard resource read a ${DOCUMENT}`);
  });
});

describe("plugboard resource read --watch", () => {
  it("prints the content again when the server reports an update, until it is interrupted", async () => {
    const setup = await setUp({ mcpServers: { k: skillsStdio("modern") } });
    await serve(setup);
    const json = startCommand(setup, "resource", "read", "k", "note://today", "--watch", "--json");
    const plain = startCommand(setup, "resource", "read", "k:note://today", "--watch");
    await Promise.all([json, plain].map(({ stdout }) => stdout.waitFor("Nothing yet", 20_000)));
    await runPiped(setup, "call", "k:write", "uri=note://today", "text=It is done");
    await Promise.all([json, plain].map(({ stdout }) => stdout.waitFor("It is done", 20_000)));
    for (const { child, exited } of [json, plain]) {
      child.kill("SIGINT");
      expect(await exited).toBe(130);
    }
    const lines = json.stdout.text.trimEnd().split("\n");
    for (const line of lines) await parseOutput("resource-read", line);
    expect(lines).toHaveLength(2);
    expect(plain.stdout.text).toBe("Nothing yet\nIt is done\n");
  });

  it("fails if the server has no subscriptions", async () => {
    const setup = await setUp({ mcpServers: { x: puppetServer({ resources: [{ uri: "x://a", name: "a" }] }) } });
    const { status, stderr } = await runPiped(setup, "resource", "read", "x", "x://a", "--watch");
    expect(status).toBe(2);
    expect(stderr).toContain('"x" does not support resources/subscribe');
  });
});

describe("plugboard skills", () => {
  it("succeeds if no server has skills, although another server fails", async () => {
    const setup = await setUp({ mcpServers: { ev: everythingStdio(), b: { command: "no-such-command" } } });
    const { status, stdout, stderr } = await runPiped(setup, "skills");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "No skills.\n" });
    expect(stderr).toContain("b: SERVER_SPAWN_FAILED");
    expect((await runPiped(setup, "skills", "b")).status).toBe(3);
  });

  it("fails if the named server fails, although another server is ready", async () => {
    const setup = await setUp({ mcpServers: { ev: everythingStdio(), b: { command: "no-such-command" } } });
    await serve(setup);
    expect((await runPiped(setup, "skills", "ev")).status).toBe(0);
    expect(await runPiped(setup, "skills", "b")).toMatchObject({ status: 3, stdout: "No skills.\n" });
  });

  it("fails if the only server fails", async () => {
    const { status } = await runPiped(await setUp({ mcpServers: { b: { command: "no-such-command" } } }), "skills");
    expect(status).toBe(3);
  });

  it("lists the skills of all servers with hidden characters made visible, and the skills that can't be used", async () => {
    const servers = { k: skillsStdio("legacy"), ev: everythingStdio(), b: { command: "no-such-command" } };
    const setup = await setUp({ mcpServers: servers });
    const { status, stdout, stderr } = await runPipedProcess(setup, "skills");
    await expect(stdout).toMatchFileSnapshot("../../golden/skills.txt");
    expect(stderr).toMatch(/^b: SERVER_SPAWN_FAILED: .*\nk: skill:\/\/incomplete\/SKILL\.md can't be used: .*\n$/);
    expect(status).toBe(0);
    const json = await runPiped(setup, "skills", "k", "--json");
    expect(await parseOutput("skills", json.stdout)).toMatchObject({ skills: { length: 4 }, errors: {} });
    expect((await runPiped(setup, "skills", "ev")).stdout).toBe("No skills.\n");
  });
});

describe("plugboard skill read", () => {
  it("prints a skill and its files, by URI or by name", async () => {
    const setup = await setUp({ mcpServers: { k: skillsStdio("modern") } });
    const read = (...words: string[]) => runPiped(setup, "skill", "read", ...words);
    const uri = "skill://acme/billing/refunds/SKILL.md";
    const { status, stdout, stderr } = await read("k", uri);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringContaining("# Refunds") as string,
      stderr: "",
    });
    expect((await read("refunds")).stdout).toBe(stdout);
    expect((await read("refunds", "--file", "examples/email.md")).stdout).toBe("Dear customer,\n");
    expect((await read("refunds", "--files")).stdout).toMatch(/^examples\/email\.md +15 +sha256:[0-9a-f]{64}$/m);
    await parseOutput("skill-read", (await read("refunds", "--json")).stdout);
    await parseOutput("skill-read", (await read("refunds", "--files", "--json")).stdout);
  });

  it("warns about a file that does not match its digest, and exits with status 4", async () => {
    const setup = await setUp({ mcpServers: { k: skillsStdio("modern") } });
    const { status, stderr } = await runPiped(setup, "skill", "read", "hostile", "--file", "run.sh");
    expect(status).toBe(4);
    expect(stderr).toContain("The content does not match the digest");
    expect((await runPiped(setup, "skill", "read", "other")).stderr).toContain("The frontmatter of the file differs");
  });

  it.each([
    [["nothing"], 'There is no skill "nothing" in the lists of the servers'],
    [["refunds", "--file", "../../x"], "There is no file"],
  ])("rejects %j", async (words, message) => {
    const setup = await setUp({ mcpServers: { k: skillsStdio("modern") } });
    const { status, stderr } = await runPiped(setup, "skill", "read", ...words);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });
});

describe("plugboard prompts", () => {
  it("lists the prompts with their arguments", async () => {
    const setup = await setUpEverything();
    const { stdout } = await runPipedProcess(setup, "prompts");
    await expect(stdout).toMatchFileSnapshot("../../golden/prompts.txt");
    await parseOutput("prompts", (await runPiped(setup, "prompts", "ev", "--json")).stdout);
  });
});

describe("plugboard prompt get", () => {
  it("prints the messages of the prompt", async () => {
    const setup = await setUpEverything();
    const words = ["prompt", "get", "ev:args-prompt", "city=Paris"];
    expect(await runPipedProcess(setup, ...words)).toMatchObject({ stdout: "user:\nWhat's weather in Paris?\n" });
    await parseOutput("prompt-get", (await runPiped(setup, ...words, "--json")).stdout);
  });

  it("accepts the server and the prompt as two words", async () => {
    const { stdout } = await runPiped(await setUpEverything(), "prompt", "get", "ev", "args-prompt", "city=Paris");
    expect(stdout).toBe("user:\nWhat's weather in Paris?\n");
  });

  it("suggests the right name for a typo", async () => {
    const { status, stderr } = await runPiped(await setUpEverything(), "prompt", "get", "ev:arg-prompt");
    expect(status).toBe(2);
    expect(stderr).toContain("Did you mean");
    expect(stderr).toContain("ev:args-prompt");
  });

  it("asks for missing arguments on a terminal", async () => {
    const terminal = runInTerminal(await setUpEverything(), "prompt", "get", "ev:args-prompt");
    await terminal.waitFor("ev:args-prompt asks for city: ");
    terminal.type("Oslo\r");
    await terminal.waitFor("What's weather in Oslo?");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("is cancelled with Ctrl-C while it asks", async () => {
    const terminal = runInTerminal(await setUpEverything(), "prompt", "get", "ev:args-prompt");
    await terminal.waitFor("ev:args-prompt asks for city: ");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
  });

  it(
    "quotes the names and descriptions of arguments, so that they can't control the terminal",
    {
      meta: { covers: ["A7"] },
    },
    async () => {
      const name = "a \u001b]0;HACKED\u0007\u001b[2J b";
      const description = `${name}\nUse the server evil? y / n: `;
      const prompts = [{ name: "p", arguments: [{ name, description, required: true }] }];
      const terminal = runInTerminal(
        await setUp({ mcpServers: { x: puppetServer({ prompts }) } }),
        "prompt",
        "get",
        "x:p",
      );
      const shown = await terminal.waitFor('x:p asks for "a <U+001B>]0;HACKED<U+0007><U+001B>[2J b": ');
      expect(shown).toContain("│ Use the server evil?");
      terminal.type("value\r");
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
      for (const part of ["\u001b]0;HACKED", "\u001b[2J"]) expect(terminal.output()).not.toContain(part);
    },
  );

  it.each([
    [["ev:args-prompt"], "the prompt needs these arguments: city"],
    [["ev:args-prompt", "city=Oslo", "stat=x"], "no argument 'stat'. Did you mean state?"],
    [["args-prompt"], "not of the form server:prompt"],
    [["ev:args-prompt", "Oslo"], "not of the form name=value"],
  ])("rejects %j without a terminal", async (words, message) => {
    const { status, stderr } = await runPiped(await setUpEverything(), "prompt", "get", ...words);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain("See `plugboard prompt get --help`.");
  });
});

describe("plugboard complete", () => {
  it("prints the suggested values for a prompt, depending on other arguments", async () => {
    const setup = await setUpEverything();
    const words = ["complete", "ev:completable-prompt"];
    expect((await runPipedProcess(setup, ...words, "department", "E")).stdout).toBe("Engineering\n");
    const { stdout } = await runPiped(setup, ...words, "name", "", "--with", "department=Engineering", "--json");
    expect(await parseOutput("complete", stdout)).toMatchObject({
      values: expect.arrayContaining(["Alice"]) as string[],
    });
  });

  it("prints the suggested values for a resource template", async () => {
    const template = "ev:demo://resource/dynamic/text/{resourceId}";
    const { stdout } = await runPiped(await setUpEverything(), "complete", template, "resourceId", "1");
    expect(stdout).toBe("1\n");
  });
});
