import "@ai-sdk/mcp";
import "@ai-sdk/mcp/mcp-stdio";
