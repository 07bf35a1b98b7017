/** Tests questions on the terminal that are long, unusual or hostile. */
import { describe, expect, it } from "vitest";
import { command, runInTerminal, programInTerminal, puppetServer, setUp } from "../helpers/run-plugboard.ts";

const form = (properties: object, required: string[] = []) => ({
  message: "Fill this in",
  requestedSchema: { type: "object", properties, required },
});

async function callWithQuestions(...asks: object[]) {
  return runInTerminal(await setUp({ mcpServers: { a: puppetServer({ asks }) } }), "call", "a:go");
}

describe("a form on the terminal", () => {
  it("with many fields causes no warning of Node about listeners", async () => {
    const names = Array.from({ length: 15 }, (_, index) => `field${index}`);
    const terminal = await callWithQuestions(form(Object.fromEntries(names.map((name) => [name, { type: "string" }]))));
    for (const name of names) {
      await terminal.waitFor(`a:go asks for ${name}: `);
      terminal.type("x\r");
    }
    await terminal.waitFor('"field14":"x"');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).not.toContain("Warning");
  });

  it("accepts field names such as __proto__", async () => {
    const properties = JSON.parse('{"constructor":{"type":"string"},"__proto__":{"type":"string"}}') as object;
    const terminal = await callWithQuestions(form(properties));
    await terminal.waitFor("a:go asks for constructor: ");
    terminal.type("\r");
    await terminal.waitFor("a:go asks for __proto__: ");
    terminal.type("x\r");
    await terminal.waitFor('[{"action":"accept","content":{"__proto__":"x"}}]');
  });

  it("shows choices and field names without control characters", { meta: { covers: ["A7"] } }, async () => {
    const terminal = await callWithQuestions(form({ "f\u001b[2J": { type: "string", enum: ["a\u001b[31m", "b"] } }));
    await terminal.waitFor('a:go asks for "f<U+001B>[2J" (number or name): ');
    terminal.type("zzz\r");
    await terminal.waitFor("must be one of a<U+001B>[31m, b.");
    expect(terminal.output()).not.toContain("\u001b[31m");
    expect(terminal.output()).not.toContain("f\u001b[2J");
  });

  it("shows how to answer each type of field", async () => {
    const list = { type: "array", items: { type: "string", enum: ["Guitar", "Drums"] }, default: ["Guitar"] };
    const terminal = await callWithQuestions(form({ ok: { type: "boolean", default: true }, plays: list }, ["ok"]));
    await terminal.waitFor(":decline = no, :cancel = skip the question, Ctrl-C = cancel the call");
    await terminal.waitFor(" ok (y/n) [y]: ");
    terminal.type("perhaps\r");
    await terminal.waitFor("must be y or n.");
    await terminal.waitFor(" ok (y/n) [y]: ");
    terminal.type("n\r");
    await terminal.waitFor(" plays (numbers or names, separated by commas) [Guitar]: ");
    terminal.type("2, Guitar\r");
    await terminal.waitFor('{"ok":false,"plays":["Drums","Guitar"]}');
  });

  it("rejects an unknown :command, and accepts text that begins with a colon if the colon is doubled", async () => {
    const terminal = await callWithQuestions(form({ name: { type: "string" } }));
    await terminal.waitFor(" asks for name: ");
    terminal.type(":canel\r");
    await terminal.waitFor(":canel is not a command here: :decline = no, :cancel = skip the question");
    await terminal.waitFor(" asks for name: ");
    terminal.type("::canel\r");
    await terminal.waitFor('{"name":":canel"}');
  });

  it.each([
    [":cancel\r", "cancel"],
    [":decline\r", "decline"],
  ])("sends the typed %j as the answer", async (typed, action) => {
    const terminal = await callWithQuestions(form({ name: { type: "string" } }));
    await terminal.waitFor(" asks for name: ");
    terminal.type(typed);
    await terminal.waitFor(`[{"action":"${action}"}]`);
  });

  it("is dismissed by Ctrl-D, and the terminal says so", async () => {
    const terminal = await callWithQuestions(form({ name: { type: "string" } }));
    await terminal.waitFor(" asks for name: ");
    terminal.type("\x04");
    await terminal.waitFor("Dismissed (Ctrl-D).");
    await terminal.waitFor('[{"action":"cancel"}]');
  });

  it("prompts again after Ctrl-Z and fg", async () => {
    const setup = await setUp({ mcpServers: { a: puppetServer({ asks: [form({ name: { type: "string" } })] }) } });
    const shell = programInTerminal(setup, "bash", ["--norc", "--noprofile", "-i"]);
    shell.type(`'${process.execPath}' '${command}' call a:go\r`);
    await shell.waitFor(" asks for name: ");
    shell.type("\x1a");
    await shell.waitFor("Stopped");
    // The shell discards input before its prompt.
    await shell.waitFor(/bash[^\n]*[#$] /);
    shell.type("fg\r");
    await shell.waitFor(" asks for name: ");
    shell.type("Ann\r");
    await shell.waitFor('{"name":"Ann"}');
    // The shell prompts when the command has ended.
    await shell.waitFor(/bash[^\n]*[#$] /);
  });
});

describe("a URL elicitation on the terminal", () => {
  const visit = { mode: "url", message: "Log in", elicitationId: "1", url: "https://good.example@evil.example/login" };

  it("shows the host separately, and is accepted with y", async () => {
    const terminal = await callWithQuestions(visit);
    await terminal.waitFor("It wants you to visit evil.example:");
    await terminal.waitFor("Open it yourself, then answer. Accept? y / n / :cancel: ");
    terminal.type("y\r");
    await terminal.waitFor('[{"action":"accept"}]');
  });

  it("is cancelled with :cancel", async () => {
    const terminal = await callWithQuestions(visit);
    await terminal.waitFor("Accept?");
    terminal.type(":cancel\r");
    await terminal.waitFor('[{"action":"cancel"}]');
  });
});

describe("several questions on the terminal", () => {
  it("are asked one after another, also if the first is dismissed", async () => {
    const terminal = await callWithQuestions(form({ first: { type: "string" } }), form({ second: { type: "string" } }));
    await terminal.waitFor("a:go asks for first: ");
    terminal.type("\x04");
    await terminal.waitFor("a:go asks for second: ");
    terminal.type("x\r");
    await terminal.waitFor('[{"action":"cancel"},{"action":"accept","content":{"second":"x"}}]');
  });
});
