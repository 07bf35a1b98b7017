/** Renders the line above the input: model, tokens, cost and servers. Pure. */
import { totalTokens, sanitizeLine } from "@plugboard/contracts";
import type { ChatInfo, ChatUsage, ServerStatus } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { fitColumns } from "../../terminal/text-width.ts";

export interface StatusLine {
  readonly chat: ChatInfo | undefined;
  /** The usage of the running turn, which the chat does not include yet. */
  readonly turnUsage?: ChatUsage | undefined;
  /** Undefined until they are known. */
  readonly servers: readonly Pick<ServerStatus, "id" | "state" | "enabled" | "hidden">[] | undefined;
  /** Replaces the other parts, such as "Press Ctrl-C again to leave". */
  readonly hint?: string | undefined;
}

export function renderStatusLine({ chat, turnUsage, servers, hint }: StatusLine, columns: number): Text {
  const parts = hint === undefined ? [...describeChat(chat, turnUsage), describeServers(servers)] : [hint];
  return styled("dim", fitColumns(parts.filter((part) => part !== "").join(" · "), columns - 1));
}

function describeChat(chat: ChatInfo | undefined, turnUsage: ChatUsage | undefined): string[] {
  if (!chat) return ["connecting…"];
  const { model, usage, context } = chat;
  const tokens = totalTokens(usage) + (turnUsage ? totalTokens(turnUsage) : 0);
  const cost =
    usage.cost === undefined || (turnUsage && turnUsage.cost === undefined)
      ? undefined
      : usage.cost + (turnUsage?.cost ?? 0);
  const share =
    context.limit === undefined ? "" : ` (${Math.round((context.tokens / context.limit) * 100)}% of context)`;
  return [
    model === undefined ? "no model: /model" : sanitizeLine(model),
    tokens === 0 ? "" : `${formatTokens(tokens)} tokens${share}`,
    cost === undefined || tokens === 0 ? "" : formatCost(cost),
  ];
}

function describeServers(servers: StatusLine["servers"]): string {
  if (!servers) return "";
  const enabled = servers.filter((server) => server.enabled && !server.hidden);
  if (enabled.length === 0) return "no servers";
  const ready = enabled.filter(({ state }) => state === "ready" || state === "idle").length;
  return ready === enabled.length
    ? `${ready} ${ready === 1 ? "server" : "servers"}`
    : `${ready}/${enabled.length} servers (/mcp)`;
}

export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(2)}M`;
}

/** Shows more digits of small amounts, which would otherwise look like zero. */
export function formatCost(cost: number): string {
  return `$${cost.toFixed(cost > 0 && cost < 0.1 ? 4 : 2)}`;
}
