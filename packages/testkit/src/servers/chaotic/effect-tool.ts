/** The tool of the chaotic server and the other results that both transports share. */
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

/** Returns the result of any method except the tool call, or undefined for an unknown method. */
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
