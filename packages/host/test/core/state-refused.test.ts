/** Tests a state folder that another user may control: the host neither uses its content nor writes to it. */
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "#lazy.js";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished } from "vitest";

it(
  "createHost does not read or write a state folder that is a symbolic link",
  { meta: { covers: ["A1"] } },
  async () => {
    const root = await mkdtemp(join(tmpdir(), "plugboard-refused-"));
    onTestFinished(() => rm(root, { recursive: true }));
    const project = join(root, "project");
    const env = { XDG_STATE_HOME: join(root, "state"), XDG_CONFIG_HOME: join(root, "config") };
    await mkdir(project);
    await writeFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: { s: scriptedLegacy() } }));

    const first = await createHost({ cwd: project, env, config: ["project"] });
    const [pending] = first.config.pending();
    await first.config.trust("s", pending!.hash);
    await first.close();

    // Replaces the state folder with a symbolic link, as another user could do.
    await mkdir(join(root, "theirs"));
    await rename(join(root, "state", "plugboard"), join(root, "theirs", "plugboard"));
    await symlink(join(root, "theirs", "plugboard"), join(root, "state", "plugboard"));
    const before = await readdir(join(root, "theirs", "plugboard"), { recursive: true });

    const second = await createHost({ cwd: project, env, config: ["project"] });
    onTestFinished(() => second.close());
    expect(second.config.pending()).toMatchObject([{ id: "s" }]);
    await expect(second.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "SERVER_UNTRUSTED" });
    await second.close();
    expect(await readdir(join(root, "theirs", "plugboard"), { recursive: true })).toEqual(before);
  },
);
