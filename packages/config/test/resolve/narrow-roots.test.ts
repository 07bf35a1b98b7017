import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { narrowRoots } from "#resolve/narrow-roots.js";
import { expect, it, onTestFinished } from "vitest";

it("narrowRoots resolves links and dot segments, and drops a root that leads out of the workspace", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "roots-")));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "sub"));
  await symlink("/etc", join(folder, "link"));
  await symlink(join(folder, "sub"), join(folder, "inner"));
  const uri = pathToFileURL(folder).href;
  const roots = [{ uri: `${uri}/link/%2e%2e/sub`, name: "sub" }, { uri: `${uri}/inner` }, { uri: `${uri}/link` }];
  const sub = `${uri}/sub`;
  expect(await narrowRoots(roots, [{ uri }])).toEqual([{ uri: sub, name: "sub" }, { uri: sub }]);
});
