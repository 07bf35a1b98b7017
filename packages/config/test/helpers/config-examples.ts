/** Valid config files as people write them, for Plugboard and for other MCP hosts. */
export const EXAMPLES: { readonly [name: string]: object } = {
  "a model": { mcp: { model: "anthropic/claude-opus-4-5" } },
  "servers, naming, permissions and profiles": {
    version: 1,
    mcp: {
      servers: {
        files: {
          transport: "stdio",
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-filesystem", "."],
          tools: { exclude: ["write_*"] },
        },
        notion: { transport: "http", url: "https://mcp.notion.com/mcp", request_timeout_ms: 30000 },
        api: {
          transport: "http",
          url: "https://api.example.com/mcp",
          auth: { type: "api_key", header_name: "X-API-Key", api_key: "${CUSTOM_API_KEY}" },
        },
      },
      naming: "mcp__{server}__{tool}",
      permissions: { allow: ["files:read_*"], ask: ["github:*"], deny: ["*:delete_*"] },
      profiles: {
        review: { servers: ["files", "github"], tools: { include: ["*:get_*", "*:read_*"] } },
        files: {
          servers: ["files"],
          permissions: { deny: ["files:write_*"] },
          naming: "{tool}",
          cwd: "~/work",
          max_result_bytes: 20000,
        },
      },
    },
  },
  "a remote and a local server": {
    version: 1,
    mcp: {
      servers: {
        "remote-tools": {
          transport: "http",
          url: "https://example.com/mcp",
          enabled: true,
          headers: { "X-Workspace": "acme" },
          request_timeout_ms: 30000,
        },
        "filesystem-local": {
          transport: "stdio",
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann/work/acme"],
          cwd: "/home/ann/work/acme",
          env: { NODE_ENV: "production" },
          request_timeout_ms: 30000,
        },
      },
    },
  },
  "a login with explicit OAuth endpoints": {
    version: 1,
    mcp: {
      servers: {
        "remote-oauth": {
          transport: "http",
          url: "https://mcp.example.com/mcp",
          enabled: true,
          request_timeout_ms: 30000,
          oauth: {
            authorization_url: "https://mcp.example.com/oauth2/authorize",
            token_url: "https://mcp.example.com/oauth2/token",
            registration_url: "https://mcp.example.com/oauth2/register",
            scope: "mcp",
          },
        },
      },
    },
  },
  "a disabled server with a complete definition": {
    version: 1,
    mcp: {
      servers: {
        "mcp-registry-public": {
          transport: "http",
          url: "https://registry.example.com/mcp",
          enabled: false,
        },
      },
    },
  },
  "servers at the root, with keys in camelCase": {
    servers: {
      database: {
        transport: "stdio",
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-postgres"],
        env: { DATABASE_URL: "postgresql://localhost/mydb" },
      },
      github: {
        transport: "stdio",
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-github"],
        env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" },
      },
      "custom-api": {
        transport: "http",
        url: "https://api.example.com/mcp",
        auth: { type: "api_key", headerName: "X-API-Key", apiKey: "${CUSTOM_API_KEY}" },
      },
    },
  },
  "timeouts in seconds, and excluded tools": {
    mcpServers: {
      filesystem: {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/user/project"],
        env: { NODE_ENV: "production" },
        startup_timeout_sec: 10,
        tool_timeout_sec: 60,
        excluded_tools: ["write_file", "delete_file"],
      },
    },
  },
  "every transport, named by type": {
    mcpServers: {
      a: { type: "stdio", command: "x" },
      b: { type: "sse", url: "https://x/sse", headers: { A: "b" } },
      c: { type: "http", url: "https://x/mcp" },
      d: { type: "sdk", name: "in-process" },
      e: { type: "claudeai-proxy", url: "https://x", id: "srv_1" },
      f: { type: "ws", url: "wss://x" },
    },
  },
  "every type of auth": {
    servers: {
      a: { url: "https://x", auth: { type: "none" } },
      b: { url: "https://x", auth: { type: "oauth", authUrl: "https://a/a", tokenUrl: "https://a/t", clientId: "c" } },
      c: { url: "https://x", auth: { type: "token_file", tokenPath: "~/token" } },
      d: { url: "https://x", auth: { type: "client_credentials", client_id: "c", client_secret: { $secret: "s" } } },
      e: { url: "https://x", auth: { type: "client_credentials", client_id: "c", assertion_file: "/run/jwt" } },
      f: {
        url: "https://x",
        auth: {
          type: "enterprise",
          client_id: "c",
          idp_token_url: "https://i/t",
          idp_client_id: "d",
          id_token_file: "~/id",
        },
      },
    },
  },
  "references to secrets, and entries that only enable or disable": {
    servers: {
      a: { command: "x", args: [{ $file: "t" }], env: { T: { $secret: "t" }, U: { $cmd: ["op", "read"] } } },
      b: { enabled: false },
      c: { disabled: true },
    },
  },
};
