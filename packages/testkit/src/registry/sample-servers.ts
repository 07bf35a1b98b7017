/**
 * Servers as the official registry describes them: the answers of its API v0.1, with every kind of package and input.
 */

export interface RegistryEntry {
  readonly server: { readonly name: string; readonly [field: string]: unknown };
  readonly _meta: { readonly [name: string]: unknown };
}

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

export function registryEntry(
  server: { readonly name: string; readonly [field: string]: unknown },
  official: { readonly [field: string]: unknown } = {},
): RegistryEntry {
  return {
    server: { $schema: SCHEMA, description: `Does the work of ${server.name}`, version: "1.0.2", ...server },
    _meta: {
      "io.modelcontextprotocol.registry/official": {
        status: "active",
        statusChangedAt: "2026-01-05T09:00:00Z",
        publishedAt: "2026-01-05T09:00:00Z",
        updatedAt: "2026-02-01T10:30:00Z",
        isLatest: true,
        ...official,
      },
    },
  };
}

const STDIO = { type: "stdio" };

export const FILESYSTEM = registryEntry({
  name: "io.github.example/filesystem",
  title: "Filesystem",
  description: "Reads and writes the files of the folders that you allow",
  repository: { url: "https://github.com/example/servers", source: "github", subfolder: "src/filesystem" },
  packages: [
    {
      registryType: "npm",
      identifier: "@example/server-filesystem",
      version: "1.0.2",
      runtimeHint: "npx",
      transport: STDIO,
      packageArguments: [
        {
          type: "positional",
          valueHint: "target_dir",
          description: "Path to access",
          format: "filepath",
          isRequired: true,
          isRepeated: true,
        },
      ],
      environmentVariables: [{ name: "LOG_LEVEL", description: "Logging level", default: "info" }],
    },
    {
      registryType: "oci",
      identifier: "images.example/mcp/filesystem:1.0.2",
      transport: STDIO,
      runtimeArguments: [
        {
          type: "named",
          name: "--mount",
          description: "Mount a volume into the container",
          value: "type=bind,src={source_path},dst={target_path}",
          isRequired: true,
          isRepeated: true,
          variables: {
            source_path: { description: "Source path on host", format: "filepath", isRequired: true },
            target_path: { description: "Path in the container", isRequired: true, default: "/project" },
          },
        },
      ],
      packageArguments: [{ type: "positional", valueHint: "target_dir", value: "/project" }],
      environmentVariables: [{ name: "LOG_LEVEL", description: "Logging level", default: "info" }],
    },
  ],
});

export const WEATHER = registryEntry({
  name: "io.github.example/weather-mcp",
  title: "Weather",
  description: "Weather data and forecasts",
  version: "0.5.0",
  packages: [
    {
      registryType: "pypi",
      identifier: "weather-mcp-server",
      version: "0.5.0",
      runtimeHint: "uvx",
      transport: STDIO,
      environmentVariables: [
        { name: "WEATHER_API_KEY", description: "API key for the weather service", isRequired: true, isSecret: true },
        {
          name: "WEATHER_UNITS",
          description: "Temperature units",
          default: "celsius",
          choices: ["celsius", "fahrenheit"],
        },
      ],
    },
  ],
});

export const HYBRID = registryEntry({
  name: "com.example/hybrid-mcp",
  description: "Runs here or in the cloud",
  version: "1.5.0",
  packages: [
    {
      registryType: "nuget",
      identifier: "Example.HybridServer",
      version: "1.5.0-beta",
      runtimeHint: "dnx",
      transport: STDIO,
      packageArguments: [
        { type: "positional", value: "mcp" },
        { type: "positional", value: "start" },
      ],
    },
    {
      registryType: "mcpb",
      identifier: "https://releases.example/hybrid.mcpb",
      fileSha256: "fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce",
      transport: STDIO,
    },
  ],
  remotes: [
    {
      type: "streamable-http",
      url: "https://{tenant}.example.com/mcp",
      variables: { tenant: { description: "Your tenant", isRequired: true } },
      headers: [
        {
          name: "Authorization",
          description: "Bearer token",
          value: "Bearer {token}",
          isRequired: true,
          variables: { token: { description: "Your token", isSecret: true, isRequired: true } },
        },
        { name: "X-Region", description: "Region", default: "eu", choices: ["eu", "us"] },
      ],
    },
    { type: "sse", url: "https://old.example.com/sse" },
  ],
});

export const DEPRECATED = registryEntry(
  {
    name: "io.github.example/old-weather",
    description: "Weather data, the old way",
    version: "0.9.5",
    packages: [{ registryType: "npm", identifier: "@example/old-weather", version: "0.9.5", transport: STDIO }],
  },
  { status: "deprecated", statusMessage: "Use io.github.example/weather-mcp" },
);

export const DELETED = registryEntry(
  { name: "io.github.example/gone-weather", description: "Weather data that is gone", remotes: [] },
  { status: "deleted" },
);

export const SAMPLE_SERVERS: readonly RegistryEntry[] = [FILESYSTEM, WEATHER, HYBRID, DEPRECATED, DELETED];
