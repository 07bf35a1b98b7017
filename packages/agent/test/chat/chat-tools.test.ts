/** Tests which tools of a workspace a chat offers, and how it calls them. */
import type { CallOptions, ChatEvent, OfferedTool, ToolResult, Workspace } from "@plugboard/contracts";
import { ChatTools } from "#chat/index.js";
import { describe, expect, it } from "vitest";

const offered = (name: string, change: Partial<OfferedTool> = {}): OfferedTool => ({
  name: `mcp__s__${name}`,
  server: "s",
  tool: name,
  description: "",
  inputSchema: { type: "object" },
  origin: "mcp",
  pin: "p",
  ...change,
});

const toDefinition = ({ name, description, inputSchema }: OfferedTool) => ({
  name,
  description: `described ${description}`,
  inputSchema,
});

function open(tools: readonly OfferedTool[], includes: (tool: OfferedTool) => boolean = () => true) {
  const calls: unknown[] = [];
  let ready = false;
  const workspace = {
    tools: {
      list: async () => (expect(ready).toBe(true), tools),
      call: async (ref: unknown, args: unknown, options: CallOptions & { id: string }): Promise<ToolResult> => {
        calls.push([ref, args, options.id, options.signal]);
        options.onProgress?.({ progress: 1 });
        return { content: [] };
      },
    },
  } as unknown as Workspace;
  const chatTools = new ChatTools({
    workspace,
    whenReady: async () => void (ready = true),
    includes,
    toDefinition,
    toOutput: async ({ tool }) => ({ text: `cut ${tool}` }),
  });
  return { chatTools, calls };
}

describe("the tools of a chat", () => {
  it("include native tools, but no tool that the chat excludes or that is only for Apps", async () => {
    const ui = { forModel: false, forApps: true };
    const native = offered("b", { origin: "native", server: "native" });
    const tools = [offered("a", { description: "First" }), native, offered("c"), offered("d", { ui })];
    const { chatTools } = open(tools, ({ tool }) => tool !== "c");
    expect(await chatTools.inTurn(() => {}).list()).toEqual([
      {
        name: "mcp__s__a",
        inputSchema: { type: "object" },
        description: "described First",
        displayName: "s:a",
        source: "s:a",
      },
      { name: "mcp__s__b", inputSchema: { type: "object" }, description: "described ", displayName: "native:b" },
    ]);
  });

  it("are called by server, tool and call id, and emit their progress as events", async () => {
    const events: ChatEvent[] = [];
    const { chatTools, calls } = open([offered("a")]);
    const tools = chatTools.inTurn((event) => events.push(event));
    await tools.list();
    const { signal } = new AbortController();
    expect(await tools.call("mcp__s__a", { x: 1 }, { signal, callId: "c1" })).toEqual({ text: "cut a" });
    expect(calls).toEqual([[{ server: "s", tool: "a" }, { x: 1 }, "c1", signal]]);
    expect(events).toEqual([{ type: "tool.progressed", callId: "c1", progress: { progress: 1 } }]);
  });

  it("store a result of up to 256 KiB for the App", async () => {
    const ui = { resourceUri: "ui://app", forModel: true, forApps: true };
    const empty = JSON.stringify({ content: [{ type: "text", text: "" }] }).length;
    const appOf = async (length: number) => {
      const result = { content: [{ type: "text", text: "x".repeat(length - empty) }] };
      const workspace = {
        tools: {
          list: async () => [offered("a", { ui })],
          call: async () => result,
        },
      };
      const tools = new ChatTools({
        workspace: workspace as unknown as Workspace,
        whenReady: async () => {},
        includes: () => true,
        toDefinition,
        toOutput: async () => ({ text: "" }),
      }).inTurn(() => {});
      await tools.list();
      const output = await tools.call("mcp__s__a", {}, { signal: new AbortController().signal, callId: "1" });
      return typeof output === "string" ? undefined : output.app;
    };
    expect(await appOf(256 * 1024)).toMatchObject({ server: "s", tool: "a", uri: "ui://app" });
    expect(await appOf(256 * 1024 + 1)).toBeUndefined();
  });
});
