/**
 * A legacy stdio server of the official 1.x package with tasks. `research` runs only as a task: it reports two steps, asks
 * for a name if `ask` is set, fails if `fail` is set, and with `slow` works until it is cancelled. `maybe` runs with or
 * without a task, `plain` only without one.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/index.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const text = (value, isError = false) => ({ content: [{ type: "text", text: value }], ...(isError && { isError }) });
const form = {
  message: "Who asks?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

const server = new McpServer(
  { name: "tasks", version: "1.0.0" },
  {
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore: new InMemoryTaskStore(),
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  },
);

async function research(taskId, { ask, fail, slow }, { taskStore, sendRequest }) {
  await taskStore.updateTaskStatus(taskId, "working", "reading");
  if (slow) return;
  let name = "nobody";
  if (ask) {
    await taskStore.updateTaskStatus(taskId, "input_required", "asking");
    const request = { method: "elicitation/create", params: form };
    const { content } = await sendRequest(request, ElicitResultSchema, { relatedTask: { taskId } });
    name = content?.name ?? "nobody";
  }
  await taskStore.updateTaskStatus(taskId, "working", "writing");
  if (fail) await taskStore.storeTaskResult(taskId, "failed", text("no sources", true));
  else await taskStore.storeTaskResult(taskId, "completed", text(`found by ${name}`));
}

const inputSchema = { ask: z.boolean().optional(), fail: z.boolean().optional(), slow: z.boolean().optional() };
for (const [name, taskSupport] of [
  ["research", "required"],
  ["maybe", "optional"],
]) {
  server.experimental.tasks.registerToolTask(
    name,
    { description: name, inputSchema, execution: { taskSupport } },
    {
      createTask: async (args, extra) => {
        const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl ?? 60_000, pollInterval: 50 });
        void research(task.taskId, args, extra);
        return { task };
      },
      getTask: (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: (_args, { taskId, taskStore }) => taskStore.getTaskResult(taskId),
    },
  );
}
server.registerTool("plain", { description: "plain", inputSchema: {} }, () => text("plain"));
await server.connect(new StdioServerTransport());
