import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { effectiveProfiles } from "#operations/config/effective-profiles.js";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../store/test/helpers/run-child.ts";

it("effectiveProfiles omits a profile if the file of highest priority defines it wrongly, even if another file is valid", async () => {
  const cwd = await temporaryFolder();
  const env = { PLUGBOARD_CONFIG_PATH: join(cwd, "user.json") };
  const write = (file: string, profiles: object) => writeFile(file, JSON.stringify({ mcp: { profiles } }));
  await write(env.PLUGBOARD_CONFIG_PATH, { kept: { servers: ["s"] }, broken: { servers: ["s"] } });
  const nearer = join(cwd, "nearer.json");
  await write(nearer, { broken: { servers: "s" } });
  const names = async (configFiles: string[]) => [...(await effectiveProfiles({ cwd, env, configFiles })).keys()];
  expect(await names([])).toEqual(["kept", "broken"]);
  expect(await names([nearer])).toEqual(["kept"]);
});
