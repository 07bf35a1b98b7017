/** Tests results that are too long for one message of stdio, with official clients and the real command. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileDrivenServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost, testEnv } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";
import { openClient } from "./helpers/official-clients.ts";
import type { ClientKind, OfficialClient } from "./helpers/official-clients.ts";

const MIB = 1024 * 1024;
const whole = Array.from({ length: (12 * MIB) / 16 }, (_, line) => `${String(line).padStart(15, "0")}\n`).join("");
const image = Buffer.alloc(8 * MIB, "an image, as long as the server says so").toString("base64");
/** JSON writes each of these control characters as six. */
const controls = "\u0001".repeat(1000 * 1024);
const rows = Array.from({ length: 200_000 }, (_, id) => ({ id }));
const outputSchema = { type: "object", properties: { rows: { type: "array" } }, required: ["rows"] };
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: "object" }, ...more });
const tools = [tool("long"), tool("short"), tool("image"), tool("mixed"), tool("rows", { outputSchema })];
const results = {
  long: { content: [{ type: "text", text: whole }] },
  short: { content: [{ type: "text", text: "here" }] },
  image: { content: [{ type: "image", data: image, mimeType: "image/png" }] },
  mixed: {
    content: [
      { type: "text", text: controls },
      { type: "image", data: "A".repeat(4 * MIB), mimeType: "image/png" },
    ],
  },
  rows: { content: [{ type: "text", text: "200000 rows" }], structuredContent: { rows } },
};

let host: RunningHost;
let removeFolder: () => Promise<void>;

beforeAll(async () => {
  const { env, remove } = await testEnv();
  removeFolder = remove;
  const script = join(env.HOME, "script.json");
  await writeFile(script, JSON.stringify({ tools, results }));
  host = await startRunningHost({ s: fileDrivenServer(script, join(env.HOME, "journal")) });
});

afterAll(async () => {
  await host.close();
  await removeFolder();
});

async function open(kind: ClientKind): Promise<OfficialClient> {
  const client = await openClient(kind, host, () => ({ action: "decline" }));
  onTestFinished(() => client.close());
  return client;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly uri: string;
}

async function callFor(client: OfficialClient, name: string): Promise<Block[]> {
  const { content } = (await client.request("tools/call", { name, arguments: {} })) as { content: Block[] };
  return content;
}

interface Part {
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
}

/** Reads the linked resources one after another. */
async function readParts(client: OfficialClient, blocks: Block[]): Promise<Part[]> {
  const read: Part[] = [];
  for (const { uri } of blocks.filter(({ type }) => type === "resource_link")) {
    const { contents } = (await client.request("resources/read", { uri })) as { contents: Part[] };
    expect(contents).toHaveLength(1);
    read.push(contents[0]!);
  }
  return read;
}

describe.each(["legacy over stdio", "modern over stdio"] as const)(
  "a long result for an official client (%s)",
  (kind) => {
    it("is cut at 1 MiB, and the whole text of 12 MiB is read in parts over the same connection", async () => {
      const client = await open(kind);
      const blocks = await callFor(client, "s__long");
      const [shown, note] = blocks.map(({ text }) => text);
      expect(whole.startsWith(shown!)).toBe(true);
      expect(shown!.length).toBeGreaterThan(MIB - 400);
      expect(shown!.length).toBeLessThanOrEqual(MIB);
      expect(note).toMatch(/^\[cut: the result has 12582912 bytes of text; the whole text is in 12 resources, from /);
      const parts = await readParts(client, blocks);
      expect(parts).toHaveLength(12);
      for (const { text } of parts) expect(Buffer.byteLength(text!)).toBeLessThanOrEqual(MIB);
      expect(parts.map(({ text }) => text).join("") === whole).toBe(true);
      expect(await client.call("s__short")).toBe("here");
    });

    it("has a link to the data in place of an image of more than 5 MiB", async () => {
      const client = await open(kind);
      const blocks = await callFor(client, "s__image");
      expect(blocks[0]!.text).toMatch(/^\[left out: image\/png of 8388608 bytes; its data is in 11 resources, from /);
      const parts = await readParts(client, blocks);
      expect(parts.every(({ mimeType }) => mimeType === "image/png")).toBe(true);
      expect(parts.map(({ blob }) => blob).join("") === image).toBe(true);
      expect(await client.call("s__short")).toBe("here");
    });

    it("has less text if control characters and an image would make its line too long", async () => {
      const client = await open(kind);
      const blocks = await callFor(client, "s__mixed");
      expect(blocks.map(({ type }) => type)).toEqual(["text", "image", "text", "resource_link"]);
      expect(controls.startsWith(blocks[0]!.text!)).toBe(true);
      const [part] = await readParts(client, blocks);
      expect(part!.text === controls).toBe(true);
    });

    it("has a resource in place of long structured content, and its tool is then listed without an output schema", async () => {
      const client = await open(kind);
      const blocks = await callFor(client, "s__rows");
      const parts = await readParts(client, blocks);
      const text = parts.map((part) => part.text).join("");
      expect(text === `200000 rows\n\n${JSON.stringify({ rows })}`).toBe(true);
      await client.listTools();
      expect(await client.call("s__rows")).toContain("200000 rows");
    });
  },
);

it("a long result reaches a client over HTTP uncut", { meta: { covers: ["R0.16"] } }, async () => {
  const client = await open("legacy over HTTP");
  const blocks = await callFor(client, "s__long");
  expect(blocks).toHaveLength(1);
  expect(blocks[0]!.text === whole).toBe(true);
});
