/** Calls a server in a sandbox through the gateway, with an official client. Linux only. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";

describe.runIf(process.platform === "linux")("a client of the gateway", () => {
  it(
    "reaches neither the state nor the config of the host with a sandboxed server that may write the home folder",
    { meta: { covers: ["R2.3"] } },
    async () => {
      const sandbox = { write: ["${HOME}"], network: false };
      const host = await startRunningHost({ files: { ...filesystemStdio("/"), sandbox } });
      onTestFinished(() => host.close());
      const { HOME: home = "", PLUGBOARD_CONFIG_PATH: config = "" } = host.env;
      const state = join(home, "state", "plugboard");
      const client = new Client({ name: "test", version: "1" });
      const headers = { authorization: `Bearer ${host.token}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(host.url), { requestInit: { headers } }));
      onTestFinished(() => client.close());
      const call = async (name: string, args: { [name: string]: string }) => {
        const { content } = await client.callTool({ name: `files__${name}`, arguments: args });
        return (content as { text: string }[])[0]!.text;
      };

      await writeFile(join(home, "notes.txt"), "notes");
      expect(await call("read_text_file", { path: join(home, "notes.txt") })).toBe("notes");
      await call("write_file", { path: join(home, "new.txt"), content: "new" });
      expect(await readFile(join(home, "new.txt"), "utf8")).toBe("new");

      const before = await readFile(config, "utf8");
      expect(await call("read_text_file", { path: config })).not.toContain("mcp");
      await call("write_file", { path: config, content: "{}" });
      expect(await readFile(config, "utf8")).toBe(before);
      expect(await readdir(state)).not.toEqual([]);
      expect(await call("list_directory", { path: state })).toMatch(/^(?:|.*(?:EACCES|ENOENT).*)$/);
    },
  );
});
