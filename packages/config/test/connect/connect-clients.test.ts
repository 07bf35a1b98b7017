/**
 * Connects each client to Plugboard and disconnects it again. Starts with the file of the client's documentation (see
 * `client-setups.ts`). The expected files are `fixtures/<client>.connected.*` and `<client>.connected-http.*`.
 */
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CLIENT_NAMES } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { valueAt } from "#connect/documents/edit-document.js";
import { connectInstructions } from "#connect/connect-instructions.js";
import { readGatewayEntry } from "#connect/gateway-entry.js";
import { CLIENTS } from "#clients/client-table.js";
import { parseDocument } from "#clients/syntax/parse-document.js";
import { DOCUMENTED, fixtureText, goldenFile, HTTP, setUpHome, STDIO, withProfile } from "./client-setups.ts";

const INVALID: { readonly [syntax: string]: string } = {
  json: '{ "mcpServers": { "a": } }',
  toml: "[mcp_servers.a\n",
  yaml: "extensions:\n  a: [1\n b: 2\n",
};

/** Files whose servers are not a table of entries, for each syntax. */
const OTHER_FORM: { readonly [syntax: string]: (key: string) => string } = {
  json: (key) => `{ "${key}": [] }\n`,
  toml: (key) => `${key} = { a = { command = "x" } }\n`,
  yaml: (key) => `${key}: [a]\n`,
};

describe.each(CLIENT_NAMES)("connecting %s", (client) => {
  const { syntax, serversPath } = CLIENTS[client];
  const entryIn = async (text: string) =>
    valueAt(await parseDocument("file", text, syntax), [...serversPath, "plugboard"]);

  it("adds one entry to the documented file, and disconnecting gives back the same bytes", async () => {
    expect(DOCUMENTED[client].page).toMatch(/^https:/);
    const home = await setUpHome(client);
    const text = await fixtureText(client);
    await home.write(text);
    const plan = await home.connect();
    expect(plan).toMatchObject({ action: "add", file: home.file, scope: "user" });
    expect(plan.servers).toHaveLength(1);
    await expect(await home.read()).toMatchFileSnapshot(goldenFile(client, "connected"));
    expect(JSON.stringify(plan.diff)).not.toContain("canary");
    expect(await home.disconnect()).toMatchObject({ action: "remove", file: home.file });
    expect(await home.read()).toBe(text);
  });

  it("is described with the same text that it writes, even if the client's file is invalid", async () => {
    const home = await setUpHome(client);
    const { after } = await home.plan();
    const targets = client === "claude-desktop" ? [STDIO] : [STDIO, HTTP];
    await home.write(INVALID[syntax]!);
    const described = await connectInstructions(client, [STDIO, HTTP], home.places);
    expect(described).toMatchObject({ label: CLIENTS[client].label, file: home.file });
    expect(described.snippets.map(({ transport }) => transport)).toEqual(targets.map(({ kind }) => kind));
    expect(described.snippets[0]!.text).toBe(after);
    for (const { transport, text } of described.snippets)
      expect(readGatewayEntry(await entryIn(text), "plugboard")).toMatchObject({ kind: transport });
  });

  it("can be undone if the file has changed since or the record is lost: only the entry is removed", async () => {
    const home = await setUpHome(client);
    const text = await fixtureText(client);
    await home.write(text);
    await home.connect();
    const added = syntax === "json" ? (text.includes("//") ? "// later\n" : "\n") : "# later\n";
    await home.write(added + (await home.read()));
    await home.disconnect();
    expect(await home.read()).toBe(added + text);
    await home.connect();
    await home.withoutRecords().disconnect();
    expect(await home.read()).toBe(added + text);
  });

  it("keeps line endings and a byte-order mark", async () => {
    const home = await setUpHome(client);
    const text = `\ufeff${(await fixtureText(client)).replaceAll("\n", "\r\n")}`;
    await home.write(text);
    await home.connect();
    const connected = await home.read();
    expect(connected.startsWith("\ufeff")).toBe(true);
    expect(connected.replaceAll("\r\n", "")).not.toContain("\n");
    const golden = await readFile(goldenFile(client, "connected"), "utf8");
    expect(connected.slice(1).replaceAll("\r\n", "\n")).toBe(golden);
    await home.disconnect();
    expect(await home.read()).toBe(text);
  });

  it("creates a missing file with its folders, which disconnecting removes again", async () => {
    const home = await setUpHome(client);
    expect(await home.connect()).toMatchObject({ action: "add", before: undefined, file: home.file, servers: [] });
    expect((await stat(home.file)).mode & 0o777).toBe(0o600);
    expect(readGatewayEntry(await entryIn(await home.read()), "plugboard")).toEqual({ kind: "stdio" });
    expect(await home.disconnect()).toMatchObject({ action: "remove", after: undefined });
    await expect(lstat(home.file)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.each(["", "\n", "\ufeff"])(
    "writes an entry to the empty file %j, and disconnecting restores that file",
    async (text) => {
      const home = await setUpHome(client);
      await home.write(text);
      await home.connect();
      expect(readGatewayEntry(await entryIn(await home.read()), "plugboard")).toEqual({ kind: "stdio" });
      await home.disconnect();
      expect(await home.read()).toBe(text);
    },
  );

  it("changes nothing the second time, nor does disconnecting the second time", async () => {
    const home = await setUpHome(client);
    await home.write(await fixtureText(client));
    expect(await home.disconnect()).toMatchObject({ action: "none" });
    await home.connect();
    const connected = await home.read();
    expect(await home.connect()).toMatchObject({ action: "none", diff: [] });
    expect(await home.read()).toBe(connected);
    await home.disconnect();
    expect(await home.disconnect()).toMatchObject({ action: "none" });
  });

  it("changes the profile in place, and one disconnect undoes both changes", async () => {
    const home = await setUpHome(client);
    const text = await fixtureText(client);
    await home.write(text);
    await home.connect(withProfile("work"));
    const entry = await entryIn(await home.read());
    expect(readGatewayEntry(entry, "plugboard")).toEqual({ kind: "stdio", profile: "work" });
    expect(await home.connect(withProfile("home"))).toMatchObject({ action: "change" });
    expect(await home.read()).toBe(await connectedText(client, "home"));
    await home.disconnect();
    expect(await home.read()).toBe(text);
  });

  it("uses a URL and a token if the client supports it, and hides the token in the diff", async () => {
    const home = await setUpHome(client);
    const text = await fixtureText(client);
    await home.write(text);
    if (client === "claude-desktop") {
      await expect(home.plan(HTTP)).rejects.toMatchObject({ code: "USAGE" });
      return;
    }
    const plan = await home.connect(HTTP);
    expect(JSON.stringify([plan.diff, plan.entry])).not.toContain("canary");
    await expect(await home.read()).toMatchFileSnapshot(goldenFile(client, "connected-http"));
    // Connecting by command replaces the whole entry, including the token.
    await home.connect(STDIO);
    expect(await home.read()).not.toContain("canary-token");
    await home.connect(HTTP);
    await home.disconnect();
    expect(await home.read()).toBe(text);
  });

  it("is refused for an invalid file or servers that are not a table, and the file stays unchanged", async () => {
    const home = await setUpHome(client);
    for (const text of [INVALID[syntax]!, OTHER_FORM[syntax]!(serversPath[0]!), "\0\0"]) {
      await home.write(text);
      await expect(home.connect()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
      expect(await home.read()).toBe(text);
    }
    await writeFile(home.file, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
    await expect(home.connect()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("is refused for a read-only file, or if another server has the name plugboard", async () => {
    const home = await setUpHome(client);
    const text = await fixtureText(client);
    await home.write(text);
    await chmod(home.file, 0o444);
    await expect(home.connect()).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(await home.read()).toBe(text);
    await chmod(home.file, 0o644);
    await home.connect();
    const other = (await home.read()).replaceAll("plugboard.js", "other.js");
    await home.write(other);
    await expect(home.connect()).rejects.toMatchObject({ code: "USAGE" });
    expect(await home.disconnect()).toMatchObject({ action: "none" });
    expect(await home.read()).toBe(other);
  });

  it("writes through a symbolic link, and keeps the mode of its target", async () => {
    const home = await setUpHome(client);
    const target = join(home.root, "dotfiles", "config");
    await mkdir(dirname(target), { recursive: true });
    await mkdir(dirname(home.file), { recursive: true });
    const text = await fixtureText(client);
    await writeFile(target, text);
    await chmod(target, 0o640);
    await symlink(target, home.file);
    expect(await home.connect()).toMatchObject({ file: home.file, realPath: target });
    expect((await lstat(home.file)).isSymbolicLink()).toBe(true);
    expect((await stat(target)).mode & 0o777).toBe(0o640);
    expect(await readdir(dirname(target))).toEqual(["config"]);
    await home.disconnect();
    expect((await lstat(home.file)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, "utf8")).toBe(text);
  });
});

/** Returns the text of the client's file after one connect with the profile. */
async function connectedText(client: (typeof CLIENT_NAMES)[number], profile: string): Promise<string> {
  const home = await setUpHome(client);
  await home.write(await fixtureText(client));
  await home.connect(withProfile(profile));
  return home.read();
}
