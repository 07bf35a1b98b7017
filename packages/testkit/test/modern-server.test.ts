/** Tests the modern fixture with the official client. */
import { Client, type ElicitResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { modernDualStdio, modernStdio, startModernHttp } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

type Answer = (message: string) => ElicitResult;
const decline: Answer = () => ({ action: "decline" });

/** Answers a question of the fixture ("Please give <field>") with `<field>!`. */
const obey: Answer = (message) => {
  const field = message.replace("Please give ", "");
  return { action: "accept", content: { [field]: `${field}!` } };
};

const opened: { close(): Promise<void> }[] = [];
let answer: Answer;
beforeEach(() => void (answer = decline));
afterAll(async () => {
  for (const each of opened.reverse()) await each.close();
});

type Transport = StdioClientTransport | StreamableHTTPClientTransport;

async function connect(transport: Transport, mode: { pin: string } | "legacy" = { pin: "2026-07-28" }) {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("elicitation/create", (request) => answer(request.params.message));
  await client.connect(transport);
  opened.push(client);
  return client;
}

function stdio({ command, args } = modernStdio()): StdioClientTransport {
  return new StdioClientTransport({ command, args: [...args], stderr: "pipe" });
}

async function http(): Promise<StreamableHTTPClientTransport> {
  const server = await startModernHttp();
  opened.push(server);
  return new StreamableHTTPClientTransport(new URL(server.url));
}

function textOf(result: Awaited<ReturnType<Client["callTool"]>>): string {
  const [block] = result.content;
  return block?.type === "text" ? block.text : "";
}

describe.each([
  ["stdio", () => Promise.resolve(stdio())],
  ["http", http],
])("The modern fixture over %s", (_name, transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(await transport());
  });

  it("lists its tools with their input schemas", async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(
      expect.arrayContaining([
        "echo",
        "slow",
        "fail",
        "throw",
        "ask_name",
        "ask_twice",
        "ask_forever",
        "ask_two_at_once",
      ]),
    );
    expect(tools.find((tool) => tool.name === "echo")?.inputSchema).toMatchObject({ required: ["text"] });
  });

  it("returns a result, an isError result or a protocol error", async () => {
    expect(textOf(await client.callTool({ name: "echo", arguments: { text: "hi" } }))).toBe("hi");
    expect(await client.callTool({ name: "fail" })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: "throw" })).rejects.toMatchObject({ code: -32603 });
  });

  it.each([
    [{ action: "accept", content: { name: "Ada", likes: "tea" } } as const, "hello Ada, tea"],
    [{ action: "decline" } as const, "declined"],
    [{ action: "cancel" } as const, "cancelled"],
  ])("asks for a name and handles the answer %o", async (given, expected) => {
    answer = () => given;
    expect(textOf(await client.callTool({ name: "ask_name" }))).toBe(expected);
  });

  it("keeps the first answer in requestState", async () => {
    answer = obey;
    expect(textOf(await client.callTool({ name: "ask_twice" }))).toBe("first! second! (requestState intact)");
  });

  it("rejects a requestState that was trimmed", async () => {
    const asked = (await client.callTool({ name: "ask_twice" }, { allowInputRequired: true })) as {
      requestState?: string;
    };
    const requestState = asked.requestState?.trimStart();
    const params = { name: "ask_twice", inputResponses: { first: obey("first") }, requestState };
    const retry = await client.callTool(params);
    expect(textOf(retry)).toContain("requestState damaged");
  });

  it("asks two questions in one round", async () => {
    answer = obey;
    expect(textOf(await client.callTool({ name: "ask_two_at_once" }))).toBe("left: left!, right: right!");
  });

  it("asks again after every answer", async () => {
    answer = obey;
    await expect(client.callTool({ name: "ask_forever" })).rejects.toMatchObject({
      code: "INPUT_REQUIRED_ROUNDS_EXCEEDED",
      data: { rounds: 10, lastResult: { requestState: "11" } },
    });
  });

  it("reports progress before the result", async () => {
    expect(textOf(await client.callTool({ name: "slow", arguments: { ms: 1, steps: 2 } }))).toBe("done in 2 steps");

    // The official client drops progress that arrives together with the result, so this call does not reach it.
    const seen: number[] = [];
    const cancel = new AbortController();
    const onprogress = ({ progress }: { progress: number }) => {
      if (seen.push(progress) === 3) cancel.abort();
    };
    const call = { name: "slow", arguments: { ms: 60_000, steps: 2_000 } };
    await expect(client.callTool(call, { onprogress, signal: cancel.signal })).rejects.toThrow();
    expect(seen).toEqual([1, 2, 3]);
  });
});

it("The modern fixture detects a cancelled call over stdio", async () => {
  const transport = stdio();
  const stderr = transport.stderr;
  const client = await connect(transport);
  const cancel = new AbortController();
  const call = client.callTool({ name: "slow", arguments: { ms: 60_000, steps: 1 } }, { signal: cancel.signal });
  const aborted = new Promise<void>((resolve) => {
    stderr?.on("data", (piece: Buffer) => {
      if (piece.includes("slow started")) cancel.abort();
      if (piece.includes("slow aborted")) resolve();
    });
  });
  await expect(call).rejects.toThrow();
  await aborted;
});

it("The modern fixture detects a disconnected client over http", async () => {
  const server = await startModernHttp();
  opened.push(server);
  const client = await connect(new StreamableHTTPClientTransport(new URL(server.url)));
  const cancel = new AbortController();
  const call = client.callTool({ name: "slow", arguments: { ms: 60_000, steps: 1 } }, { signal: cancel.signal });
  const cancelled = expect(call).rejects.toThrow();
  await server.waitForStderr("slow started");
  cancel.abort();
  await cancelled;
  expect(await server.waitForStderr("slow aborted")).toMatch(/^slow started\nslow aborted/);
});

it("The modern fixture rejects the legacy handshake unless it is dual", async () => {
  await expect(connect(stdio(), "legacy")).rejects.toMatchObject({ code: -32022 });

  answer = obey;
  const client = await connect(stdio(modernDualStdio()), "legacy");
  expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
  expect(textOf(await client.callTool({ name: "ask_twice" }))).toBe("first! second! (requestState intact)");
});
