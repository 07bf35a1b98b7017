/** Tests servers in sandboxes through the command: what they reach, and where that is shown. Linux only. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project-setup.ts";
import type { ProjectSetup } from "../../helpers/project-setup.ts";
import { runInTerminal, runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

/** The server itself would give access to everything. It would restrict itself to the roots of a project. */
const everything = () => ({ ...filesystemStdio("/"), roots: false });

/** The project has a file, and there is a secret beside it. */
async function setUpFiles(servers: { [id: string]: object } = {}, config: object = {}) {
  const project = await setUpProject(servers, config);
  const secret = join(project.cwd, "..", "secret.txt");
  const file = join(project.cwd, "file.txt");
  await Promise.all([writeFile(secret, "the secret"), writeFile(file, "the file")]);
  return { ...project, secret, file };
}

const readIn = (project: ProjectSetup, path: string) =>
  runPipedProcess(project, "call", "files:read_text_file", `path=${path}`, "--format", "raw");
const writeIn = (project: ProjectSetup, path: string) =>
  runPipedProcess(project, "call", "files:write_file", `path=${path}`, "content=new");

describe.runIf(process.platform === "linux")("a server in a sandbox", () => {
  it(
    "sees only what its definition allows, when it is called by the command",
    { meta: { covers: ["R2.3"] } },
    async () => {
      const project = await setUpFiles();
      const { command, args } = everything();
      const added = await runPiped(project, "add", "files", "--sandbox=read-only", "--", command, ...args);
      expect(added).toMatchObject({ status: 0 });
      expect(await readIn(project, project.file)).toMatchObject({ status: 0, stdout: "the file" });
      expect((await readIn(project, project.secret)).stdout).not.toContain("the secret");
      expect((await writeIn(project, project.file)).stdout).toContain("EROFS");
      expect(await readFile(project.file, "utf8")).toBe("the file");

      await runPiped(project, "add", "files", "--replace", "--sandbox=project", "--", command, ...args);
      expect(await writeIn(project, project.file)).toMatchObject({ status: 0 });
      expect(await readFile(project.file, "utf8")).toBe("new");
      // It writes a file of the same name in its own temporary folder.
      await writeIn(project, project.secret);
      expect(await readFile(project.secret, "utf8")).toBe("the secret");
    },
  );

  it("is shown by list, status and get, as text and as JSON", async () => {
    const project = await setUpFiles();
    const { command, args } = everything();
    await runPiped(project, "add", "files", "--sandbox", "--", command, ...args);
    await runPiped(project, "add", "open", "--", command, ...args);
    const access = { read: [], write: [], network: true };
    const allows = "sees none of your files; may reach every host except this machine";
    expect((await runPiped(project, "list")).stdout).toMatch(/SANDBOX.*\nfiles .* yes .*\nopen .* – /);
    expect((await runPiped(project, "status", "files")).stdout).toContain(`sandbox:        ${allows}\n`);
    expect((await runPiped(project, "get", "files")).stdout).toContain(`sandbox:    ${allows}\n`);
    expect(await parseOutput("get", (await runPiped(project, "get", "files", "--json")).stdout)).toMatchObject({
      sandbox: access,
      config: { sandbox: true },
    });
    expect(await parseOutput("status", (await runPiped(project, "status", "--json")).stdout)).toMatchObject([
      { id: "files", sandbox: access },
      { id: "open" },
    ]);
    expect(await parseOutput("list", (await runPiped(project, "list", "--json")).stdout)).toMatchObject([
      { id: "files", sandbox: access },
      { id: "open" },
    ]);
  });

  it("is described when a project asks for trust, also if it has none", async () => {
    const sandbox = { read: ["~/notes"], write: ["out"], network: ["example.com"] };
    const project = await setUpFiles({ boxed: { ...everything(), sandbox }, open: everything() });
    const { stdout } = await runPiped(project, "trust");
    expect(stdout).toContain(`It would run in a sandbox: it may write to ${join(project.cwd, "out")}; may read `);
    expect(stdout).toContain("may reach only example.com.\n");
    expect(stdout).toContain("It would run without a sandbox: it could read and change all your files");
    const terminal = runInTerminal(project, "call", "open:list_allowed_directories");
    expect(await terminal.waitFor("y / n: ")).toContain("It would run without a sandbox");
  });

  it("needs a new approval when a project widens it", async () => {
    const project = await setUpFiles({ files: { ...everything(), sandbox: "offline" } });
    await runPiped(project, "trust", "files", "--yes");
    await project.define({ files: { ...everything(), sandbox: "project" } });
    expect((await readIn(project, project.file)).stderr).toContain("SERVER_UNTRUSTED");
    expect((await runPiped(project, "trust")).stdout).toContain('sandbox: "offline" → "project"');
  });

  it("stays within `sandbox_default` of the user, whatever a project asks for", async () => {
    const config = { sandbox_default: "project" };
    const project = await setUpFiles({ files: { ...everything(), sandbox: { write: ["/"] } } }, config);
    const approved = await runPiped(project, "trust", "files", "--yes");
    expect(approved.stdout).toContain(`it may write to ${project.cwd}; may reach`);
    expect(await readIn(project, project.file)).toMatchObject({ status: 0, stdout: "the file" });
    expect((await readIn(project, project.secret)).stdout).not.toContain("the secret");
    expect((await runPiped(project, "list")).stderr).toContain('"sandbox" asks for more than "sandbox_default" in');
    await project.define({ files: { ...everything(), sandbox: false } });
    await runPiped(project, "trust", "files", "--yes");
    expect((await readIn(project, project.secret)).stdout).not.toContain("the secret");
  });

  it("does not start if a link of a project leads out of `sandbox_default`", async () => {
    const project = await setUpFiles(
      { files: { ...everything(), sandbox: { read: ["link"] } } },
      { sandbox_default: "read-only" },
    );
    const outside = join(project.cwd, "..", "outside");
    await mkdir(outside);
    await symlink(outside, join(project.cwd, "link"));
    await runPiped(project, "trust", "files", "--yes");
    const { status, stderr } = await readIn(project, join(project.cwd, "link", "x"));
    expect(status).toBe(3);
    expect(stderr).toContain("SANDBOX_UNAVAILABLE");
    expect(stderr).toContain("which your `sandbox_default` does not allow");
  });
});

it("plugboard add explains a wrong --sandbox, and refuses it for a URL", async () => {
  const project = await setUpProject({});
  const wrong = await runPiped(project, "add", "a", "--sandbox=offlin", "--", "node");
  expect(wrong).toMatchObject({ status: 2 });
  expect(wrong.stderr).toContain("--sandbox must be true or read-only or offline or project or false, not 'offlin'");
  const remote = await runPiped(project, "add", "a", "--sandbox", "https://example.com/mcp");
  expect(remote).toMatchObject({ status: 2 });
  expect(remote.stderr).toContain("--sandbox is for a command");
});
