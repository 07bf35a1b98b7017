/** The tool of the chaotic server, and what every way of talking to it has in common. */
export interface ChaoticRequest {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly key?: string; readonly fault?: string } };
}

const INITIALIZE_RESULT = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "chaotic", version: "1" },
};

const TOOLS = [
  {
    name: "effect",
    inputSchema: { type: "object", properties: { key: { type: "string" }, fault: { type: "string" } } },
  },
];

/** The result of everything but the tool; nothing for what has none. */
export function plainResult({ method }: ChaoticRequest): object | undefined {
  switch (method) {
    case "initialize":
      return INITIALIZE_RESULT;
    case "tools/list":
      return { tools: TOOLS };
    case "ping":
      return {};
    default:
      return undefined;
  }
}

export function effectResult(key: string): object {
  return { content: [{ type: "text", text: key }] };
}

export const NO_SUCH_METHOD = { code: -32601, message: "no such method" };
