/** Values for tests of the chat. */
import type { ChatCallEntry, ChatInfo, ChatUsage, ChatView } from "@plugboard/contracts";

export const usage = (inputTokens = 0, outputTokens = 0, cost = 0): ChatUsage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost,
});

export const chatInfo = (change: Partial<ChatInfo> = {}): ChatInfo => ({
  id: "chat-1",
  title: "",
  cwd: "/work",
  model: "test/model",
  state: "idle",
  createdAt: 0,
  updatedAt: 0,
  messages: 0,
  usage: usage(),
  context: { tokens: 0 },
  ...change,
});

export const chatView = (change: Partial<ChatView> = {}): ChatView => ({
  chat: chatInfo(),
  caller: { kind: "chat", id: "chat-1" },
  messages: [],
  turn: [],
  queue: [],
  questions: [],
  seq: 0,
  ...change,
});

export const callEntry = (change: Partial<ChatCallEntry> = {}): ChatCallEntry => ({
  type: "call",
  number: 1,
  callId: "c",
  name: "math:add",
  args: {},
  status: "requested",
  questions: [],
  answeredInMs: 0,
  ...change,
});
