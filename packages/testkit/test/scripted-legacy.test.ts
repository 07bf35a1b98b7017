/** Tests the scripted legacy fixture with the official client. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { OutputBuffer } from "@plugboard/testkit/output-buffer";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterEach, expect, it } from "vitest";

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

const ada: ElicitResult = { action: "accept", content: { name: "Ada" } };

interface Setup {
  readonly flags?: readonly string[];
  readonly answer?: (message: string) => ElicitResult | Promise<ElicitResult>;
}

async function connect({ flags = [], answer = () => ada }: Setup = {}) {
  const { command, args } = scriptedLegacy(...flags);
  const transport = new StdioClientTransport({ command, args: [...args], stderr: "pipe" });
  const stderr = new OutputBuffer();
  transport.stderr?.on("data", (piece: Buffer) => stderr.append(piece.toString()));
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
  const errors: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => errors.push(error) });
  clients.push(client);
  await client.connect(transport);
  const call = async (name: string, toolArgs: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: toolArgs });
    return (content as { text: string }[])[0]?.text ?? "";
  };
  return { client, transport, stderr, errors, call };
}

it(
  "The scripted server echoes a text, and returns the names of its environment variables",
  { meta: { covers: ["R3.86"] } },
  async () => {
    const { call } = await connect();
    expect(await call("echo", { text: "hi" })).toBe("hi");
    expect(JSON.parse(await call("env"))).toContain("PATH");
  },
);

it.each([[1], [3]])("The scripted server lists its tools in %i pages", async (pages) => {
  const { client } = await connect({ flags: [`--pages=${pages}`] });
  const names: string[] = [];
  let cursor: string | undefined;
  let lists = 0;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
    lists++;
  } while (cursor !== undefined);
  expect(lists).toBe(pages);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(16);
});

it("The scripted server lists a malformed tool with --bad-tool", async () => {
  const { client } = await connect({ flags: ["--bad-tool"] });
  await expect(client.listTools()).rejects.toThrow("name");
});

it("The scripted server asks a question during a call", async () => {
  const { call } = await connect();
  expect(await call("ask")).toBe(`answer: ${JSON.stringify(ada)}`);
});

it("The scripted server asks two questions at once", async () => {
  const { call } = await connect({ answer: (message) => ({ action: "accept", content: { message } }) });
  const answers = ["first", "second"].map(
    (field) => `{"action":"accept","content":{"message":"Please give ${field}"}}`,
  );
  expect(await call("ask_two")).toBe(`answers: [${answers.join(",")}]`);
});

it("The scripted server requests sampling even if the client does not support it", async () => {
  const { call } = await connect();
  expect(JSON.parse(await call("ask_sampling"))).toMatchObject({ error: { code: -32601 } });
});

it("The scripted server finishes without the answer, and logs an answer that comes late", async () => {
  const finished = new OutputBuffer();
  const { call, stderr } = await connect({ answer: () => finished.waitFor("finished", 10_000).then(() => ada) });
  finished.append(await call("ask_and_finish", { after_ms: 1 }));
  await stderr.waitFor(`late answer ${JSON.stringify(ada)}`, 10_000);
});

it("The scripted server cancels its own question", async () => {
  const { call } = await connect({ answer: () => new Promise(() => {}) });
  expect(await call("ask_and_withdraw")).toBe("withdrawn");
});

it.each([
  ["ask_and_die", "dying"],
  ["crash", "boom"],
])("The tool %s ends the scripted server", async (name, lastWords) => {
  const { call, stderr, transport } = await connect();
  const { pid } = transport;
  await expect(call(name)).rejects.toThrow("Connection closed");
  await stderr.waitFor(lastWords, 10_000);
  await waitUntilDead(pid!, 10_000);
});

it("The scripted server keeps a call pending until it is released", async () => {
  const { call, stderr } = await connect();
  const held = call("hold");
  await stderr.waitFor("holding", 10_000);
  expect(await call("release")).toBe("released");
  expect(await held).toBe("let go");
});

it("The scripted server never answers a cancelled call", async () => {
  const { client, call, stderr, errors } = await connect();
  const cancel = new AbortController();
  const held = client.callTool({ name: "hold" }, undefined, { signal: cancel.signal });
  await stderr.waitFor(/holding (\d+)/, 10_000);
  cancel.abort();
  await expect(held).rejects.toThrow();
  const [, id] = /holding (\d+)/.exec(stderr.text) ?? [];
  await stderr.waitFor(`cancelled ${id}\n`, 10_000);
  await call("release");
  expect(errors).toEqual([]);
});

it("The scripted server asks a question outside of any call", async () => {
  const { call, stderr } = await connect();
  expect(await call("ask_after_result")).toBe("ok");
  await stderr.waitFor(`unattributed answer ${JSON.stringify(ada)}`, 10_000);
});

it("The scripted server asks a question in one call while another call is pending", async () => {
  const { call, stderr } = await connect();
  expect(await call("ask_while_held")).toBe("nothing is held");
  const held = call("hold");
  await stderr.waitFor("holding", 10_000);
  expect(await call("ask_while_held")).toBe(`answer: ${JSON.stringify(ada)}`);
  await call("release");
  await held;
});

it("The scripted server writes noise to stdout before its result", async () => {
  const { errors, call } = await connect();
  expect(await call("noise")).toBe("made some noise");
  expect(errors).toHaveLength(1);
});

it("The scripted server starts a grandchild that outlives it", async () => {
  const { client, stderr } = await connect({ flags: ["--grandchild"] });
  const [, pid] = /grandchild (\d+)/.exec(stderr.text) ?? [];
  await client.close();
  expect(isAlive(Number(pid))).toBe(true);
  process.kill(Number(pid));
  await waitUntilDead(Number(pid), 10_000);
});
